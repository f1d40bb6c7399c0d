// The first three eigenfunctions of the Gaussian kernel under a normal measure: Hermite functions,
// each with one zero more than the one before.
package main

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

func main() {
	h := draw.Must(rkhs.NewHermite(kernel.Gaussian{Lengthscale: 1}, []float64{0}, []float64{1}, 3))
	x := draw.Even(-4, 4, 401)
	e := draw.Must(h.Evaluate(context.Background(), data.Line(x)))
	p := draw.New("k(x, y) = exp(−(x − y)²/2), measure N(0, 1)", "x", "e(x)")
	p.Thin("density of the measure", x,
		draw.Map(x, func(v float64) float64 { return math.Exp(-v*v/2) / math.Sqrt(2*math.Pi) }))
	for i, value := range h.Values() {
		p.Curve(fmt.Sprintf("e%c, λ = %.3f", []rune("₀₁₂")[i], value), i, x, mat.Col(nil, i, e))
	}
	draw.Save("eigenfunctions", 1, p)
}
