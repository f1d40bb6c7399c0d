// Basis functions as they are leave holes between centres that are far apart; divided by their sum
// they add up to one everywhere.
package main

import (
	"math"

	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/kernel"
)

func main() {
	centres := []float64{-0.9, -0.7, -0.1, 0.25, 0.85}
	k := kernel.Gaussian{Lengthscale: 0.1}
	x := draw.Even(-1, 1, 401)
	value := func(j int, v float64) float64 { return k.Eval(kernel.Vec{centres[j]}, kernel.Vec{v}) }
	sum := func(v float64) (s float64) {
		for j := range centres {
			s += value(j, v)
		}
		return s
	}
	plain, whole := draw.New("as they are", "x", ""), draw.New("divided by their sum", "x", "")
	for j := range centres {
		plain.Curve("", 0, x, draw.Map(x, func(v float64) float64 { return value(j, v) }))
		whole.Curve("basis functions", 0, x, draw.Map(x, func(v float64) float64 { return value(j, v) / sum(v) }))
	}
	plain.Curve("their sum", 1, x, draw.Map(x, sum))
	whole.Curve("their sum", 1, x, draw.Map(x, func(v float64) float64 { return math.Min(sum(v)/sum(v), 1) }))
	for _, p := range []*draw.Panel{plain, whole} {
		p.Range(-1, 1, 0, 1.3)
	}
	draw.Save("normalisation", 2, plain, whole)
}
