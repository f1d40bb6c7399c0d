package linalg

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"
)

func TestCholeskyContextIsCholesky(t *testing.T) {
	const n = 1700 // above the order from which it goes by panels, and no multiple of them
	rng := rand.New(rand.NewPCG(1, 0))
	x := New[float64](n, 40)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	a := New[float64](n, n)
	Syrk(0, Lower, NoTrans, 1, x, 0, a)
	for i := range n {
		a.Row(i)[i]++
	}
	want, got := a.Clone(), a.Clone()
	if _, err := NewCholesky(0, want); err != nil {
		t.Fatal(err)
	}
	var first Matrix[float64]
	for _, threads := range []Threads{1, 2, 8} {
		got.CopyFrom(a)
		if _, err := NewCholeskyContext(context.Background(), threads, got); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for j := range i + 1 {
				if d := got.At(i, j) - want.At(i, j); d > 1e-10 || d < -1e-10 {
					t.Fatalf("L[%d,%d] = %g, want %g", i, j, got.At(i, j), want.At(i, j))
				}
				if threads > 1 && got.At(i, j) != first.At(i, j) {
					t.Fatalf("%d threads give other bits at (%d, %d)", threads, i, j)
				}
			}
		}
		if threads == 1 {
			first = got.Clone()
		}
	}
	a.Set(1650, 1650, -1)
	var not *NotPositiveDefinite
	if _, err := NewCholeskyContext(context.Background(), 0, a.Clone()); !errors.As(err, &not) || not.Pivot != 1650 {
		t.Errorf("error %v, want pivot 1650", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := NewCholeskyContext(ctx, 1, a); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the deadline's", err)
	}
}
