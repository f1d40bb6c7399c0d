package gram

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
)

// exactScores is the diagonal of K(K+λ)⁻¹.
func exactScores(t *testing.T, x data.DenseRows, lambda float64) []float64 {
	t.Helper()
	full := linalg.Of(loop(gauss, x, x))
	inverse := full.Clone()
	for i := range full.Rows {
		inverse.Row(i)[i] += lambda
	}
	c, err := linalg.NewCholesky(1, inverse)
	if err != nil {
		t.Fatal(err)
	}
	c.Solve(1, full)
	out := make([]float64, full.Rows)
	for i := range out {
		out[i] = full.At(i, i)
	}
	return out
}

// With all rows as the sample the scores are those of the definition; with half of them within a
// factor of three, as those of BLESS.
func TestSampleScores(t *testing.T) {
	const n, lambda = 240, 0.5
	x := points(n, 2, 8)
	want := exactScores(t, x, lambda)
	for sample, tol := range map[int]float64{n: 1e-10, n / 2: math.Log(3)} {
		s, err := NewSampleScores(t.Context(), gauss, data.Span(data.Points[kernel.Vec](x), 0, sample), n, 50, lambda, 2)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, n)
		for lo := 0; lo < n; lo += 37 { // wherever the rows are
			hi := min(lo+37, n)
			if err := s.ScoresTo(t.Context(), got[lo:hi], data.Span(data.Points[kernel.Vec](x), lo, hi)); err != nil {
				t.Fatal(err)
			}
		}
		for i, v := range got {
			if math.Abs(math.Log(v/want[i])) > tol {
				t.Errorf("sample of %d: score of row %d is %g, want %g", sample, i, v, want[i])
			}
		}
	}
}

// A ridge of 0 is chosen by the number of centres: more of them, a smaller one; and it is for all
// rows, not for the sample.
func TestSampleScoresChooseLambda(t *testing.T) {
	x := data.Points[kernel.Vec](points(200, 2, 3))
	ridge := func(n, m int) float64 {
		s, err := NewSampleScores(t.Context(), gauss, x, n, m, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		return s.Lambda()
	}
	if few, many := ridge(200, 10), ridge(200, 100); !(few > many) || !(many > 0) {
		t.Errorf("λ = %g for 10 centres, %g for 100", few, many)
	}
	if a, b := ridge(200, 50), ridge(2000, 50); math.Abs(b/a-10) > 1e-9 {
		t.Errorf("λ = %g for 200 rows, %g for ten times as many", a, b)
	}
}

func TestSampleScoresRefuse(t *testing.T) {
	x := data.Points[kernel.Vec](points(10, 2, 1))
	if _, err := NewSampleScores(t.Context(), gauss, x, 9, 3, 1, 1); err == nil {
		t.Error("a sample of more rows than there are")
	}
	for _, lambda := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := NewSampleScores(t.Context(), gauss, x, 20, 3, lambda, 1); err == nil {
			t.Errorf("λ = %g", lambda)
		}
	}
	if _, err := NewSampleScores(t.Context(), gauss, nil, 20, 3, 1, 1); err == nil {
		t.Error("no sample")
	}
	s, err := NewSampleScores(t.Context(), gauss, x, 20, 3, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.ScoresTo(t.Context(), make([]float64, 3), x); err == nil {
		t.Error("3 numbers for 10 rows")
	}
	if err := s.ScoresTo(t.Context(), make([]float64, 5), data.Points[kernel.Vec](points(5, 3, 1))); err == nil {
		t.Error("rows of another dimension")
	}
}
