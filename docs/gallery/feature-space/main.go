// The interval as a curve of feature space: what is a curve in the plane of x and f(x) is a straight
// cut of the features there, and most points of feature space are of no x.
package main

import (
	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
)

func main() {
	// (1 + xy)² = ⟨φ(x), φ(y)⟩ with φ(x) = (1, √2·x, x²): the first coordinate is 1 everywhere.
	const root2 = 1.4142135623730951
	f := func(x float64) float64 { return x*x - 0.5*x - 1 } // ⟨(−1, −0.5/√2, 1), φ(x)⟩
	x := draw.Even(-2, 2, 200)
	at := draw.Even(-2, 2, 9)
	level := func(float64) float64 { return 0 }

	line := draw.New("the interval, and a function on it", "x", "f(x)")
	line.Curve("f(x) = x² − x/2 − 1", 0, x, draw.Map(x, f))
	line.Curve("f = 0", 1, x, draw.Map(x, level))
	line.Dots("nine places x", 2, at, draw.Map(at, level))

	square := func(x float64) float64 { return x * x }
	stretched := func(x float64) float64 { return root2 * x }
	space := draw.New("feature space: f = 0 is a straight line", "√2·x", "x²")
	space.Thin("φ of the interval", draw.Map(x, stretched), draw.Map(x, square))
	space.Dots("", 2, draw.Map(at, stretched), draw.Map(at, square))
	space.Curve("", 1, draw.Map(x, stretched), draw.Map(x, func(x float64) float64 { return 0.5*x + 1 }))
	space.Rings("a point that is φ(x) of no x", []float64{0}, []float64{3})
	draw.Save("feature-space", 2, line, space)
}
