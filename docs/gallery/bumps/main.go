// A function of a reproducing kernel Hilbert space is a sum of bumps, one at each of some points,
// up or down.
package main

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

func main() {
	k := kernel.Gaussian{Lengthscale: 0.8}
	centres, alpha := []float64{-4, -2.5, -1, 0.5, 2, 4}, []float64{0.5, 0.9, -0.6, 1, -0.4, 0.6}
	f := draw.Must(rkhs.New(k, data.Line(centres), mat.NewDense(6, 1, alpha), nil))
	x := draw.Even(-7, 7, 401)
	p := draw.New(fmt.Sprintf("‖f‖ = %.2f", f.Norm()), "x", "f(x)")
	for i, c := range centres {
		p.Thin("αᵢ k(xᵢ, x)", x, draw.Map(x, func(v float64) float64 {
			return alpha[i] * k.Eval(kernel.Vec{c},
				kernel.Vec{v})
		}))
	}
	p.Curve("f = Σ αᵢ k(xᵢ, ·)", 0, x, mat.Col(nil, 0, draw.Must(f.Evaluate(context.Background(), data.Line(x)))))
	p.Dots("αᵢ at xᵢ", 1, centres, alpha)
	draw.Save("bumps", 1, p)
}
