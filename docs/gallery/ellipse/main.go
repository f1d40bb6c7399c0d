// An ellipse of the plane is a line of feature space: with squares of the coordinates as features a
// linear rule tells inside from outside.
package main

import (
	"context"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/svm"
)

const a, b = 1.5, 0.8 // half axes

func main() {
	rng := rand.New(rand.NewPCG(1, 1))
	var x, features data.Slice[kernel.Vec]
	var class []int
	for len(x) < 160 {
		p := kernel.Vec{4.4*rng.Float64() - 2.2, 2.8*rng.Float64() - 1.4}
		r := p[0]*p[0]/(a*a) + p[1]*p[1]/(b*b)
		if r > 0.85 && r < 1.15 { // a gap, so that a margin is seen
			continue
		}
		x, features = append(x, p), append(features, kernel.Vec{p[0] * p[0], p[1] * p[1]})
		class = append(class, map[bool]int{true: 0, false: 1}[r < 1])
	}
	m := draw.Must(svm.Classification[kernel.Vec, int]{Kernel: kernel.Linear{}, C: 1000}.Fit(context.Background(),
		features, class))
	show := func(p *draw.Panel, x data.Slice[kernel.Vec], phi func(kernel.Vec) kernel.Vec) *draw.Panel {
		w := draw.Around(x)
		f := make([]float64, w.Points().Len())
		for i := range f {
			f[i] = m.Func().At(phi(w.Points().At(i)))[0]
		}
		p.Groups(x, class, "inside", "outside")
		p.Levels("f = 0", 0, w, f, 0)
		p.Levels("f = ±1", 1, w, f, -1, 1)
		return p
	}
	plane := show(draw.New("the plane", "x₁", "x₂"), x,
		func(v kernel.Vec) kernel.Vec { return kernel.Vec{v[0] * v[0], v[1] * v[1]} })
	space := show(draw.New("feature space", "x₁²", "x₂²"), features, func(v kernel.Vec) kernel.Vec { return v })
	draw.Save("ellipse", 2, plane, space)
}
