// Package trace says how an iterative method is getting on. Learners, tests and
// searches that work for long take a Func and call it after each step; a
// progress bar, a server's events and a web page all listen to the same steps.
package trace

import "time"

// Step is one report of an iterative method.
type Step struct {
	Iteration int
	Objective float64 // value being minimised, NaN when it is not known
	Residual  float64 // the method's own certificate: KKT violation, gap, gradient or residual norm
	Elapsed   time.Duration
}

// Func receives steps as they happen, in the goroutine of the method; nil means
// nobody listens.
type Func func(Step)

// Report calls f unless it is nil.
func (f Func) Report(s Step) {
	if f != nil {
		f(s)
	}
}
