// Kernel principal components of three clusters: lines of equal value of the first eight
// components. Two tell the clusters apart, the next three halve each of them, and the three after
// these halve them across.
package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/project"
	"gonum.org/v1/gonum/mat"
)

func main() {
	rng := rand.New(rand.NewPCG(3, 1))
	var x data.Slice[kernel.Vec]
	for i := range 90 {
		centre := []kernel.Vec{{-0.8, -0.4}, {0, 0.8}, {0.8, -0.1}}[i%3]
		spread := []float64{0.1, 0.08, 0.12}[i%3]
		x = append(x, kernel.Vec{centre[0] + spread*rng.NormFloat64(), centre[1] + spread*rng.NormFloat64()})
	}
	k := kernel.Gaussian{Lengthscale: math.Sqrt(0.1 / 2)} // 2σ² = 0.1
	m := draw.Must(project.PCA[kernel.Vec]{Kernel: k, Components: 8}.Fit(context.Background(), x))
	w := draw.Plane{X0: -1.4, X1: 1.7, Y0: -1.05, Y1: 1.4}
	scores := draw.Must(m.Transform(context.Background(), w.Points()))
	var panels []*draw.Panel
	for i, variance := range m.Variance() {
		values := mat.Col(nil, i, scores)
		p := draw.New(fmt.Sprintf("component %d, λ = %.3f", i+1, variance), "", "")
		p.Grains("points", draw.Coordinate(x, 0), draw.Coordinate(x, 1))
		low, high := draw.Bounds(values)
		size := max(high, -low)
		p.Levels("equal values above 0", 0, w, values, 0.2*size, 0.5*size, 0.8*size)
		p.Levels("below 0", 1, w, values, -0.2*size, -0.5*size, -0.8*size)
		p.Bare()
		panels = append(panels, p)
	}
	draw.Save("pca", 4, panels...)
}
