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

func ExampleNew() {
	_, err := rkhs.New(k, centers, mat.NewDense(3, 1, nil), nil)
	fmt.Println(err)
	// Output: rkhs: 2 centres but 3 rows of coefficients
}

func ExampleFunc_Check() {
	f := &rkhs.Func[kernel.Vec]{Kernel: k, Centers: centers, Coef: mat.NewDense(2, 1, []float64{1, math.NaN()})}
	fmt.Println(f.Check())
	// Output: rkhs: coefficient of centre 1, output 0 is NaN
}

func ExampleFunc_Evaluate() {
	f, _ := rkhs.New(k, centers, mat.NewDense(2, 2, []float64{1, 0, -1, 2}), []float64{0, 1})
	points := data.Slice[kernel.Vec]{{0}, {0.5}}
	values, err := f.Evaluate(context.Background(), points)
	if err != nil {
		panic(err)
	}
	single := mat.NewDense(2, f.Outputs(), nil)
	if err := f.EvaluateTo(context.Background(), single, points, rkhs.EvalOptions{Single: true}); err != nil {
		panic(err)
	}
	_, err = f.Evaluate(context.Background(), data.Slice[kernel.Vec]{{0}, {math.NaN()}})
	fmt.Println(err)
	fmt.Printf("%.4f\n%v\n", mat.Formatted(values), mat.EqualApprox(values, single, 1e-5))
	// Output:
	// rkhs: kernel: row 1, column 0 is NaN; impute or drop it
	// ⎡0.3935  2.2131⎤
	// ⎣0.0000  2.7650⎦
	// true
}

func ExampleFunc_Prepare() {
	f, _ := rkhs.New(k, centers, mat.NewDense(2, 1, []float64{1, -1}), nil)
	f.Prepare() // the centres are read once
	y := mat.NewDense(1, 1, nil)
	for _, x := range []kernel.Vec{{0}, {0.5}, {1}} {
		if err := f.EvaluateTo(context.Background(), y, data.Slice[kernel.Vec]{x}); err != nil {
			panic(err)
		}
		fmt.Printf("%.4f ", y.At(0, 0))
	}
	// Output: 0.3935 0.0000 -0.3935
}

func ExampleFunc_First() {
	f, _ := rkhs.New(k, centers, mat.NewDense(2, 2, []float64{1, 0, -1, 2}), []float64{0, 1})
	fmt.Println(f.Outputs(), f.First(1).Outputs(), f.First(1).Bias)
	// Output: 2 1 [0]
}

func ExampleFunc_Tiles() {
	f, _ := rkhs.New(k, centers, mat.NewDense(2, 1, []float64{1, -1}), nil)
	values := mat.NewDense(1, 2, nil)
	f.Prepare().Tiles(context.Background(), data.Slice[kernel.Vec]{{0.5}}).Tile(values.RawMatrix(), 0, 0)
	fmt.Printf("%.4f\n", mat.Formatted(values))
	// Output: [0.8825  0.8825]
}

func ExampleGrad() {
	f, _ := rkhs.New(k, centers, mat.NewDense(2, 1, []float64{1, -1}), nil)
	g, err := rkhs.Grad(context.Background(), f, kernel.Vec{0})
	fmt.Printf("%.4f %v\n", g.At(0, 0), err)
	// Output: -0.6065 <nil>
}

func ExampleFunc_Inner() {
	f, _ := rkhs.New(k, centers, mat.NewDense(2, 1, []float64{1, -1}), nil)
	kx, _ := rkhs.New(k, data.Points[kernel.Vec](data.Slice[kernel.Vec]{{0.3}}), mat.NewDense(1, 1, []float64{1}), nil)
	inner, err := f.Inner(kx)
	fmt.Printf("⟨f, k(0.3, ·)⟩ = %.4f = f(0.3) = %.4f %v\n", inner, f.At(kernel.Vec{0.3})[0], err)
	// Output: ⟨f, k(0.3, ·)⟩ = 0.1733 = f(0.3) = 0.1733 <nil>
}

func ExampleFunc_Distance() {
	f, _ := rkhs.New(k, centers, mat.NewDense(2, 1, []float64{1, -1}), nil)
	d, err := f.Distance(f.Scale(2))
	fmt.Printf("%.4f %.4f %v\n", d, f.Norm(), err)
	// Output: 0.8871 0.8871 <nil>
}

func ExampleFunc_Add() {
	f, _ := rkhs.New(k, centers, mat.NewDense(2, 1, []float64{1, -1}), nil)
	g, err := f.Add(f.Scale(-1))
	fmt.Println(g.Norm(), err)
	// Output: 0 <nil>
}

func ExampleMercer() {
	e, err := rkhs.NewMercer(context.Background(), k, centers, 0)
	if err != nil {
		panic(err)
	}
	psi := e.Eigenfunctions().At(kernel.Vec{0})
	fmt.Printf("%.4f %.4f\n", e.Eigenvalues(), math.Abs(psi[0]))
	// Output: [0.8033 0.1967] 1.0000
}

func ExampleHermite() {
	h, err := rkhs.NewHermite(kernel.Gaussian{Lengthscale: 1}, []float64{0}, []float64{1}, 3)
	if err != nil {
		panic(err)
	}
	ctx, origin := context.Background(), data.Slice[kernel.Vec]{{0}}
	e, err := h.Evaluate(ctx, origin)
	if err != nil {
		panic(err)
	}
	phi, err := h.Features(ctx, origin)
	if err != nil {
		panic(err)
	}
	same := mat.NewDense(1, 3, nil)
	fmt.Println(h.EvaluateTo(ctx, same, origin), h.FeaturesTo(ctx, same, origin), h.At(kernel.Vec{0})[0] == e.At(0, 0))
	norm, err := h.Norm([]float64{1}) // of the first eigenfunction, 1/√λ₁
	fmt.Printf("%.4f %.4f %.4f %v\n%.4f %v\n", h.Values(), e.RawRowView(0), phi.RawRowView(0), h.Degrees(2), norm, err)
	// Output:
	// <nil> <nil> true
	// [0.6180 0.2361 0.0902] [1.2228 0.0000 -0.8647] [0.9613 0.0000 -0.2596] [2]
	// 1.2720 <nil>
}

func ExampleCircleFunc() {
	space := kernel.Fourier{Coef: []float64{1, 0.5}}
	f, err := rkhs.NewCircleFunc(space, []complex128{0, 0.5}) // cos x
	if err != nil {
		panic(err)
	}
	inner, err := f.Inner(f)
	fmt.Printf("%.4f %.4f %v\n", inner, f.L2Norm()*f.L2Norm(), err)
	angles := data.Slice[kernel.Vec]{{0}, {math.Pi}}
	values, err := f.Evaluate(context.Background(), angles)
	fmt.Printf("%.4f %v %v\n", values, err, f.EvaluateTo(context.Background(), values, angles))
	// Output:
	// 1.0000 0.5000 <nil>
	// [1.0000 -1.0000] <nil> <nil>
}

func ExampleOnCircle() {
	space := kernel.Fourier{Coef: []float64{1, 0.5}}
	f, _ := rkhs.New[kernel.Vec](space, data.Slice[kernel.Vec]{{0}}, mat.NewDense(1, 1, []float64{1}), nil)
	c, err := rkhs.OnCircle(f, 0)
	fmt.Println(c.Coef, err)
	// Output: [(1+0i) (0.5+0i)] <nil>
}

func ExampleCircleCoefficients() {
	c, err := rkhs.CircleCoefficients(math.Cos, 1, 8)
	fmt.Printf("%.2f %v\n", real(c[1]), err)
	// Output: 0.50 <nil>
}

func ExampleLoss() {
	var loss rkhs.Loss = rkhs.HuberLoss{Delta: 1}
	v, d := loss.Value(0, 3)
	fmt.Println(v, d)
	// Output: 2.5 1
}

func ExampleTwiceLoss() {
	var loss rkhs.TwiceLoss = rkhs.LogisticLoss{}
	fmt.Println(loss.Second(1, 0))
	// Output: 0.25
}

func ExampleLossFunc() {
	logCosh := rkhs.LossFunc(func(y, z float64) (float64, float64) { return math.Log(math.Cosh(z - y)), math.Tanh(z - y) })
	v, d := logCosh.Value(0, 1)
	fmt.Printf("%.4f %.4f\n", v, d)
	// Output: 0.4338 0.7616
}

func ExampleSquaredLoss() {
	fmt.Println(rkhs.SquaredLoss{}.Value(1, 3))
	// Output: 2 2
}

func ExampleLogisticLoss() {
	v, d := rkhs.LogisticLoss{}.Value(1, 0)
	fmt.Printf("%.4f %.4f\n", v, d)
	// Output: 0.6931 -0.5000
}

func ExampleHuberLoss() {
	fmt.Println(rkhs.HuberLoss{Delta: 1}.Value(0, 0.5))
	// Output: 0.125 0.5
}

func ExampleSquaredHingeLoss() {
	fmt.Println(rkhs.SquaredHingeLoss{}.Value(1, 0))
	// Output: 0.5 -1
}

func ExamplePoissonLoss() {
	fmt.Println(rkhs.PoissonLoss{}.Value(2, 0))
	// Output: 1 -1
}

func ExampleFunc_Output() {
	f, _ := rkhs.New(k, centers, mat.NewDense(2, 2, []float64{1, 0, -1, 2}), []float64{0, 1})
	one := f.Output(1)
	fmt.Println(one.Outputs(), one.Bias)
	// Output: 1 [1]
}
