// Exclusive or: no line tells the classes apart in the plane; with the product of both coordinates
// as a third one, a plane does.
package main

import (
	"context"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/svm"
)

// phi is the feature map (x₁, x₂, x₁x₂).
func phi(x kernel.Vec) kernel.Vec { return kernel.Vec{x[0], x[1], x[0] * x[1]} }

func main() {
	rng := rand.New(rand.NewPCG(1, 1))
	var x data.Slice[kernel.Vec]
	var class []int
	for i := range 80 {
		a, b := float64(2*(i%2)-1), float64(2*(i/2%2)-1)
		x = append(x, kernel.Vec{a + 0.25*rng.NormFloat64(), b + 0.25*rng.NormFloat64()})
		class = append(class, i%2^i/2%2)
	}
	m := draw.Must(svm.Classification[kernel.Vec, int]{Kernel: kernel.Features(phi), C: 10}.Fit(context.Background(), x,
		class))

	plane := draw.New("the plane: f(x) = 0 is a curve", "x₁", "x₂")
	w := draw.Around(x)
	f := draw.Must(m.Func().Evaluate(context.Background(), w.Points())).RawMatrix().Data
	plane.Shade(w, f, 0)
	plane.Groups(x, class, "equal signs", "unequal signs")
	plane.Levels("f = 0", 0, w, f, 0)

	// In feature space f is affine, ⟨w, φ(x)⟩ + b: its weights are differences of values.
	value := func(z kernel.Vec) float64 { return m.Func().At(z)[0] }
	at := func(x1, z float64) float64 { // at x₂ = 0 the third coordinate is free, since f is affine in it
		b := value(kernel.Vec{0, 0})
		w1, w2 := value(kernel.Vec{1, 0})-b, value(kernel.Vec{0, 1})-b
		w3 := value(kernel.Vec{1, 1}) - b - w1 - w2
		return b + w1*x1 + w3*z
	}
	side := draw.New("feature space from the side: f = 0 is a plane", "x₁", "x₁x₂")
	features := make(data.Slice[kernel.Vec], len(x))
	for i := range x {
		features[i] = kernel.Vec{x[i][0], x[i][0] * x[i][1]}
	}
	v := draw.Around(features)
	g := make([]float64, v.Points().Len())
	for i := range g {
		z := v.Points().At(i)
		g[i] = at(z[0], z[1])
	}
	side.Shade(v, g, 0)
	side.Groups(features, class, "equal signs", "unequal signs")
	side.Levels("f = 0", 0, v, g, 0)
	draw.Save("xor", 2, plane, side)
}
