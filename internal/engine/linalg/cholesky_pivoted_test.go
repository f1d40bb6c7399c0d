package linalg

import (
	"errors"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/internal/datatest"
)

// lowRank is B·Bᵀ with B n×r.
func lowRank(n, r int, seed uint64) Matrix[float64] {
	b := fillNormal(New[float64](n, r), seed)
	return naiveMul(b, transposed(b))
}

func columnsOf(a Matrix[float64]) (diag []float64, column func([]float64, int)) {
	diag = make([]float64, a.Rows)
	for i := range diag {
		diag[i] = a.At(i, i)
	}
	return diag, func(dst []float64, j int) {
		for i := range dst {
			dst[i] = a.At(i, j)
		}
	}
}

func bothPivoted(t *testing.T, threads int, a Matrix[float64], o PivotedOptions) (dense, implicit *PivotedCholesky) {
	t.Helper()
	m, check := inNaN[float64](a.Rows, a.Rows)
	setLower(m, a)
	dense, err := NewPivotedCholesky(threads, m, o)
	if err != nil {
		t.Fatalf("dense: %v", err)
	}
	check(t)
	upperStillNaN(t, m)
	diag, column := columnsOf(a)
	implicit, err = NewPivotedCholeskyFrom(threads, diag, column, o)
	if err != nil {
		t.Fatalf("implicit: %v", err)
	}
	return dense, implicit
}

func TestPivotedCholeskyRevealsTheRank(t *testing.T) {
	for _, n := range []int{0, 1, 2, 5, 63, 64, 65, 66, 128, 129, 150} {
		for _, r := range []int{0, 1, 3, 64, 65, 100} {
			if r > n {
				continue
			}
			a := lowRank(n, r, uint64(n*1000+r))
			dense, implicit := bothPivoted(t, 2, a, PivotedOptions{})
			for name, p := range map[string]*PivotedCholesky{"dense": dense, "implicit": implicit} {
				if len(p.Pivots) != r || p.L.Cols != r {
					t.Fatalf("%s n=%d: rank %d, want %d", name, n, len(p.Pivots), r)
				}
				l := p.L.Clone()
				within(t, name+" ‖A−LLᵀ‖", gap(a, naiveMul(l, transposed(l))), 10*float64(n+1)*eps64*(1+frobenius(a)))
				for i, at := range p.Pivots {
					for j := i + 1; j < r; j++ {
						if p.L.At(at, j) != 0 {
							t.Fatalf("%s: L[Pivots, :] is not lower triangular at (%d, %d)", name, i, j)
						}
					}
				}
			}
		}
	}
}

func TestPivotedCholeskyStopsByTraceWithATrueCertificate(t *testing.T) {
	const n = 200
	a := New[float64](n, n) // a Gaussian kernel: eigenvalues fall fast
	for i := range n {
		for j := range n {
			d := float64(i-j) / 20
			a.Set(i, j, math.Exp(-d*d/2))
		}
	}
	for _, tol := range []float64{0.5, 1e-2, 1e-6, 1e-10} {
		dense, implicit := bothPivoted(t, 0, a, PivotedOptions{Tolerance: tol})
		if len(dense.Pivots) != len(implicit.Pivots) {
			t.Fatalf("tolerance %g: ranks %d and %d", tol, len(dense.Pivots), len(implicit.Pivots))
		}
		for i := range dense.Pivots {
			if dense.Pivots[i] != implicit.Pivots[i] {
				t.Fatalf("tolerance %g: pivot %d is %d and %d", tol, i, dense.Pivots[i], implicit.Pivots[i])
			}
		}
		for _, p := range []*PivotedCholesky{dense, implicit} {
			l := p.L.Clone()
			e := a.Clone()
			subtract(e, naiveMul(l, transposed(l)))
			trace := 0.0
			for i := range n {
				trace += e.At(i, i)
			}
			if p.Trace != n || p.Residual > tol*n || math.Abs(trace-p.Residual) > 1e-11*n {
				t.Fatalf("tolerance %g: residual %g, counted %g, trace %g", tol, p.Residual, trace, p.Trace)
			}
			if frobenius(e) > p.Residual+1e-11*n {
				t.Fatalf("tolerance %g: error %g above the certificate %g", tol, frobenius(e), p.Residual)
			}
			// One pivot fewer would not have done.
			short, _ := bothPivoted(t, 0, a, PivotedOptions{MaxRank: max(len(p.Pivots)-1, 1)})
			if len(p.Pivots) > 1 && short.Residual <= tol*n {
				t.Fatalf("tolerance %g: rank %d is one too many", tol, len(p.Pivots))
			}
		}
	}
}

func TestPivotedCholeskyMaxRankAndThreads(t *testing.T) {
	n := 700
	if testing.Short() {
		n = 300 // still several panels and pieces
	}
	a := randomSPD(n, 3)
	var first *PivotedCholesky
	for i, threads := range datatest.Threads() {
		dense, implicit := bothPivoted(t, threads, a, PivotedOptions{MaxRank: 70})
		if len(dense.Pivots) != 70 || len(implicit.Pivots) != 70 {
			t.Fatalf("ranks %d and %d, want 70", len(dense.Pivots), len(implicit.Pivots))
		}
		if i == 0 {
			first = dense
		}
		sameBits(t, "L", first.L, dense.L)
	}
}

func TestPivotedCholeskyRefusals(t *testing.T) {
	indefinite := New[float64](2, 2)
	copy(indefinite.Data, []float64{1, 2, 2, 1})
	var npd *NotPositiveDefinite
	if _, err := NewPivotedCholesky(0, indefinite.Clone(), PivotedOptions{}); !errors.As(err, &npd) || npd.Pivot != 1 ||
		npd.Value != -3 {
		t.Errorf("indefinite: %v", err)
	}
	diag, column := columnsOf(indefinite)
	if _, err := NewPivotedCholeskyFrom(0, diag, column, PivotedOptions{}); !errors.As(err, &npd) || npd.Pivot != 1 ||
		npd.Value != -3 {
		t.Errorf("indefinite, implicit: %v", err)
	}
	if _, err := NewPivotedCholeskyFrom(0, []float64{1, -1}, column, PivotedOptions{}); !errors.As(err, &npd) ||
		npd.Pivot != 1 {
		t.Errorf("negative diagonal: %v", err)
	}
	var nf *NotFinite
	bad := indefinite.Clone()
	bad.Set(1, 0, math.NaN())
	if _, err := NewPivotedCholesky(0, bad.Clone(), PivotedOptions{}); !errors.As(err, &nf) || nf.Row != 1 || nf.Col != 0 {
		t.Errorf("NaN: %v", err)
	}
	diag, column = columnsOf(bad)
	if _, err := NewPivotedCholeskyFrom(0, diag, column, PivotedOptions{}); !errors.As(err, &nf) || nf.Row != 1 ||
		nf.Col != 0 {
		t.Errorf("NaN, implicit: %v", err)
	}
	for _, o := range []PivotedOptions{{Tolerance: -1}, {Tolerance: math.NaN()}, {MaxRank: -1}} {
		if _, err := NewPivotedCholesky(0, indefinite.Clone(), o); err == nil || errors.As(err, &npd) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
