// Four machines in the plane under a Gaussian kernel of width 0.3, and the points that each keeps.
package main

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/sparse"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/tune"
)

func main() {
	ctx := context.Background()
	set := data.Moons(100, 0.2, 2)
	x, class := draw.Points(set), draw.Classes(set)
	k := kernel.Gaussian{Lengthscale: 0.3}
	var panels []*draw.Panel
	show := func(title string, m learn.Classifier[kernel.Vec, int], support []int) {
		p, w := draw.New(fmt.Sprintf("%s: %d of %d points", title, len(support), x.Len()), "x₁", "x₂"), draw.Around(x)
		f := draw.Must(m.Decision(ctx, w.Points())).RawMatrix().Data
		p.Groups(x, class, "one class", "the other")
		p.Levels("boundary", 0, w, f, 0)
		kept := data.Gather[kernel.Vec](x, support)
		p.Rings("kept", draw.Coordinate(kept, 0), draw.Coordinate(kept, 1))
		panels = append(panels, p)
	}
	l2 := draw.Must(sparse.L2VMClassification[kernel.Vec, int]{Kernel: k, Options: sparse.Options{Lambda: 5}}.Fit(ctx, x,
		class))
	show("L2VM, λ = 5", l2, l2.Support())
	l1 := draw.Must(sparse.L1VMClassification[kernel.Vec, int]{Kernel: k, Options: sparse.Options{Lambda: 1}}.Fit(ctx, x,
		class))
	show("L1VM, λ = 1", l1, l1.Support())
	rvm := draw.Must(sparse.RVMClassification[kernel.Vec, int]{Kernel: k}.Fit(ctx, x, class))
	show("RVM", rvm, rvm.Support())
	price := bestC(ctx, x, class, k)
	machine := draw.Must(svm.Classification[kernel.Vec, int]{Kernel: k, C: price}.Fit(ctx, x, class))
	show(fmt.Sprintf("SVM, C = %.2g by cross-validation", price), machine, machine.Support())
	draw.Save("machines", 2, panels...)
}

// bestC is the price with the best cross-validated accuracy.
func bestC(ctx context.Context, x data.Points[kernel.Vec], class []int, k kernel.Kernel[kernel.Vec]) float64 {
	p := draw.Must(learn.Classify(x, class))
	r := draw.Must(tune.NewSearch(p, tune.Try("svm", k, tune.Over("C", learn.LogSpace(0.01, 1000, 11)...))).Run(ctx))
	return r.Best.Params[0].Value
}
