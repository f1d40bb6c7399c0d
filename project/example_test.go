package project_test

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/project"
	"gonum.org/v1/gonum/mat"
)

// circle is n points on the unit circle.
func circle(n int) *mat.Dense {
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		a := 2 * math.Pi * float64(i) / float64(n)
		x.SetRow(i, []float64{math.Cos(a), math.Sin(a)})
	}
	return x
}

func ExamplePCA() {
	m, err := project.PCA[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Components: 2}.Fit(context.Background(),
		data.Rows(circle(50)))
	if err != nil {
		panic(err)
	}
	// On a circle this kernel is e^{cos θ − 1}, with variances e⁻¹·I_m(1): I₁(1)/(e − I₀(1)) =
	// 0.389.
	fmt.Printf("%.3f of the variance along each of the first two\n", m.ExplainedRatio())
	// Output: [0.389 0.389] of the variance along each of the first two
}

func ExampleSparsePCA() {
	full := project.PCA[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Components: 1}
	for _, points := range []int{4, 8, 50} {
		m, err := project.SparsePCA[kernel.Vec]{PCA: full, Points: points}.Fit(context.Background(), data.Rows(circle(50)))
		if err != nil {
			panic(err)
		}
		fmt.Printf("%d points: cosine %.3f\n", m.Func().Centers.Len(), m.Alignment()[0])
	}
	// Output:
	// 4 points: cosine 0.981
	// 8 points: cosine 0.999
	// 50 points: cosine 1.000
}

func ExampleDenoise() {
	ctx := context.Background()
	m, err := project.PCA[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Components: 4}.Fit(ctx,
		data.Rows(circle(50)))
	if err != nil {
		panic(err)
	}
	clean, err := project.Denoise[kernel.Vec](ctx, m, project.FixedPoint{Model: m}, data.Slice[[]float64]{{1.4, 0}})
	if err != nil {
		panic(err)
	}
	fmt.Printf("brought back to radius %.2f\n", math.Hypot(clean.At(0, 0), clean.At(0, 1)))
	// Output: brought back to radius 0.99
}

func ExampleMapLearner() {
	ctx := context.Background()
	x := circle(50)
	m, err := project.PCA[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Components: 4}.Fit(ctx, data.Rows(x))
	if err != nil {
		panic(err)
	}
	back, err := project.MapLearner{Lambda: 1e-6}.Fit(ctx, m.Scores(), data.Rows(x))
	if err != nil {
		panic(err)
	}
	p, err := back.Preimages(ctx, m.Scores(), nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("point 0 comes back as (%.2f, %.2f)\n", p.At(0, 0), math.Abs(p.At(0, 1)))
	// Output: point 0 comes back as (1.00, 0.00)
}

func ExampleCCA() {
	// y depends on x, though their correlation is zero.
	n := 60
	x, y := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		v := 2*float64(i)/float64(n-1) - 1
		x.Set(i, 0, v)
		y.Set(i, 0, v*v)
	}
	k := kernel.Gaussian{Lengthscale: 0.5}
	views := []project.View{project.NewView[kernel.Vec](k, data.Rows(x)), project.NewView[kernel.Vec](k, data.Rows(y))}
	cca := project.CCA{Kappa: 0.1, Seed: 1}
	test, err := cca.Test(context.Background(), 199, views...)
	if err != nil {
		panic(err)
	}
	fmt.Printf("p = %.3f\n", test.P)
	// Output: p = 0.005
}

// Points near a circle in three dimensions, told by one of two latent coordinates each.
func ExampleGPLVM() {
	y := mat.NewDense(30, 3, nil)
	for i := range 30 {
		a := 1 + float64(i)/5
		y.SetRow(i, []float64{math.Cos(a), math.Sin(a), 0.5 * math.Cos(a)})
	}
	m, err := project.GPLVM{Iterations: 200}.Fit(context.Background(), data.Rows(y))
	if err != nil {
		fmt.Println(err)
		return
	}
	back, std, err := m.Reconstruct(context.Background(), data.Rows(m.Latent()))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d coordinates; the first point comes back as %.1f, with a deviation below 0.05: %v\n", m.Components(),
		back.RawRowView(0), std[0] < 0.05)
	// Output: 2 coordinates; the first point comes back as [0.5 0.8 0.3], with a deviation below 0.05: true
}
