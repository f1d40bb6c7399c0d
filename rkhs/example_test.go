package rkhs_test

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

var (
	k       kernel.Kernel[kernel.Vec] = kernel.Gaussian{Lengthscale: 1}
	centers                           = data.Rows(mat.NewDense(2, 1, []float64{0, 1}))
)

func ExampleFunc() {
	f, err := rkhs.New(k, centers, mat.NewDense(2, 1, []float64{1, -1}), nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("f(0) = %.4f, ‖f‖ = %.4f\n", f.At(kernel.Vec{0})[0], f.Norm())
	// Output: f(0) = 0.3935, ‖f‖ = 0.8871
}

func ExampleFunc_Project() {
	f, err := rkhs.New(k, centers, mat.NewDense(2, 1, []float64{1, -1}), nil)
	if err != nil {
		panic(err)
	}
	p, err := f.Project(context.Background(), data.Slice[kernel.Vec]{{0}})
	if err != nil {
		panic(err)
	}
	// The residual is orthogonal to k(0, ·): both agree at 0.
	fmt.Printf("%.4f %.4f\n", f.At(kernel.Vec{0})[0], p.At(kernel.Vec{0})[0])
	// Output: 0.3935 0.3935
}

func ExampleGradTo() {
	f, err := rkhs.New(k, centers, mat.NewDense(2, 1, []float64{1, -1}), nil)
	if err != nil {
		panic(err)
	}
	g := mat.NewDense(1, 1, nil)
	if err := rkhs.GradTo(context.Background(), g, f, kernel.Vec{0}); err != nil {
		panic(err)
	}
	fmt.Printf("%.4f\n", g.At(0, 0))
	// Output: -0.6065
}

func ExampleMeanEmbedding() {
	mu, err := rkhs.MeanEmbedding(k, centers, nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.4f\n", mu.At(kernel.Vec{0.5})[0])
	// Output: 0.8825
}

func ExampleNewMercer() {
	e, err := rkhs.NewMercer(context.Background(), k, centers, 0)
	if err != nil {
		panic(err)
	}
	phi := e.Features()
	a, b := phi.At(kernel.Vec{0}), phi.At(kernel.Vec{1})
	fmt.Printf("%.4f = k(0, 1)\n", a[0]*b[0]+a[1]*b[1])
	// Output: 0.6065 = k(0, 1)
}

func ExampleNewHermite() {
	h, err := rkhs.NewHermite(kernel.Gaussian{Lengthscale: 1}, []float64{0}, []float64{1}, 30)
	if err != nil {
		panic(err)
	}
	phi, err := h.Features(context.Background(), data.Slice[kernel.Vec]{{0}, {1}})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.4f\n", mat.Dot(phi.RowView(0), phi.RowView(1)))
	// Output: 0.6065
}

func ExampleNewCircleFunc() {
	space := kernel.Fourier{Coef: []float64{1, 0.5, 0.25}}
	f, err := rkhs.NewCircleFunc(space, []complex128{0, 0.5}) // cos x
	if err != nil {
		panic(err)
	}
	fmt.Printf("f(0) = %.1f, ‖f‖² = %.1f\n", f.At(0), math.Pow(f.Norm(), 2))
	// Output: f(0) = 1.0, ‖f‖² = 1.0
}

func ExampleRepresenter() {
	x := data.Rows(mat.NewDense(4, 1, []float64{-2, -1, 1, 2}))
	f, c, err := rkhs.Representer[kernel.Vec]{Kernel: k, Loss: rkhs.LogisticLoss{},
		Lambda: 0.1}.Solve(context.Background(), x, []float64{-1, -1, 1, 1})
	if err != nil {
		panic(err)
	}
	fmt.Printf("converged %v; f(-1.5) = %.2f, f(1.5) = %.2f\n", c.Converged, f.At(kernel.Vec{-1.5})[0],
		f.At(kernel.Vec{1.5})[0])
	// Output: converged true; f(-1.5) = -1.14, f(1.5) = 1.14
}

func ExampleHingeLoss() {
	x := data.Rows(mat.NewDense(4, 1, []float64{-2, -1, 1, 2}))
	_, c, err := rkhs.Representer[kernel.Vec]{Kernel: k, Loss: rkhs.HingeLoss{}, Lambda: 0.1}.Solve(context.Background(),
		x, []float64{-1, -1, 1, 1})
	if err != nil {
		panic(err)
	}
	value, slope := rkhs.HingeLoss{}.Value(1, 0.25)
	fmt.Println(value, slope, c.Converged)
	// Output: 0.75 -1 true
}

func ExampleAbsoluteLoss() {
	value, slope := rkhs.AbsoluteLoss{}.Value(2, 5)
	fmt.Println(value, slope)
	// Output: 3 1
}
