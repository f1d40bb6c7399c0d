// Ten even Gaussian basis functions of three widths: the function that least squares finds, the
// basis, and the design matrix. Narrow ones see each point by itself; very wide ones are all the
// same column.
package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/ridge"
	"gonum.org/v1/gonum/mat"
)

func main() {
	rng := rand.New(rand.NewPCG(1, 1))
	x, at, centres := draw.Even(0, 20, 21), draw.Even(0, 20, 400), draw.Even(0, 20, 10)
	y := draw.Map(x, func(v float64) float64 { return -1.5*v + v*v/9 + 2*rng.NormFloat64() })
	var panels []*draw.Panel
	for _, tau := range []float64{0.1, 0.5, 50} {
		k := kernel.GaussianBasis{Centers: centres, Width: tau}
		m := draw.Must(ridge.Regression[kernel.Vec]{Kernel: k, Lambda: 0.3, Intercept: true}.Fit(context.Background(),
			data.Line(x), y))
		fit := draw.New(fmt.Sprintf("τ = %g: fit", tau), "x", "y")
		fit.Grains("observations", x, y)
		fit.Curve("found", 0, at, draw.Must(m.Predict(context.Background(), data.Line(at))))

		basis, design := draw.New("basis", "x", "φ(x)"), mat.NewDense(len(x), len(centres), nil)
		for j := range centres {
			phi := func(v float64) float64 {
				row := make(kernel.Vec, len(centres))
				k.Features(row, kernel.Vec{v})
				return row[j]
			}
			basis.Thin("", at, draw.Map(at, phi))
			design.SetCol(j, draw.Map(x, phi))
		}
		basis.Range(0, 20, 0, 1.05)
		matrix := draw.New("design matrix, 21 × 10", "centre", "observation")
		matrix.Matrix(design, 0, 1)
		matrix.Bare()
		panels = append(panels, fit, basis, matrix)
	}
	draw.Save("design", 3, panels...)
}
