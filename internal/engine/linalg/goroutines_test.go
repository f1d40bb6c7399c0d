package linalg

import (
	"context"
	"errors"
	"runtime"
	"testing"
)

// TestNoGoroutineIsLeftBehind runs every kind of parallel work, one that
// panics and one that is cancelled, and then counts.
func TestNoGoroutineIsLeftBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	const n = 300
	a, c := normal[float64](n, n), New[float64](n, n)
	Gemm(8, NoTrans, Trans, 1, a, a, 0, c)
	for i := range n {
		c.Set(i, i, c.At(i, i)+n)
	}
	if _, _, err := SymEigen(8, c.Clone()); err != nil {
		t.Fatal(err)
	}
	if _, err := NewCholesky(8, c.Clone()); err != nil {
		t.Fatal(err)
	}
	if _, err := TopK(context.Background(), DenseOp{A: c, Threads: 8}, 6, TopKOptions{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := TopK(ctx, DenseOp{A: c, Threads: 8}, 6, TopKOptions{}); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want the context's", err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic of a tile function was lost")
			}
		}()
		GemmFunc(8, Full, NoTrans, NoTrans, 1, a, a, 0, c, func(Matrix[float64], int, int) { panic("tile") })
	}()
	awaitGoroutines(t, before)
}
