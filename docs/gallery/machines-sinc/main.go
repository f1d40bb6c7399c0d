// Four machines on a hundred points of a noisy sinc under a Gaussian kernel of width 0.3: the
// curves, the points kept, and all hundred coefficients.
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
	set := data.Sinc(100, 0.1, 1)
	x, y := draw.Points(set), draw.Values(set)
	k := kernel.Gaussian{Lengthscale: 0.3}
	var fits, weights []*draw.Panel
	show := func(title string, m learn.Regressor[kernel.Vec]) {
		f, at := m.Func(), draw.Even(-5, 5, 300)
		coef := map[float64]float64{}
		for c := range f.Centers.Len() {
			coef[f.Centers.At(c)[0]] = f.Coef.At(c, 0)
		}
		var px, py, number, value []float64
		for i := range y {
			v := coef[x.At(i)[0]]
			if v != 0 {
				number, value = append(number, float64(i)), append(value, v)
				px, py = append(px, x.At(i)[0]), append(py, y[i])
			}
		}
		p := draw.New(fmt.Sprintf("%s: %d kept", title, len(px)), "x", "y")
		p.Grains("observations", draw.Coordinate(x, 0), y)
		p.Rings("kept", px, py)
		p.Curve("found", 0, at, draw.Must(m.Predict(ctx, data.Line(at))))
		p.Range(-5, 5, -0.6, 1.3)
		w := draw.New("coefficients", "observation", "α")
		w.Stems("coefficients that are not 0", 1, number, value)
		w.Wide(0, 99)
		fits, weights = append(fits, p), append(weights, w)
	}
	show("L2VM, λ = 0.5", draw.Must(sparse.L2VM[kernel.Vec]{Kernel: k, Options: sparse.Options{Lambda: 0.5}}.Fit(ctx, x,
		y)))
	show("L1VM, λ = 0.5", draw.Must(sparse.L1VM[kernel.Vec]{Kernel: k, Options: sparse.Options{Lambda: 0.5}}.Fit(ctx, x,
		y)))
	show("RVM", draw.Must(sparse.RVM[kernel.Vec]{Kernel: k}.Fit(ctx, x, y)))
	search := tune.NewSearch(learn.Regress(x, y), tune.Try("svm", k, tune.Over("C", learn.LogSpace(0.1, 1000, 9)...)))
	price := draw.Must(search.Run(ctx)).Best.Params[0].Value
	show(fmt.Sprintf("SVM, C = %.2g", price),
		draw.Must(svm.Regression[kernel.Vec]{Kernel: k, C: price, Epsilon: 0.1}.Fit(ctx, x, y)))
	draw.Save("machines-sinc", 4, append(fits, weights...)...)
}
