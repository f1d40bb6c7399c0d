package gram

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

func TestNystromIsExactWhenRankSuffices(t *testing.T) {
	x := points(200, 3, 21)
	var lin kernel.Kernel[kernel.Vec] = kernel.Linear{}
	a, err := Nystrom(context.Background(), lin, x, []int{0, 5, 9, 9, 17}, LowRankOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Rank() != 3 {
		t.Errorf("rank %d, want 3: dependent and repeated centres must go", a.Rank())
	}
	checkAccess(t, "nystrom", a, loop(lin, x, x), 1e-11)
	if math.Abs(a.Report.TraceError) > 1e-9*a.Report.Trace || a.Report.MaxAbs > 1e-9 {
		t.Errorf("report of an exact approximation: %v", a.Report)
	}
	y := points(30, 3, 22)
	c, err := a.Cross(context.Background(), y)
	if err != nil {
		t.Fatal(err)
	}
	checkAccess(t, "nystrom cross", c, loop(lin, y, x), 1e-11)
}

func TestIncompleteCholesky(t *testing.T) {
	x := points(300, 2, 23)
	want := loop(gauss, x, x)
	a, err := IncompleteCholesky(context.Background(), gauss, x, LowRankOptions{Tolerance: 1e-4})
	if err != nil {
		t.Fatal(err)
	}
	r := a.Report
	if r.TraceError > 1e-4*300 || r.TraceError < 0 || r.Rank >= 100 {
		t.Errorf("%v", r)
	}
	// The report tells the truth: recompute the trace and check the bound.
	trace := 300.0
	for i := range 300 {
		trace -= dot(a.f.Row(i), a.f.Row(i))
	}
	if math.Abs(trace-r.TraceError) > 1e-10 {
		t.Errorf("trace error %g, reported %g", trace, r.TraceError)
	}
	if r.Spectral > r.TraceError*(1+1e-9) || r.MaxAbs > r.TraceError || r.RMS > r.MaxAbs {
		t.Errorf("inconsistent report %v", r)
	}
	// It is Nyström on its pivots, also at new points.
	f := mat.NewDense(300, a.Rank(), nil)
	a.Map.FeaturesTo(context.Background(), f, x)
	if !mat.EqualApprox(f, a.Factor(), 1e-8) {
		t.Error("the map does not reproduce the factor")
	}
	// Full rank is the matrix itself.
	full, err := IncompleteCholesky(context.Background(), gauss, x, LowRankOptions{Tolerance: 1e-13})
	if err != nil {
		t.Fatal(err)
	}
	checkAccess(t, "cholesky", full, want, 1e-9)
	capped, err := IncompleteCholesky(context.Background(), gauss, x, LowRankOptions{MaxRank: 5})
	if err != nil || capped.Rank() != 5 {
		t.Errorf("rank %d %v", capped.Rank(), err)
	}
}

// clustered has 900 points in one tight cluster and 20 far singles: uniform
// sampling misses the singles.
func clustered() data.DenseRows {
	m := mat.NewDense(920, 2, nil)
	p, q := points(900, 2, 24), points(20, 2, 25)
	for i := range 900 {
		m.Set(i, 0, 0.1*p.At(i)[0])
		m.Set(i, 1, 0.1*p.At(i)[1])
	}
	for i := range 20 {
		m.Set(900+i, 0, 30*q.At(i)[0])
		m.Set(900+i, 1, 30*q.At(i)[1])
	}
	return data.Rows(m)
}

func TestCentersFindTheRarePoints(t *testing.T) {
	x := clustered()
	const m = 60
	uniform, err := UniformCenters(920, m, 1)
	if err != nil {
		t.Fatal(err)
	}
	kmeans, err := KMeansCenters(context.Background(), gauss, x, m, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	leverage, err := LeverageCenters(context.Background(), gauss, x, m, 0.01, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	auto, err := LeverageCenters(context.Background(), gauss, x, m, 0, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	errorOf := func(index []int) float64 {
		if s := slices.Sorted(slices.Values(index)); len(slices.Compact(s)) != len(index) {
			t.Errorf("a centre was drawn twice: %v", index)
		}
		a, err := Nystrom(context.Background(), gauss, x, index, LowRankOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return a.Report.TraceError
	}
	u, k, l, au := errorOf(uniform), errorOf(kmeans), errorOf(leverage), errorOf(auto)
	if k > u/5 || l > u/5 || au > u/5 {
		t.Errorf("trace errors: uniform %g, k-means++ %g, leverage %g, automatic leverage %g", u, k, l, au)
	}
}

func TestLeverageScoresAreCloseToExact(t *testing.T) {
	x := clustered()
	lambda := 0.05
	k := linalg.Of(loop(gauss, x, x))
	reg := k.Clone()
	for i := range reg.Rows {
		reg.Row(i)[i] += lambda
	}
	c, err := linalg.NewCholesky(0, reg)
	if err != nil {
		t.Fatal(err)
	}
	b := k.Clone()
	c.Solve(0, b)
	got, err := LeverageScores(context.Background(), gauss, x, lambda, 200, 0, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		exact := b.At(i, i)
		if v < 0.5*exact || v > 3*exact+0.05 {
			t.Errorf("score %d is %g, exact %g", i, v, exact)
		}
	}
	if _, err := LeverageScores(context.Background(), gauss, x, -1, 10, 0, 1); err == nil {
		t.Error("negative lambda accepted")
	}
}

func TestLowRankBadInput(t *testing.T) {
	x := points(10, 2, 1)
	for want, f := range map[string]func() error{
		"0 centres":  func() error { _, err := UniformCenters(10, 0, 1); return err },
		"11 centres": func() error { _, err := KMeansCenters(context.Background(), gauss, x, 11, 0, 1); return err },
		"12 centres": func() error { _, err := LeverageCenters(context.Background(), gauss, x, 12, 0, 0, 1); return err },
		"row 10": func() error {
			_, err := Nystrom(context.Background(), gauss, x, []int{10}, LowRankOptions{})
			return err
		},
		"no centres":   func() error { _, err := Nystrom(context.Background(), gauss, x, nil, LowRankOptions{}); return err },
		"rank 1 and 2": func() error { _, err := FromFactors(random(2, 1, 1), random(2, 2, 1), 0); return err },
		"K is zero": func() error {
			_, err := IncompleteCholesky[kernel.Vec](context.Background(), kernel.Linear{}, data.Rows(mat.NewDense(3, 1, nil)),
				LowRankOptions{})
			return err
		},
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	// Degenerate but legal: all points the same.
	same := data.Rows(mat.NewDense(6, 2, nil))
	if c, err := KMeansCenters(context.Background(), gauss, same, 3, 0, 1); err != nil || len(c) != 1 {
		t.Errorf("equal points: centres %v, %v", c, err)
	}
	if a, err := IncompleteCholesky(context.Background(), gauss, same, LowRankOptions{}); err != nil || a.Rank() != 1 {
		t.Errorf("equal points: %v", err)
	}
	if c, err := LeverageCenters(context.Background(), gauss, same, 3, 0, 0, 1); err != nil || len(c) != 3 {
		t.Errorf("equal points: leverage centres %v, %v", c, err)
	}
	one := points(1, 2, 1)
	if c, err := LeverageCenters(context.Background(), gauss, one, 1, 0, 0, 1); err != nil || len(c) != 1 {
		t.Errorf("one point: leverage centres %v, %v", c, err)
	}
}

func TestLowRankSameBitsAtAnyThreadCount(t *testing.T) {
	x := points(1000, 3, 31)
	var first []float64
	for _, threads := range datatest.Threads() {
		c, err := LeverageCenters(context.Background(), gauss, x, 50, 0, threads, 5)
		if err != nil {
			t.Fatal(err)
		}
		kc, err := KMeansCenters(context.Background(), gauss, x, 30, threads, 5)
		if err != nil {
			t.Fatal(err)
		}
		a, err := Nystrom(context.Background(), gauss, x, append(c, kc...), LowRankOptions{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		b, err := IncompleteCholesky(context.Background(), gauss, x, LowRankOptions{Threads: threads, MaxRank: 40})
		if err != nil {
			t.Fatal(err)
		}
		bits := append(slices.Clone(a.f.Data), b.f.Data...)
		bits = append(bits, a.Report.Spectral, b.Report.RMS)
		if first == nil {
			first = bits
		} else if !slices.Equal(first, bits) {
			t.Fatalf("bits differ at %d threads", threads)
		}
	}
}
