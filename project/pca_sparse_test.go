package project

import (
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// With explicit features a component is a vector: what takes its place is its least squares fit by
// the rows of the points kept, made of length 1, and its scores are inner products with the
// features about their mean.
func TestSparsePCAInExplicitFeatures(t *testing.T) {
	const n, d, kept = 40, 6, 4
	rows := gaussianRows(n, d, 3)
	for j := range d { // variances apart, and a mean that is not 0
		for i := range n {
			rows.Set(i, j, rows.At(i, j)*float64(d-j)+float64(j))
		}
	}
	full, err := PCA[kernel.Vec]{Kernel: kernel.Linear{}, Components: 3}.Fit(t.Context(), data.Rows(rows))
	if err != nil {
		t.Fatal(err)
	}
	m, err := SparsePCA[kernel.Vec]{PCA: PCA[kernel.Vec]{Kernel: kernel.Linear{}, Components: 3},
		Points: kept}.Fit(t.Context(), data.Rows(rows))
	if err != nil {
		t.Fatal(err)
	}
	mean := make([]float64, d)
	for i := range n {
		for j, v := range rows.RawRowView(i) {
			mean[j] += v / n
		}
	}
	scores, err := m.Transform(t.Context(), data.Rows(rows))
	if err != nil {
		t.Fatal(err)
	}
	f := full.Func()
	for c := range 3 {
		v := mat.NewVecDense(d, nil)
		for i := range n {
			v.AddScaledVec(v, f.Coef.At(i, c), mat.NewVecDense(d, rows.RawRowView(i)))
		}
		span := mat.NewDense(d, kept, nil)
		for a, i := range largest(f.Coef, c, kept) {
			span.SetCol(a, rows.RawRowView(i))
		}
		var beta, near mat.VecDense
		if err := beta.SolveVec(span, v); err != nil {
			t.Fatal(err)
		}
		near.MulVec(span, &beta)
		length := mat.Norm(&near, 2)
		if got, want := m.Alignment()[c], mat.Dot(&near, v)/length; math.Abs(got-want) > 1e-9 || want > 1-1e-6 {
			t.Errorf("component %d: alignment %g, want %g, below 1", c, got, want)
		}
		variance := 0.0
		for i := range n {
			want := 0.0
			for j, x := range rows.RawRowView(i) {
				want += (x - mean[j]) * near.AtVec(j) / length
			}
			variance += want * want / n
			if got := scores.At(i, c); math.Abs(got-want) > 1e-8 {
				t.Errorf("component %d, point %d: score %g, want %g", c, i, got, want)
			}
		}
		if got := m.Variance()[c]; math.Abs(got-variance) > 1e-8 || got > full.Variance()[0]*(1+1e-9) {
			t.Errorf("component %d: variance %g, want %g, at most the first one's", c, got, variance)
		}
	}
	if got := m.Func().Centers.Len(); got > 3*kept || got < kept {
		t.Errorf("%d centres of three components of %d points", got, kept)
	}
}

// More points are nearer; all of them are the component itself, by every solver.
func TestSparsePCAOfAllPoints(t *testing.T) {
	x := data.Rows(gaussianRows(50, 2, 1))
	for _, s := range solvers {
		config := PCA[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 2}, Components: 2, Solver: s,
			LowRank: LowRank{Tolerance: 1e-12}}
		full, err := config.Fit(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		want, err := full.Transform(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		before := 0.0
		for _, points := range []int{1, 2, 5, 20, 50, 500} {
			m, err := SparsePCA[kernel.Vec]{PCA: config, Points: points}.Fit(t.Context(), x)
			if err != nil {
				t.Fatal(err)
			}
			a := m.Alignment()[0]
			if a < before-1e-9 {
				t.Errorf("%v: %d points have the alignment %g, fewer had %g", s, points, a, before)
			}
			before = a
			if points < 50 {
				continue
			}
			got, err := m.Transform(t.Context(), x)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(a-1) > 1e-6 || !mat.EqualApprox(got, want, 1e-4) {
				t.Errorf("%v: all points have the alignment %g, or other scores", s, a)
			}
		}
	}
}

func TestSparsePCARefuses(t *testing.T) {
	x := data.Rows(gaussianRows(10, 2, 1))
	for want, p := range map[string]SparsePCA[kernel.Vec]{
		"0 points":  {PCA: PCA[kernel.Vec]{Kernel: kernel.Linear{}}},
		"no kernel": {Points: 2},
	} {
		if _, err := p.Fit(t.Context(), x); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	same := mat.NewDense(5, 2, []float64{1, 2, 1, 2, 1, 2, 3, 4, 3, 4}) // duplicates: K_SS is singular
	m, err := SparsePCA[kernel.Vec]{PCA: PCA[kernel.Vec]{Kernel: kernel.Linear{}, Components: 1},
		Points: 4}.Fit(t.Context(), data.Rows(same))
	if err != nil || math.Abs(m.Alignment()[0]-1) > 1e-9 {
		t.Errorf("duplicates: %v", err)
	}
}
