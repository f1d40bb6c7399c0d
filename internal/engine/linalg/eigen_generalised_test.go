package linalg

import (
	"context"
	"errors"
	"math"
	"testing"
)

// positiveDefinite returns G·Gᵀ + I.
func positiveDefinite(n int, seed uint64) Matrix[float64] {
	g := randomMatrix64(n, n, seed)
	b := New[float64](n, n)
	for i := range n {
		b.Set(i, i, 1)
	}
	if n > 0 {
		Gemm(0, NoTrans, Trans, 1/float64(n), g, g, 1, b)
	}
	for i := range n {
		for j := range i {
			b.Set(j, i, b.At(i, j))
		}
	}
	return b
}

// generalisedErrors returns max |A·V − B·V·Λ| and max |Vᵀ·B·V − I|.
func generalisedErrors(a, b Matrix[float64], values []float64, v Matrix[float64]) (residual, orthogonality float64) {
	n, k := a.Rows, len(values)
	av, bv, g := New[float64](n, k), New[float64](n, k), New[float64](k, k)
	Gemm(0, NoTrans, NoTrans, 1, a, v, 0, av)
	Gemm(0, NoTrans, NoTrans, 1, b, v, 0, bv)
	Gemm(0, Trans, NoTrans, 1, v, bv, 0, g)
	for i := range n {
		for j := range k {
			residual = worst(residual, math.Abs(av.At(i, j)-values[j]*bv.At(i, j)))
		}
	}
	for i := range k {
		g.Set(i, i, g.At(i, i)-1)
		for j := range k {
			orthogonality = worst(orthogonality, math.Abs(g.At(i, j)))
		}
	}
	return residual, orthogonality
}

func TestGenSymEigen(t *testing.T) {
	for _, n := range []int{0, 1, 2, 10, 64, 65, 150} {
		a, b := randomSym(n, 4), positiveDefinite(n, 9)
		values, v, err := GenSymEigen(2, lowerOnly(a), lowerOnly(b))
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			continue
		}
		residual, orthogonality := generalisedErrors(a, b, values, v)
		if !(residual <= 1e-13*float64(n)) || !(orthogonality <= 1e-14*float64(n)) {
			t.Errorf("n=%d: residual %.3g, orthogonality %.3g", n, residual, orthogonality)
		}
		k := min(5, n)
		some, sv, err := GenSymEigenSelected(2, lowerOnly(a), lowerOnly(b), LargestPairs(k))
		if err != nil {
			t.Fatal(err)
		}
		if len(some) != k {
			t.Fatalf("n=%d: %d pairs, want %d", n, len(some), k)
		}
		for i := range some {
			if some[i] != values[n-k+i] {
				t.Errorf("n=%d: selected value %d is %g, want %g", n, i, some[i], values[n-k+i])
			}
		}
		if r, o := generalisedErrors(a, b, some, sv); !(r <= 1e-13*float64(n)) || !(o <= 1e-14*float64(n)) {
			t.Errorf("n=%d: selected: residual %.3g, orthogonality %.3g", n, r, o)
		}
	}
}

func TestGenTopK(t *testing.T) {
	const n, k = 200, 6
	a, b := randomSym(n, 4), positiveDefinite(n, 9)
	all, _, err := GenSymEigen(0, a.Clone(), b.Clone())
	if err != nil {
		t.Fatal(err)
	}
	factor, err := NewCholesky(0, b.Clone())
	if err != nil {
		t.Fatal(err)
	}
	e, err := GenTopK(context.Background(), DenseOp{A: a}, factor, k, TopKOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range e.Values {
		if want := all[n-1-i]; math.Abs(w-want) > 1e-9*all[n-1] {
			t.Errorf("value %d is %g, want %g", i, w, want)
		}
	}
	if r, o := generalisedErrors(a, b, e.Values, e.Vectors); !(r <= 1e-8) || !(o <= 1e-12) {
		t.Errorf("residual %.3g, orthogonality %.3g", r, o)
	}
}

func TestGenSymEigenSaysWhereBFails(t *testing.T) {
	const n = 30
	b := positiveDefinite(n, 1)
	b.Set(17, 17, -3)
	_, _, err := GenSymEigen(0, randomSym(n, 1), b)
	var where *NotPositiveDefinite
	if !errors.As(err, &where) || where.Pivot != 17 {
		t.Errorf("error is %v", err)
	}
	b = positiveDefinite(n, 1)
	b.Set(3, 2, math.NaN())
	var bad *NotFinite
	if _, _, err := GenSymEigen(0, randomSym(n, 1), b); !errors.As(err, &bad) || bad.Row != 3 || bad.Col != 2 {
		t.Errorf("error is %v", err)
	}
}
