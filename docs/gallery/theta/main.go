// The Jacobi theta kernel and its Fourier series of 21 terms: Gaussian coefficients fall so fast
// that the two cannot be told apart.
package main

import (
	"math"

	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/kernel"
)

func main() {
	theta := kernel.Theta{Sigma: 0.4}
	series := kernel.Fourier{}
	for l := range 11 {
		series.Coef = append(series.Coef, math.Exp(-0.4*0.4*float64(l*l)/2)/(2*math.Pi))
	}
	x := draw.Even(-math.Pi, math.Pi, 401)
	section := draw.New("k(x, 0)", "x", "k")
	section.Curve("Jacobi theta, σ = 0.4", 0, x,
		draw.Map(x, func(v float64) float64 { return theta.Eval(kernel.Vec{v}, kernel.Vec{0}) }))
	section.Curve("21 Fourier terms", 1, x,
		draw.Map(x, func(v float64) float64 { return series.Eval(kernel.Vec{v}, kernel.Vec{0}) }))

	l := draw.Even(-10, 10, 21)
	parts := draw.New("exp(−σ²ℓ²/2)/(2π)", "ℓ", "coefficient")
	parts.Stems("coefficient", 2, l, draw.Map(l, func(l float64) float64 { return series.Coef[int(math.Abs(l))] }))
	draw.Save("theta", 2, section, parts)
}
