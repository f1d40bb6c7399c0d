// sin x with noise of 0.2, a hundred points, λ = 0.1, under three kernels: what each holds to be
// smooth is what it finds.
package main

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/ridge"
)

func main() {
	rng := rand.New(rand.NewPCG(2, 1))
	x := draw.Even(-math.Pi, math.Pi, 100)
	y := draw.Map(x, func(v float64) float64 { return math.Sin(v) + 0.2*rng.NormFloat64() })
	var panels []*draw.Panel
	for _, c := range []struct {
		title string
		k     kernel.Kernel[kernel.Vec]
	}{
		{"Gaussian, σ = 1", kernel.Gaussian{Lengthscale: 1}},
		{"Laplace, length 1", kernel.Laplace{Lengthscale: 1}},
		{"polynomial, degree 3", kernel.Polynomial{Degree: 3, Gamma: 1, Offset: 1}},
	} {
		m := draw.Must(ridge.Regression[kernel.Vec]{Kernel: c.k, Lambda: 0.1}.Fit(context.Background(), data.Line(x), y))
		panels = append(panels, draw.Regression(c.title, x, y, math.Sin, m, -1.6, 1.6))
	}
	draw.Save("sine", 3, panels...)
}
