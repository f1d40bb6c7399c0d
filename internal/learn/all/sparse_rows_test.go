package all

import (
	"context"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/gp"
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
	ks := modeltest.Must(kernel.OnSparse(k, d))(t)
	g := mat.NewDense(n, n, nil)
	kernel.Block[kernel.Vec](context.Background(), k, g, dense, dense)
	kp := kernel.Precomputed{K: g}

	want := modeltest.Predict(t, modeltest.Must(ridge.Regression[kernel.Vec]{Kernel: k, Intercept: true}.Fit(learntest.Ctx,
		dense, y))(t), dense)
	learntest.AllNear(t, "ridge, sparse", modeltest.Predict(t,
		modeltest.Must(ridge.Regression[data.SparseVec]{Kernel: ks, Intercept: true}.Fit(learntest.Ctx, sparse, y))(t),
		sparse), want, 1e-10)

	fixed := gp.HyperOptions{FixedKernel: true}
	a := modeltest.Must(gp.Regression[kernel.Vec]{Kernel: k, HyperOptions: fixed}.Fit(learntest.Ctx, dense, y))(t)
	b := modeltest.Must(gp.Regression[data.SparseVec]{Kernel: ks, HyperOptions: fixed}.Fit(learntest.Ctx, sparse, y))(t)
	c := modeltest.Must(gp.Regression[int]{Kernel: kp}.Fit(learntest.Ctx, data.Indices(n), y))(t)
	for _, v := range [][]float64{modeltest.Variance(t, b, sparse), modeltest.Variance(t, c, data.Indices(n))} {
		learntest.AllNear(t, "variance", v, modeltest.Variance(t, a, dense), 1e-5)
	}
	learntest.Near(t, "noise", c.Noise(), a.Noise(), 1e-6)

	l := modeltest.Proba(t, modeltest.Must(logistic.Regression[kernel.Vec, int]{Kernel: k,
		Intercept: true}.Fit(learntest.Ctx, dense, label))(t), dense)
	ls := modeltest.Proba(t, modeltest.Must(logistic.Regression[data.SparseVec, int]{Kernel: ks,
		Intercept: true}.Fit(learntest.Ctx, sparse, label))(t), sparse)
	lp := modeltest.Proba(t, modeltest.Must(logistic.Regression[int, int]{Kernel: kp, Intercept: true}.Fit(learntest.Ctx,
		data.Indices(n), label))(t), data.Indices(n))
	gc := modeltest.Must(gp.Classification[data.SparseVec, int]{Kernel: ks, HyperOptions: fixed}.Fit(learntest.Ctx, sparse,
		label))(t)
	gd := modeltest.Must(gp.Classification[kernel.Vec, int]{Kernel: k, HyperOptions: fixed}.Fit(learntest.Ctx, dense,
		label))(t)
	for i := range n {
		learntest.Near(t, "logistic, sparse", ls.At(i, 1), l.At(i, 1), 1e-6)
		learntest.Near(t, "logistic, precomputed", lp.At(i, 1), l.At(i, 1), 1e-6)
	}
	learntest.Near(t, "evidence", gc.LogMarginal(), gd.LogMarginal(), 1e-10)
}
