// Package solve holds the optimisers: conjugate gradients and their
// preconditioners, SMO, Newton, L-BFGS, coordinate descent. It knows operators
// and columns, never kernels.
package solve

import "time"

// Step is one report of an iterative method.
type Step struct {
	Iteration int
	Objective float64 // value being minimised, NaN when it is not known
	Residual  float64 // the method's own certificate: KKT violation, gap, gradient or residual norm
	Elapsed   time.Duration
}

// Trace receives steps as they happen, in the solver's goroutine; nil means
// nobody listens.
type Trace func(Step)

// Report calls t unless it is nil.
func (t Trace) Report(s Step) {
	if t != nil {
		t(s)
	}
}
