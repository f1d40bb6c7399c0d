// The margin of a linear support vector machine, and the points that hold it. A smaller C buys a
// wider margin with points inside it.
package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/svm"
)

func main() {
	rng := rand.New(rand.NewPCG(5, 1))
	var x data.Slice[kernel.Vec]
	var class []int
	for i := range 60 {
		side := float64(2*(i%2) - 1)
		x = append(x, kernel.Vec{1.6*side + rng.NormFloat64(), 1.2*side + 0.8*rng.NormFloat64()})
		class = append(class, i%2)
	}
	var panels []*draw.Panel
	for _, price := range []float64{100, 0.02} {
		m := draw.Must(svm.Classification[kernel.Vec, int]{Kernel: kernel.Linear{}, C: price}.Fit(context.Background(), x,
			class))
		w := draw.Around(x)
		f := draw.Must(m.Decision(context.Background(), w.Points())).RawMatrix().Data
		p := draw.New(fmt.Sprintf("C = %g: margin %.2f, %d support vectors", price, 2/m.Func().Norm(), len(m.Support())),
			"x₁", "x₂")
		p.Groups(x, class, "one class", "the other")
		p.Levels("boundary, f = 0", 0, w, f, 0)
		p.Levels("margin, f = ±1", 1, w, f, -1, 1)
		kept := data.Gather[kernel.Vec](x, m.Support())
		p.Rings("support vectors", draw.Coordinate(kept, 0), draw.Coordinate(kept, 1))
		panels = append(panels, p)
	}
	draw.Save("margin", 2, panels...)
}
