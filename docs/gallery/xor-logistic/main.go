// Exclusive or by logistic regression on three sets of features: a line cannot, degree two can, and
// so can the distances from four prototypes.
package main

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/logistic"
)

// prototypes is the features exp(−‖x − μⱼ‖²/(2·0.5²)) of the four corners μⱼ.
func prototypes(x kernel.Vec) kernel.Vec {
	var out kernel.Vec
	for _, mu := range []kernel.Vec{{-1, -1}, {-1, 1}, {1, -1}, {1, 1}} {
		out = append(out, math.Exp(-((x[0]-mu[0])*(x[0]-mu[0])+(x[1]-mu[1])*(x[1]-mu[1]))/0.5))
	}
	return out
}

func main() {
	rng := rand.New(rand.NewPCG(1, 1))
	var x data.Slice[kernel.Vec]
	var class []int
	for i := range 80 {
		a, b := float64(2*(i%2)-1), float64(2*(i/2%2)-1)
		x = append(x, kernel.Vec{a + 0.25*rng.NormFloat64(), b + 0.25*rng.NormFloat64()})
		class = append(class, i%2^i/2%2)
	}
	var panels []*draw.Panel
	for _, c := range []struct {
		title string
		k     kernel.Kernel[kernel.Vec]
	}{
		{"linear", kernel.Linear{}},
		{"degree two", kernel.Polynomial{Degree: 2, Gamma: 1, Offset: 1}},
		{"four prototypes", kernel.Features(prototypes)},
	} {
		m := draw.Must(logistic.Regression[kernel.Vec, int]{Kernel: c.k, Lambda: 0.1,
			Intercept: true}.Fit(context.Background(), x, class))
		p := draw.New(c.title, "x₁", "x₂")
		w := draw.Around(x)
		odds := draw.Must(m.Decision(context.Background(), w.Points())).RawMatrix().Data
		sure := draw.Map(odds, func(v float64) float64 { return 2/(1+math.Exp(-v)) - 1 })
		p.Shade(w, sure, 1)
		p.Groups(x, class, "equal signs", "unequal signs")
		p.Levels("probability ½", 0, w, odds, 0)
		panels = append(panels, p)
	}
	draw.Save("xor-logistic", 3, panels...)
}
