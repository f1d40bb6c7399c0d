package linalg

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/par"
)

func shapes() [][2]int {
	s := [][2]int{}
	for _, m := range []int{0, 1, 2, 5, 16, 17, 31, 33, 95, 96, 97, 130, 200} {
		for _, n := range []int{0, 1, 2, 7, 15, 16, 17, 32, 33, 48, 96, 97, 130} {
			s = append(s, [2]int{m, n})
		}
	}
	return s
}

// checkQR checks that Q is orthogonal and that Q·R is a, columns in order perm.
func checkQR(t *testing.T, what string, q *QR, a Matrix[float64], perm []int) {
	t.Helper()
	m, n := a.Rows, a.Cols
	k := min(m, n)
	want := New[float64](m, n)
	for i := range m {
		for j := range n {
			want.Set(i, j, a.At(i, perm[j]))
		}
	}
	thin, r := q.ThinQ(2), q.R()
	bound := 20 * float64(m+n+1) * eps64
	within(t, what+" ‖A−QR‖", gap(want, naiveMul(thin, r)), bound*(1+frobenius(a)))
	id := New[float64](k, k)
	for i := range k {
		id.Set(i, i, 1)
	}
	within(t, what+" ‖QᵀQ−I‖", gap(naiveMul(transposed(thin), thin), id), bound*math.Sqrt(float64(k)+1))
	// Qᵀ·A = R with zeros below, and Q takes it back.
	x := want.Clone()
	q.MulQ(2, Trans, x)
	full := New[float64](m, n)
	for i := range k {
		copy(full.Row(i), r.Row(i))
	}
	within(t, what+" ‖QᵀA−R‖", gap(x, full), bound*(1+frobenius(a)))
	q.MulQ(2, NoTrans, x)
	within(t, what+" ‖QQᵀA−A‖", gap(x, want), 2*bound*(1+frobenius(a)))
}

func TestQROfEveryShape(t *testing.T) {
	for _, s := range shapes() {
		m, n := s[0], s[1]
		a := fillNormal(New[float64](m, n), uint64(m*1000+n))
		g, check := inNaN[float64](m, n)
		g.CopyFrom(a)
		q := NewQR(2, g)
		check(t)
		checkQR(t, fmt.Sprintf("%d×%d", m, n), q, a, par.Indices(0, n))
	}
}

func TestPivotedQROfEveryShape(t *testing.T) {
	for _, s := range shapes() {
		m, n := s[0], s[1]
		a := fillNormal(New[float64](m, n), uint64(m*1000+n))
		g, check := inNaN[float64](m, n)
		g.CopyFrom(a)
		q := NewPivotedQR(2, g)
		check(t)
		what := fmt.Sprintf("pivoted %d×%d", m, n)
		checkQR(t, what, &q.QR, a, q.Perm)
		r := q.R()
		for i := range r.Rows {
			// The pivot is the largest: |rᵢᵢ| is at least the norm of every later
			// column from row i on.
			for j := i + 1; j < n; j++ {
				s := 0.0
				for k := i; k <= min(j, r.Rows-1); k++ {
					s += r.At(k, j) * r.At(k, j)
				}
				if math.Sqrt(s) > math.Abs(r.At(i, i))*(1+1e-10) {
					t.Fatalf("%s: column %d has norm %g left at step %d, pivot %g", what, j, math.Sqrt(s), i, r.At(i, i))
				}
			}
		}
		if want := min(m, n); q.Rank(0) != want {
			t.Fatalf("%s: rank %d, want %d", what, q.Rank(0), want)
		}
	}
}

func TestPivotedQRRevealsTheRank(t *testing.T) {
	for _, r := range []int{0, 1, 5, 40} {
		a := naiveMul(fillNormal(New[float64](120, r), 1), fillNormal(New[float64](r, 80), 2))
		q := NewPivotedQR(0, a.Clone())
		if got := q.Rank(0); got != r {
			t.Errorf("rank %d, want %d", got, r)
		}
		checkQR(t, "low rank", &q.QR, a, q.Perm)
		x := fillNormal(New[float64](80, 2), 3)
		b := naiveMul(a, x)
		got, err := q.Solve(0, b.Clone(), r)
		if err != nil {
			t.Fatal(err)
		}
		within(t, "consistent system", gap(naiveMul(a, got), b), 1e-9)
	}
}

// TestPivotedQRDoesNotTrustCancelledNorms is the case of Drmač and Bujanović:
// after one step what remains of a column is at the rounding of what was
// there, and a norm downdated without a recount would be noise.
func TestPivotedQRDoesNotTrustCancelledNorms(t *testing.T) {
	const m, n = 60, 40
	a := fillNormal(New[float64](m, n), 1)
	for i := range m {
		for j := range n {
			a.Set(i, j, 1e9*a.At(i, 0)+math.Pow(10, -float64(j)/4)*a.At(i, j))
		}
	}
	q := NewPivotedQR(0, a.Clone())
	r := q.R()
	for i := 1; i < n; i++ {
		if math.Abs(r.At(i, i)) > math.Abs(r.At(i-1, i-1))*(1+1e-7) {
			t.Fatalf("|R| rises from %g to %g at %d", r.At(i-1, i-1), r.At(i, i), i)
		}
	}
	checkQR(t, "cancelled", &q.QR, a, q.Perm)
}

func TestQRExtremeScales(t *testing.T) {
	for _, scale := range []float64{1e-310, 1e-300, 1e-160, 1e160, 1e306} {
		a := fillNormal(New[float64](9, 4), 1)
		for i := range a.Data {
			a.Data[i] *= scale
		}
		for name, q := range map[string]*QR{"plain": NewQR(0, a.Clone()), "pivoted": &NewPivotedQR(0, a.Clone()).QR} {
			thin := q.ThinQ(0)
			id := New[float64](4, 4)
			for i := range 4 {
				id.Set(i, i, 1)
			}
			tol := 1e-14
			if scale < 1e-305 {
				tol = 1e-10
			}
			within(t, fmt.Sprintf("%s at scale %g: ‖QᵀQ−I‖", name, scale), gap(naiveMul(transposed(thin), thin), id), tol)
			if d := q.R().At(0, 0); d == 0 || math.IsInf(d, 0) || d != d {
				t.Fatalf("%s at scale %g: R₀₀ = %g", name, scale, d)
			}
		}
	}
}

func TestQRLeastSquares(t *testing.T) {
	a := fillNormal(New[float64](150, 110), 1)
	b := fillNormal(New[float64](150, 3), 2)
	for name, solve := range map[string]func(b Matrix[float64]) (Matrix[float64], error){
		"plain":   func(b Matrix[float64]) (Matrix[float64], error) { return NewQR(0, a.Clone()).Solve(0, b) },
		"pivoted": func(b Matrix[float64]) (Matrix[float64], error) { return NewPivotedQR(0, a.Clone()).Solve(0, b, 110) },
	} {
		x, err := solve(b.Clone())
		if err != nil {
			t.Fatal(err)
		}
		r := naiveMul(a, x)
		subtract(r, b)
		// The normal equations: the residual is orthogonal to every column.
		within(t, name+" ‖Aᵀr‖", frobenius(naiveMul(transposed(a), r)), 1e-10)
	}
}

func TestQRSaysWhereItIsSingular(t *testing.T) {
	a := fillNormal(New[float64](5, 3), 1)
	for i := range 5 {
		a.Set(i, 1, 0)
	}
	_, err := NewQR(0, a.Clone()).Solve(0, New[float64](5, 1))
	var s *Singular
	if !errors.As(err, &s) || s.Pivot != 1 || s.Value != 0 {
		t.Errorf("zero column: %v", err)
	}
	q := NewPivotedQR(0, a.Clone())
	if _, err = q.Solve(0, New[float64](5, 1), 3); !errors.As(err, &s) || s.Pivot != 2 {
		t.Errorf("pivoted, zero column: %v", err)
	}
	if q.Rank(0) != 2 {
		t.Errorf("rank %d, want 2", q.Rank(0))
	}
	if q := NewPivotedQR(0, New[float64](4, 3)); q.Rank(0) != 0 {
		t.Errorf("rank of zero is %d", q.Rank(0))
	}
}

func TestQRSameBitsAtAnyThreadCount(t *testing.T) {
	a := fillNormal(New[float64](700, 300), 1)
	one, onePivoted := NewQR(1, a.Clone()), NewPivotedQR(1, a.Clone())
	for _, threads := range []int{2, 8} {
		sameBits(t, "QR", one.a, NewQR(threads, a.Clone()).a)
		sameBits(t, "pivoted QR", onePivoted.a, NewPivotedQR(threads, a.Clone()).a)
		sameBits(t, "thin Q", one.ThinQ(1), one.ThinQ(threads))
	}
}
