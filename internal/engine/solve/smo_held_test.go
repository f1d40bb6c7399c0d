package solve

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// Rows that are there from the beginning lead to the optimum of rows that are asked for, and none
// is made.
func TestHeldRowsAsRowsOnDemand(t *testing.T) {
	const n = 90
	rng := rand.New(rand.NewPCG(4, 4))
	x := make([]float64, n)
	q := BoxQP{Linear: make([]float64, n), Lower: make([]float64, n), Upper: make([]float64, n)}
	for i := range n {
		y := float64(1 - 2*(i%2))
		x[i], q.Linear[i] = y+1.5*rng.NormFloat64(), y
		q.Lower[i], q.Upper[i] = min(2*y, 0), max(2*y, 0)
	}
	k := linalg.New[float32](n, PaddedStride(n))
	k.Cols = n
	diag := make([]float64, n)
	for i := range n {
		diag[i] = 1
		for j := range n {
			k.Set(i, j, float32(math.Exp(-(x[i]-x[j])*(x[i]-x[j]))))
		}
	}
	asked := NewLazyRows(n, func(_ context.Context, dst linalg.Matrix[float32], points []int) error {
		for a, p := range points {
			copy(dst.Row(a), k.Row(p))
		}
		return nil
	})
	o := SMOOptions{Tol: 1e-5}
	want, err := OnDemand(context.Background(), q, asked, diag, make([]float64, n), nil, o)
	if err != nil {
		t.Fatal(err)
	}
	got, err := OnDemand(context.Background(), q, HeldRows(k), diag, make([]float64, n), nil, o)
	if err != nil {
		t.Fatal(err)
	}
	if !got.Converged { // a row that is made panics
		t.Errorf("stopped at a violation of %g", got.Violation)
	}
	if math.Abs(got.Objective-want.Objective) > 1e-8*math.Abs(want.Objective) {
		t.Errorf("objective %.12g, on demand %.12g", got.Objective, want.Objective)
	}
}
