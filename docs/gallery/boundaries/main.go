// Three boundaries of the same points under the same kernel: the perceptron's is any that it came
// to, the support vector machine's keeps its distance, and that of logistic regression is where the
// probability is one half.
package main

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/online"
	"github.com/mercer-ml/mercer/learn/svm"
)

func main() {
	ctx := context.Background()
	set := data.Moons(120, 0.2, 4)
	x, class := draw.Points(set), draw.Classes(set)
	k := kernel.Gaussian{Lengthscale: 0.5}
	var panels []*draw.Panel
	show := func(title string, m learn.Classifier[kernel.Vec, int], support []int) {
		p, w := draw.New(title, "x₁", "x₂"), draw.Around(x)
		f := draw.Must(m.Decision(ctx, w.Points())).RawMatrix().Data
		p.Shade(w, f, 0)
		p.Groups(x, class, "one class", "the other")
		p.Levels("boundary", 0, w, f, 0)
		kept := data.Gather[kernel.Vec](x, support)
		p.Rings("points that f is made of", draw.Coordinate(kept, 0), draw.Coordinate(kept, 1))
		panels = append(panels, p)
	}
	perceptron := draw.Must(online.Perceptron[kernel.Vec, int]{Kernel: k,
		PerceptronOptions: online.PerceptronOptions{Passes: 20}}.Fit(ctx, x, class))
	show("perceptron", perceptron, perceptron.Support())
	machine := draw.Must(svm.Classification[kernel.Vec, int]{Kernel: k, C: 1}.Fit(ctx, x, class))
	show("support vector machine, C = 1", machine, machine.Support())
	odds := draw.Must(logistic.Regression[kernel.Vec, int]{Kernel: k, Lambda: 0.1, Intercept: true}.Fit(ctx, x, class))
	show("logistic, λ = 0.1: all points", odds, nil)
	draw.Save("boundaries", 3, panels...)
}
