package linalg

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/internal/datatest"
)

// contextRoutine runs one routine on fresh copies of its inputs and returns
// all the numbers it makes.
type contextRoutine struct {
	name  string
	order int // of matrices on which one thread is busy for a few hundred milliseconds
	plain func(a Matrix[float64]) []float64
	run   func(ctx context.Context, t int, a Matrix[float64]) ([]float64, error)
}

func numbers(parts ...[]float64) []float64 {
	var all []float64
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// contextRoutines all take a symmetric positive definite matrix, which they
// may overwrite.
func contextRoutines() []contextRoutine {
	return []contextRoutine{
		{"Gemm", 2400, func(a Matrix[float64]) []float64 {
			c := New[float64](a.Rows, a.Rows)
			Gemm(0, NoTrans, Trans, 2, a, a, 0, c)
			return c.Data
		}, func(ctx context.Context, t int, a Matrix[float64]) ([]float64, error) {
			c := New[float64](a.Rows, a.Rows)
			err := GemmContext(ctx, t, NoTrans, Trans, 2, a, a, 0, c)
			return c.Data, err
		}},
		{"Syrk", 2800, func(a Matrix[float64]) []float64 {
			c := New[float64](a.Rows, a.Rows)
			Syrk(0, Lower, NoTrans, 1, a, 0, c)
			return c.Data
		}, func(ctx context.Context, t int, a Matrix[float64]) ([]float64, error) {
			c := New[float64](a.Rows, a.Rows)
			err := SyrkContext(ctx, t, Lower, NoTrans, 1, a, 0, c)
			return c.Data, err
		}},
		{"Trsm", 2800, func(a Matrix[float64]) []float64 {
			b := a.Clone()
			Trsm(0, Left, Lower, NoTrans, NonUnit, 1, a, b)
			return b.Data
		}, func(ctx context.Context, t int, a Matrix[float64]) ([]float64, error) {
			b := a.Clone()
			err := TrsmContext(ctx, t, Left, Lower, NoTrans, NonUnit, 1, a, b)
			return b.Data, err
		}},
		{"Cholesky", 4400, func(a Matrix[float64]) []float64 {
			_, err := NewCholesky(0, a)
			mustNot(err)
			return a.Data
		}, func(ctx context.Context, t int, a Matrix[float64]) ([]float64, error) {
			_, err := NewCholeskyContext(ctx, t, a)
			return a.Data, err
		}},
		{"Solve", 2400, func(a Matrix[float64]) []float64 {
			b := a.Clone()
			(&Cholesky{L: a}).Solve(0, b)
			return b.Data
		}, func(ctx context.Context, t int, a Matrix[float64]) ([]float64, error) {
			b := a.Clone()
			err := (&Cholesky{L: a}).SolveContext(ctx, t, b)
			return b.Data, err
		}},
		{"SolveL and SolveLT", 2400, func(a Matrix[float64]) []float64 {
			b := a.Clone()
			(&Cholesky{L: a}).SolveLT(0, b)
			(&Cholesky{L: a}).SolveL(0, b)
			return b.Data
		}, func(ctx context.Context, t int, a Matrix[float64]) ([]float64, error) {
			b := a.Clone()
			err := (&Cholesky{L: a}).SolveLTContext(ctx, t, b)
			if err == nil {
				err = (&Cholesky{L: a}).SolveLContext(ctx, t, b)
			}
			return b.Data, err
		}},
		{"Inverse", 3400, func(a Matrix[float64]) []float64 {
			return (&Cholesky{L: a}).Inverse(0).Data
		}, func(ctx context.Context, t int, a Matrix[float64]) ([]float64, error) {
			m, err := (&Cholesky{L: a}).InverseContext(ctx, t)
			return m.Data, err
		}},
		{"PivotedCholesky", 3000, func(a Matrix[float64]) []float64 {
			p, err := NewPivotedCholesky(0, a, PivotedOptions{})
			mustNot(err)
			return p.L.Data
		}, func(ctx context.Context, t int, a Matrix[float64]) ([]float64, error) {
			p, err := NewPivotedCholeskyContext(ctx, t, a, PivotedOptions{})
			if err != nil {
				return nil, err
			}
			return p.L.Data, nil
		}},
		{"PivotedCholeskyFrom", 2000, func(a Matrix[float64]) []float64 {
			diag, column := columnsOf(a)
			p, err := NewPivotedCholeskyFrom(0, diag, column, PivotedOptions{})
			mustNot(err)
			return p.L.Data
		}, func(ctx context.Context, t int, a Matrix[float64]) ([]float64, error) {
			diag, column := columnsOf(a)
			p, err := NewPivotedCholeskyFromContext(ctx, t, diag, column, PivotedOptions{})
			if err != nil {
				return nil, err
			}
			return p.L.Data, nil
		}},
		{"QR", 2000, func(a Matrix[float64]) []float64 {
			return NewQR(0, a).a.Data
		}, func(ctx context.Context, t int, a Matrix[float64]) ([]float64, error) {
			_, err := NewQRContext(ctx, t, a)
			return a.Data, err
		}},
		{"PivotedQR", 1500, func(a Matrix[float64]) []float64 {
			return NewPivotedQR(0, a).a.Data
		}, func(ctx context.Context, t int, a Matrix[float64]) ([]float64, error) {
			_, err := NewPivotedQRContext(ctx, t, a)
			return a.Data, err
		}},
		{"SymEigen", 2000, func(a Matrix[float64]) []float64 {
			w, v, err := SymEigen(0, a)
			mustNot(err)
			return numbers(w, v.Data)
		}, func(ctx context.Context, t int, a Matrix[float64]) ([]float64, error) {
			w, v, err := SymEigenContext(ctx, t, a)
			return numbers(w, v.Data), err
		}},
		{"SymEigenValues", 2400, func(a Matrix[float64]) []float64 {
			w, err := SymEigenValues(0, a)
			mustNot(err)
			return w
		}, func(ctx context.Context, t int, a Matrix[float64]) ([]float64, error) {
			return SymEigenValuesContext(ctx, t, a)
		}},
	}
}

func mustNot(err error) {
	if err != nil {
		panic(err)
	}
}

// diagonallyHeavy is a full symmetric positive definite matrix that costs
// nothing to make.
func diagonallyHeavy(n int) Matrix[float64] {
	a := New[float64](n, n)
	for i := range n {
		row := a.Row(i)
		for j := range row {
			row[j] = 1 / float64(1+(i+j)*(i+j)%1013)
		}
		row[i] += float64(n)/16 + float64(i%97)
	}
	return a
}

func TestContextRoutinesAreThePlainOnes(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	a := diagonallyHeavy(407)
	for _, r := range contextRoutines() {
		want := r.plain(a.Clone())
		for _, threads := range []int{1, 3} {
			got, err := r.run(ctx, threads, a.Clone())
			if err != nil {
				t.Fatalf("%s: %v", r.name, err)
			}
			if len(got) != len(want) {
				t.Fatalf("%s: %d numbers, want %d", r.name, len(got), len(want))
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("%s: other bits than without a context at %d: %g, want %g", r.name, i, got[i], want[i])
				}
			}
		}
	}
}

func TestContextRoutinesRefuseAnEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("the reason"))
	a := diagonallyHeavy(300)
	a.Set(5, 5, -1) // an ended context says nothing about the matrix
	for _, r := range contextRoutines() {
		if _, err := r.run(ctx, 2, a.Clone()); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want the context's", r.name, err)
		}
	}
}

// counted is a context that counts how often it is asked whether it has ended, and has at one of
// them.
type counted struct {
	context.Context
	looks atomic.Int64
	end   int64 // 0: never
}

func (c *counted) Err() error {
	if looks := c.looks.Add(1); c.end > 0 && looks >= c.end {
		return context.Canceled
	}
	return nil
}

// A routine looks at its context after every few pieces of work, in all of its stages, and whenever
// it is told there that the work is called off it returns with that error. What passes between two
// looks is counted in arithmetic: the work of the routine, n³ at least, over its looks. How long
// that takes is measured where MERCER_TIMING asks for it.
func TestContextEndsFactorisations(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, r := range contextRoutines() {
		n := r.order / datatest.Size(5, 8)
		a := diagonallyHeavy(n)
		whole := &counted{Context: context.Background()}
		if _, err := r.run(whole, 1, a.Clone()); err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		looks := whole.looks.Load()
		piece := float64(n) * float64(n) * float64(n) / float64(looks)
		t.Logf("%s of order %d: %d looks, one for %.3g of n³", r.name, n, looks, piece)
		if piece > 2e7 {
			t.Errorf("%s of order %d looks %d times only", r.name, n, looks)
		}
		for _, part := range []float64{0.02, 0.4, 0.8, 1} {
			for _, threads := range []int{1, 2} {
				ctx := &counted{Context: context.Background(), end: max(1, int64(part*float64(looks)))}
				if threads > 1 && part == 1 {
					continue // the pieces may be fewer
				}
				if _, err := r.run(ctx, threads, a.Clone()); !errors.Is(err, context.Canceled) {
					t.Errorf("%s of order %d, called off at look %d of %d: error %v", r.name, n, ctx.end, looks, err)
				}
				// No stage is begun after that: what is left is to be told once more for each piece
				// of the one under way.
				if after := ctx.looks.Load() - ctx.end; after > int64(n) {
					t.Errorf("%s of order %d, called off at look %d of %d: looked %d times more", r.name, n, ctx.end, looks, after)
				}
			}
		}
	}
	awaitGoroutines(t, before)
}

// awaitGoroutines waits until there are no more than before; one that has reported is gone a moment
// later. The test's own time limit tells of those that never are.
func awaitGoroutines(t *testing.T, before int) {
	t.Helper()
	for watchdog := time.Now().Add(2 * time.Minute); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(watchdog) {
			t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
		}
	}
}

// How long a routine goes on after its context has ended: no longer than 100 ms, on one thread and
// two.
func TestContextEndsFactorisationsSoon(t *testing.T) {
	if os.Getenv("MERCER_TIMING") == "" {
		t.Skip("a measurement: set MERCER_TIMING=1 on a machine with nothing else to do")
	}
	const soon = 100 * time.Millisecond
	for _, r := range contextRoutines() {
		a := diagonallyHeavy(r.order)
		work := a.Clone()
		for _, delay := range []time.Duration{15 * time.Millisecond, 90 * time.Millisecond} {
			best := time.Hour
			for attempt := 0; attempt < 16 && best > soon; attempt++ {
				work.CopyFrom(a)
				ctx, cancel := context.WithCancel(context.Background())
				var ended time.Time
				timer := time.AfterFunc(delay, func() { ended = time.Now(); cancel() })
				_, err := r.run(ctx, 1+attempt%2, work)
				switch timer.Stop(); {
				case err == nil:
					t.Logf("%s of order %d was done before %v", r.name, r.order, delay)
					best = 0
				case errors.Is(err, context.Canceled):
					best = min(best, time.Since(ended))
				default:
					t.Fatalf("%s of order %d cancelled after %v: error %v", r.name, r.order, delay, err)
				}
				cancel()
			}
			if best > soon {
				t.Errorf("%s of order %d left %v after it was cancelled at %v", r.name, r.order, best, delay)
			}
		}
	}
}
