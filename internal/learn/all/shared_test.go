package all

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/svm"
	"gonum.org/v1/gonum/mat"
)

// TestWeightTwoIsARowTwice: where a weight multiplies the loss of a point, weight 2 is that point
// twice. Not so for those that step from point to point (perceptron, NORMA), that count neighbours
// or draw centres, whose basis functions come twice under a squared penalty (L2VM, RVM), or whose ν
// counts points.
func TestWeightTwoIsARowTwice(t *testing.T) {
	const n = 50
	x, code := learntest.Blobs(n, 2, 2, 1.5, 84)
	y, w := make([]float64, n), make([]float64, n)
	twice := par.Indices(0, n)
	for i := range y {
		y[i], w[i] = math.Sin(x.At(i, 0))+0.3*float64(i%4), 1
		if i%3 == 0 {
			w[i] = 2
			twice = append(twice, i)
		}
	}
	p := data.Points[kernel.Vec](data.Rows(x))
	code2, y2 := make([]int, len(twice)), make([]float64, len(twice))
	for a, i := range twice {
		code2[a], y2[a] = code[i], y[i]
	}
	values := func(m fittedMachine[kernel.Vec]) []float64 { return valuesOf(t, m.Model, p) }
	k := kernel.Gaussian{Lengthscale: 1.5}
	for name, tol := range map[string]float64{
		"ridge": 1e-8, "ridge cholesky": 1e-8, "ridge mixed": 1e-8, "ridge cg": 1e-7, "ridge classifier": 1e-8,
		"logistic": 1e-6, "truncated": 1e-6, "ordinal": 1e-6, "sparse logistic": 1e-3, "l1vm": 1e-2, "l1vm classifier": 1e-2,
		"c-svc": 1e-5, "c-svc one-vs-rest": 1e-5, "epsilon-svr": 1e-5, "primal svc": 1e-5, "fisher": 1e-8, "medoid": 1e-12,
		"centroid":    1e-12,
		"hard margin": 1e-5, "linear svc": 1e-5, "smoothing spline": 1e-8, "gp": 1e-7, "gp classifier": 1e-5,
		"thin plate": 1e-7, "nw local": 1e-8,
	} {
		fit := allMachines[kernel.Vec]()[name]
		a, err := fit(learntest.Ctx, k, fitOptions[int]{sample: w}, p, code, y)
		if err != nil {
			t.Fatal(name, err)
		}
		b, err := fit(learntest.Ctx, k, fitOptions[int]{}, data.Gather(p, twice), code2, y2)
		if err != nil {
			t.Fatal(name, err)
		}
		va, vb := values(a), values(b)
		for i := range va {
			if math.Abs(va[i]-vb[i]) > tol*(1+math.Abs(vb[i])) {
				t.Errorf("%s: %g with weights, %g with repeated rows", name, va[i], vb[i])
				break
			}
		}
	}
}

// TestAClassMissingInAFold: a model of the rest knows its own classes, in their order, and predicts
// no other; probabilities have a column for each and agree with Predict.
func TestAClassMissingInAFold(t *testing.T) {
	names := []string{"ash", "birch", "cedar", "elm"}
	x, code := learntest.Blobs(80, 2, 4, 1, 85)
	all := data.Points[kernel.Vec](data.Rows(x))
	var fold []int
	var label []string
	for i, c := range code {
		if c != 1 {
			fold, label = append(fold, i), append(label, names[c])
		}
	}
	want := []string{"ash", "cedar", "elm"}
	for name, fit := range classMachines[kernel.Vec, string]() {
		m, err := fit(learntest.Ctx, kernel.Gaussian{Lengthscale: 2},
			fitOptions[string]{class: map[string]float64{"birch": 3, "elm": 1}}, data.Gather(all, fold), label)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Equal(m.Classes(), want) {
			t.Errorf("%s: classes %v", name, m.Classes())
		}
		got := modeltest.Predict(t, m, all)
		right := 0
		for i, l := range got {
			if !slices.Contains(want, l) {
				t.Errorf("%s: predicts %q", name, l)
				break
			}
			if l == names[code[i]] {
				right++
			}
		}
		if right < 30 { // of 60 that can be; chance is 20
			t.Errorf("%s: %d of 60 right", name, right)
		}
		// Platt's probabilities of pairs are coupled: their best class need not be that of the
		// votes. A grade is the median of its probabilities.
		if p, ok := m.(learn.Probabilistic[kernel.Vec]); ok && !p.HasProba() {
			if _, err := p.Proba(learntest.Ctx, all); !errors.Is(err, learn.ErrNoProba) {
				t.Errorf("%s was fitted without probabilities: error %v", name, err)
			}
		} else if ok && name != "svc probability" {
			q := modeltest.Proba(t, p, all)
			for i, l := range got {
				row := q.RawRowView(i)
				if len(row) != 3 || math.Abs(fitting.Sum(row)-1) > 1e-9 || want[learn.ArgMax(row)] != l && name != "ordinal" {
					t.Errorf("%s: probabilities %v of a point predicted %q", name, row, l)
					break
				}
			}
		}
	}
}

// values is the decision values of a detector.
func values[T any](t *testing.T, m *svm.Detector[T], x data.Points[T]) []float64 {
	return modeltest.Decision(t, m, x).RawMatrix().Data
}

// TestUnlabelledAndLinearMachinesOnEveryKindOfPoints: what the tables of classifiers and
// regressions leave out.
func TestUnlabelledAndLinearMachinesOnEveryKindOfPoints(t *testing.T) {
	const n = 60
	x, code := learntest.Blobs(n, 3, 2, 1, 86)
	rows := make([]data.SparseVec, n)
	for i := range n {
		for j := range 3 {
			if (i+j)%3 == 0 {
				x.Set(i, j, 0)
			} else {
				rows[i].Index, rows[i].Value = append(rows[i].Index, int32(j)), append(rows[i].Value, x.At(i, j))
			}
		}
	}
	dense, sparse := data.Rows(x), data.SparseOf(rows, 3)
	k := kernel.Gaussian{Lengthscale: 1.5}
	ks := modeltest.Must(kernel.OnSparse(k, 3))(t)
	g := mat.NewDense(n, n, nil)
	kernel.Block[kernel.Vec](context.Background(), k, g, dense, dense)
	o := svm.Options{Tol: 1e-7}
	want := values(t, modeltest.Must(svm.OneClass[kernel.Vec]{Kernel: k, Nu: 0.3, Options: o}.Fit(learntest.Ctx,
		dense))(t), dense)
	bySparse := modeltest.Must(svm.OneClass[data.SparseVec]{Kernel: ks, Nu: 0.3, Options: o}.Fit(learntest.Ctx, sparse))(t)
	byMatrix := modeltest.Must(svm.OneClass[int]{Kernel: kernel.Precomputed{K: g}, Nu: 0.3, Options: o}.Fit(learntest.Ctx,
		data.Indices(n)))(t)
	learntest.AllNear(t, "one-class, sparse", values(t, bySparse, sparse), want, 1e-5)
	learntest.AllNear(t, "one-class, precomputed", values(t, byMatrix, data.Points[int](data.Indices(n))), want, 1e-5)

	linear := svm.LinearClassification[kernel.Vec, int]{Tol: 1e-6, Seed: 1, MaxIterations: 100000}
	a := modeltest.Predict(t, modeltest.Must(linear.Fit(context.Background(), dense, code))(t), dense)
	b := modeltest.Predict(t, modeltest.Must(svm.LinearClassification[data.SparseVec, int]{Tol: 1e-6, Seed: 1,
		MaxIterations: 100000}.Fit(context.Background(), sparse, code))(t), sparse)
	if !slices.Equal(a, b) {
		t.Error("linear svc: sparse rows are predicted otherwise than dense ones")
	}
}
