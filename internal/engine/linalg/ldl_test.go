package linalg

import (
	"errors"
	"math"
	"testing"
)

// product is Pᵀ·L·D·Lᵀ·P.
func (f *LDL) product() Matrix[float64] {
	n := len(f.perm)
	l, d := New[float64](n, n), New[float64](n, n)
	for i := range n {
		copy(l.Row(i)[:i], f.l.Row(i)[:i])
		l.Set(i, i, 1)
		d.Set(i, i, f.diag[i])
		if f.pair[i] {
			d.Set(i, i+1, f.off[i])
			d.Set(i+1, i, f.off[i])
		}
	}
	p := naiveMul(naiveMul(l, d), transposed(l))
	a := New[float64](n, n)
	for i, pi := range f.perm {
		for j, pj := range f.perm {
			a.Set(pi, pj, p.At(i, j))
		}
	}
	return a
}

func TestLDLResidualSolveAndGuards(t *testing.T) {
	pairs := 0
	for _, n := range edgeSizes() {
		for kind := range 3 {
			a := randomSymmetric(n, uint64(n))
			if kind > 0 { // zero or tiny diagonals force 2×2 pivots
				for i := range n {
					a.Set(i, i, float64(kind-1)*1e-12*float64(i))
				}
			}
			m, check := inNaN[float64](n, n)
			setLower(m, a)
			f, err := NewLDL(2, m)
			if err != nil {
				t.Fatal(err)
			}
			check(t)
			upperStillNaN(t, m)
			within(t, "‖A−LDLᵀ‖", gap(a, f.product()), 20*float64(n+1)*eps64*(1+frobenius(a)))
			for i := range n {
				if f.pair[i] {
					pairs++
				}
				for _, v := range f.l.Row(i)[:i] {
					if !(math.Abs(v) < 1e3) { // bounded in practice; unbounded without pivoting
						t.Fatalf("n=%d: L has %g in row %d", n, v, i)
					}
				}
			}
			if n == 1 && kind > 0 {
				continue // the zero matrix
			}
			b := fillNormal(New[float64](n, 1+n%5), 1)
			x := b.Clone()
			if err := f.Solve(2, x); err != nil {
				t.Fatalf("n=%d: %v", n, err)
			}
			within(t, "‖Ax−b‖", gap(naiveMul(a, x), b), 1e3*float64(n+1)*eps64*(1+frobenius(a))*(1+frobenius(x)))
		}
	}
	if pairs < 50 {
		t.Fatalf("only %d 2×2 pivots: the test does not reach them", pairs)
	}
}

func TestLDLInertiaAndDeterminant(t *testing.T) {
	for _, n := range []int{1, 2, 10, 60, 120} {
		// Qᵀ·diag(λ)·Q with known signs: inertia and determinant are those of λ.
		q := NewQR(0, fillNormal(New[float64](n, n), uint64(n))).ThinQ(0)
		lambda := New[float64](n, n)
		negative := 0
		want := 0.0
		for i := range n {
			v := 0.5 + float64(i%7)
			want += math.Log(v)
			if i%3 == 0 {
				v = -v
				negative++
			}
			lambda.Set(i, i, v)
		}
		a := naiveMul(naiveMul(q, lambda), transposed(q))
		f, err := NewLDL(0, a)
		if err != nil {
			t.Fatal(err)
		}
		p, m, z := f.Inertia()
		if p != n-negative || m != negative || z != 0 {
			t.Errorf("n=%d: inertia (%d, %d, %d), want (%d, %d, 0)", n, p, m, z, n-negative, negative)
		}
		got, sign := f.LogDet()
		if math.Abs(got-want) > 1e-9 || sign != 1-2*(negative%2) {
			t.Errorf("n=%d: log|det| %g, sign %d; want %g, %d", n, got, sign, want, 1-2*(negative%2))
		}
	}
}

func TestLDLExactlySingular(t *testing.T) {
	a := New[float64](3, 3)
	copy(a.Data, []float64{4, 2, 0, 2, 1, 0, 0, 0, -5}) // rank 2
	f, err := NewLDL(0, a)
	if err != nil {
		t.Fatal(err)
	}
	if p, m, z := f.Inertia(); p != 1 || m != 1 || z != 1 {
		t.Errorf("inertia (%d, %d, %d)", p, m, z)
	}
	b := fillNormal(New[float64](3, 1), 1)
	before := b.Clone()
	var s *Singular
	if err := f.Solve(0, b); !errors.As(err, &s) || s.Pivot != 1 || s.Value != 0 {
		t.Errorf("solve: %v", err)
	}
	sameBits(t, "right-hand side after a refusal", before, b)
	if l, sign := f.LogDet(); sign != 0 || !math.IsInf(l, -1) {
		t.Errorf("log det %g, sign %d", l, sign)
	}
	f, _ = NewLDL(0, New[float64](60, 60))
	if _, _, z := f.Inertia(); z != 60 {
		t.Errorf("the zero matrix has %d zero eigenvalues of 60", z)
	}
}

func TestLDLRefusesNotFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		a := randomSymmetric(5, 1)
		a.Set(3, 2, bad)
		var e *NotFinite
		if _, err := NewLDL(0, a); !errors.As(err, &e) || e.Row != 3 || e.Col != 2 {
			t.Errorf("%g: %v", bad, err)
		}
	}
}

func TestLDLSameBitsAtAnyThreadCount(t *testing.T) {
	a := randomSymmetric(700, 2)
	one, _ := NewLDL(1, a.Clone())
	for _, threads := range []int{2, 8} {
		f, _ := NewLDL(threads, a.Clone())
		sameBits(t, "L", lowerOf(one.l), lowerOf(f.l))
	}
}
