package gp

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// BenchmarkGPStep is one evaluation of the log marginal likelihood with its gradient by eight
// length-scales, n = 1000: the work of one step of a hyper-parameter search. ν of a Matérn kernel
// is held, as it is in a search.
func BenchmarkGPStep(b *testing.B) {
	const n, d = 1000, 8
	rng := rand.New(rand.NewPCG(5, 5))
	x, y := mat.NewDense(n, d, nil), make([]float64, n)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
		y[i] = math.Sin(x.At(i, 0)) + 0.1*rng.NormFloat64()
	}
	type kern = kernel.Kernel[kernel.Vec]
	ones := func() []float64 { return []float64{1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7} }
	ard := func(k kern) kern { return kernel.ARD{Kernel: k, Lengthscales: ones()} }
	for _, c := range []struct {
		name string
		k    kern
	}{
		{"gaussian", ard(kernel.Gaussian{})},
		{"matern32", ard(kernel.Matern{Nu: 1.5})},
		{"matern52", ard(kernel.Matern{Nu: 2.5})},
		{"matern1.7", ard(kernel.Matern{Nu: 1.7})},
		{"matern0.7", ard(kernel.Matern{Nu: 0.7})},
		{"laplace", ard(kernel.Laplace{})},
		{"laplace-l1", ard(kernel.LaplaceL1{})},
		{"rq", ard(kernel.RationalQuadratic{Alpha: 1.5})},
		{"periodic", ard(kernel.Periodic{Period: 3})},
		{"sum", kernel.Sum(ard(kernel.Matern{Nu: 2.5}), kernel.Scale(0.5, kern(kernel.Linear{})))},
		{"product", kernel.Product(ard(kernel.Matern{Nu: 1.5}), kern(kernel.RationalQuadratic{Alpha: 2}))},
	} {
		b.Run(c.name, func(b *testing.B) {
			p, err := Regression[kernel.Vec]{Kernel: c.k, Noise: 0.1}.open().problem(data.Erase[kernel.Vec](data.Rows(x)), y)
			if err != nil {
				b.Fatal(err)
			}
			params := kernel.Params(c.k)
			coords, err := HyperOptions{}.kernelCoordinates(params)
			if err != nil {
				b.Fatal(err)
			}
			wanted := searched(coords, len(params))
			grad := make([]float64, len(params)+1)
			for b.Loop() {
				s, err := p.solve(context.Background(), kernel.Erase(c.k), 0.1)
				if err != nil {
					b.Fatal(err)
				}
				if err := p.gradient(context.Background(), s, grad, wanted); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkExpectedLog is the expectation of one row: that of a narrow and of a wide distribution.
func BenchmarkExpectedLog(b *testing.B) {
	for name, variance := range map[string]float64{"narrow": 0.5, "middle": 3, "wide": 30} {
		b.Run(name, func(b *testing.B) {
			var rule quadrature
			sum := 0.0
			for i := 0; b.Loop(); i++ {
				value, _, _ := rule.expectedLog(float64(i%9)/4-1, variance)
				sum += value
			}
		})
	}
}
