package learn

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/trace"
)

// Resources bounds what a fit may use and says who is told about it. The zero
// value is a sound choice.
type Resources struct {
	Threads int        // goroutines; 0 means GOMAXPROCS. The model is the same to the bit
	Bytes   int64      // memory for the big arrays; 0 means a quarter of the machine's memory
	Trace   trace.Func // told after each iteration of an iterative method
}

func (r Resources) withDefaults() (Resources, error) {
	if r.Bytes < 0 {
		return r, fmt.Errorf("Bytes is %d; give a positive budget, or 0 for a quarter of memory", r.Bytes)
	}
	if r.Bytes == 0 {
		r.Bytes = gram.DefaultBytes()
	}
	return r, nil
}

// OverBudget is the error of a fit that needs more memory than it was given.
type OverBudget struct {
	Learner       string
	Points        int
	Needs, Budget int64  // bytes
	Instead       string // what to do
}

func (e *OverBudget) Error() string {
	unit, scale := "MiB", 20
	if e.Budget < 10<<20 {
		unit, scale = "bytes", 0
	}
	return fmt.Sprintf("%s: %d points need %d %s, more than the budget of %d %s; %s", e.Learner, e.Points, e.Needs>>scale, unit, e.Budget>>scale, unit, e.Instead)
}

// heeding is what f returns, and the context's error in place of it once the context has ended: what
// kernel.Until and the like leave unfinished then never becomes a model. f looks at the context
// wherever it would work for more than a few milliseconds, in the calling goroutine.
func heeding[R any](ctx context.Context, f func() (R, error)) (R, error) {
	var none R
	if err := ctx.Err(); err != nil {
		return none, err
	}
	r, err := f()
	if ctx.Err() != nil {
		return none, ctx.Err()
	}
	if err != nil {
		return none, err
	}
	return r, nil
}

// rowsUntil is par.For that leaves out the pieces not begun when the context ends.
func rowsUntil(ctx context.Context, t int, n, grain int, f func(lo, hi int)) {
	par.For(t, n, grain, func(lo, hi int) {
		if ctx.Err() == nil {
			f(lo, hi)
		}
	})
}

// everyIndex is 0, 1, …, n-1.
func everyIndex(n int) []int {
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	return index
}

// checkTargets refuses no points, lengths that do not agree and values that are
// not finite or whose squares may not be.
func checkTargets[T any](x data.Points[T], y []float64) error {
	switch {
	case x == nil || x.Len() == 0:
		return ErrNoPoints
	case x.Len() != len(y):
		return fmt.Errorf("%d points but %d targets", x.Len(), len(y))
	}
	for i, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("target of row %d is %g; drop the row or fill the value in", i, v)
		}
		if math.Abs(v) > largestFeature {
			return fmt.Errorf("target of row %d is %g, too large to square; scale the targets", i, v)
		}
	}
	return nil
}
