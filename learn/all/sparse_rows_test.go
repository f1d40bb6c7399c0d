package all

import (
	"context"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/internal/learntest"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/ridge"
	"gonum.org/v1/gonum/mat"
)

// Ridge, Gaussian processes and logistic regression give on sparse rows and on
// a precomputed matrix what they give on dense rows.
func TestLearnersOnSparseRowsAndPrecomputedMatrices(t *testing.T) {
	const n, d = 60, 6
	x, y := learntest.Wave(n, d, 70)
	label := make([]int, n)
	rows := make([]data.SparseVec, n)
	for i := range n {
		for j := range d {
			if (i+j)%3 != 0 {
				x.Set(i, j, 0)
			} else {
				rows[i].Index = append(rows[i].Index, int32(j))
				rows[i].Value = append(rows[i].Value, x.At(i, j))
			}
		}
		if y[i] > 2 {
			label[i] = 1
		}
	}
	dense, sparse := data.Rows(x), data.SparseOf(rows, d)
	k := kernel.Gaussian{Lengthscale: 1.5}
	ks := learntest.Must[kernel.Kernel[data.SparseVec]](t)(kernel.OnSparse(k, d))
	g := mat.NewDense(n, n, nil)
	kernel.Block[kernel.Vec](context.Background(), k, g, dense, dense)
	kp := kernel.Precomputed{K: g}

	want := learntest.Must[*ridge.Regressor[kernel.Vec]](t)(ridge.Regression[kernel.Vec]{Kernel: k, Intercept: true}.Fit(learntest.Ctx, dense, y)).Predict(nil, dense)
	learntest.AllNear(t, "ridge, sparse", learntest.Must[*ridge.Regressor[data.SparseVec]](t)(ridge.Regression[data.SparseVec]{Kernel: ks, Intercept: true}.Fit(learntest.Ctx, sparse, y)).Predict(nil, sparse), want, 1e-10)

	fixed := gp.HyperOptions{FixedKernel: true}
	a := learntest.Must[*gp.Regressor[kernel.Vec]](t)(gp.Regression[kernel.Vec]{Kernel: k, HyperOptions: fixed}.Fit(learntest.Ctx, dense, y))
	b := learntest.Must[*gp.Regressor[data.SparseVec]](t)(gp.Regression[data.SparseVec]{Kernel: ks, HyperOptions: fixed}.Fit(learntest.Ctx, sparse, y))
	c := learntest.Must[*gp.Regressor[int]](t)(gp.Regression[int]{Kernel: kp}.Fit(learntest.Ctx, data.Indices(n), y))
	for _, v := range [][]float64{b.Variance(nil, sparse), c.Variance(nil, data.Indices(n))} {
		learntest.AllNear(t, "variance", v, a.Variance(nil, dense), 1e-5)
	}
	learntest.Near(t, "noise", c.Noise(), a.Noise(), 1e-6)

	l := learntest.Must[*logistic.Classifier[kernel.Vec, int]](t)(logistic.Regression[kernel.Vec, int]{Kernel: k, Intercept: true}.Fit(learntest.Ctx, dense, label)).Proba(nil, dense)
	ls := learntest.Must[*logistic.Classifier[data.SparseVec, int]](t)(logistic.Regression[data.SparseVec, int]{Kernel: ks, Intercept: true}.Fit(learntest.Ctx, sparse, label)).Proba(nil, sparse)
	lp := learntest.Must[*logistic.Classifier[int, int]](t)(logistic.Regression[int, int]{Kernel: kp, Intercept: true}.Fit(learntest.Ctx, data.Indices(n), label)).Proba(nil, data.Indices(n))
	gc := learntest.Must[*gp.Classifier[data.SparseVec, int]](t)(gp.Classification[data.SparseVec, int]{Kernel: ks, HyperOptions: fixed}.Fit(learntest.Ctx, sparse, label))
	gd := learntest.Must[*gp.Classifier[kernel.Vec, int]](t)(gp.Classification[kernel.Vec, int]{Kernel: k, HyperOptions: fixed}.Fit(learntest.Ctx, dense, label))
	for i := range n {
		learntest.Near(t, "logistic, sparse", ls.At(i, 1), l.At(i, 1), 1e-6)
		learntest.Near(t, "logistic, precomputed", lp.At(i, 1), l.At(i, 1), 1e-6)
	}
	learntest.Near(t, "evidence", gc.LogMarginal(), gd.LogMarginal(), 1e-10)
}
