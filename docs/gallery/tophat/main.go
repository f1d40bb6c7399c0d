// The top hat and its Fourier series of 21 terms, |ℓ| ≤ 10: its coefficients fall like 1/ℓ, so the
// sum still swings at the edges.
package main

import (
	"math"

	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/rkhs"
)

func hat(x float64) float64 {
	if math.Abs(x) < math.Pi/2 {
		return 1
	}
	return 0
}

func main() {
	coef := draw.Must(rkhs.CircleCoefficients(hat, 10, 1<<12))
	series := func(x float64) float64 {
		s := real(coef[0])
		for l := 1; l < len(coef); l++ {
			s += 2 * real(coef[l]) * math.Cos(float64(l)*x)
		}
		return s
	}
	x := draw.Even(-math.Pi, math.Pi, 1001)
	sum := draw.New("f and its series", "x", "f(x)")
	sum.Thin("top hat", x, draw.Map(x, hat))
	sum.Curve("21 Fourier terms", 0, x, draw.Map(x, series))

	l := draw.Even(-10, 10, 21)
	parts := draw.New("sin(ℓπ/2)/(ℓπ)", "ℓ", "coefficient")
	parts.Stems("coefficient", 1, l, draw.Map(l, func(l float64) float64 { return real(coef[int(math.Abs(l))]) }))
	draw.Save("tophat", 2, sum, parts)
}
