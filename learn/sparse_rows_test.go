package learn

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Ridge, Gaussian processes and logistic regression give on sparse rows and on
// a precomputed matrix what they give on dense rows.
func TestLearnersOnSparseRowsAndPrecomputedMatrices(t *testing.T) {
	const n, d = 60, 6
	x, y := wave(n, d, 70)
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
	ks := must[kernel.Kernel[data.SparseVec]](t)(kernel.OnSparse(k, d))
	g := mat.NewDense(n, n, nil)
	kernel.Block[kernel.Vec](k, g, dense, dense)
	kp := kernel.Precomputed{K: g}

	want := must[*RidgeModel[kernel.Vec]](t)(Ridge[kernel.Vec]{Kernel: k, Intercept: true}.Fit(ctx0, dense, y)).Predict(nil, dense)
	allNear(t, "ridge, sparse", must[*RidgeModel[data.SparseVec]](t)(Ridge[data.SparseVec]{Kernel: ks, Intercept: true}.Fit(ctx0, sparse, y)).Predict(nil, sparse), want, 1e-10)

	fixed := HyperOptions{FixedKernel: true}
	a := must[*GPModel[kernel.Vec]](t)(GP[kernel.Vec]{Kernel: k, HyperOptions: fixed}.Fit(ctx0, dense, y))
	b := must[*GPModel[data.SparseVec]](t)(GP[data.SparseVec]{Kernel: ks, HyperOptions: fixed}.Fit(ctx0, sparse, y))
	c := must[*GPModel[int]](t)(GP[int]{Kernel: kp}.Fit(ctx0, data.Indices(n), y))
	for _, v := range [][]float64{b.Variance(nil, sparse), c.Variance(nil, data.Indices(n))} {
		allNear(t, "variance", v, a.Variance(nil, dense), 1e-5)
	}
	near(t, "noise", c.Noise(), a.Noise(), 1e-6)

	l := must[*LogisticModel[kernel.Vec, int]](t)(Logistic[kernel.Vec, int]{Kernel: k, Intercept: true}.Fit(ctx0, dense, label)).Proba(nil, dense)
	ls := must[*LogisticModel[data.SparseVec, int]](t)(Logistic[data.SparseVec, int]{Kernel: ks, Intercept: true}.Fit(ctx0, sparse, label)).Proba(nil, sparse)
	lp := must[*LogisticModel[int, int]](t)(Logistic[int, int]{Kernel: kp, Intercept: true}.Fit(ctx0, data.Indices(n), label)).Proba(nil, data.Indices(n))
	gc := must[*GPClassifierModel[data.SparseVec, int]](t)(GPClassifier[data.SparseVec, int]{Kernel: ks, HyperOptions: fixed}.Fit(ctx0, sparse, label))
	gd := must[*GPClassifierModel[kernel.Vec, int]](t)(GPClassifier[kernel.Vec, int]{Kernel: k, HyperOptions: fixed}.Fit(ctx0, dense, label))
	for i := range n {
		near(t, "logistic, sparse", ls.At(i, 1), l.At(i, 1), 1e-6)
		near(t, "logistic, precomputed", lp.At(i, 1), l.At(i, 1), 1e-6)
	}
	near(t, "evidence", gc.LogMarginal(), gd.LogMarginal(), 1e-10)
}
