package learn

import (
	"fmt"

	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/trace"
)

// Resources bounds what a fit may use and says who is told about it. The zero
// value is a sound choice.
type Resources struct {
	Threads int   // goroutines; 0 means GOMAXPROCS. The model is the same to the bit
	Bytes   int64 // memory for the big arrays; 0 means a quarter of the machine's memory
	// Device makes products with kernel matrices where that is worth the while (gram.OpenDevice);
	// nil means processors alone. nystrom, ridge, Gaussian process regression, processes by few
	// points and support vector machines ask it.
	Device *gram.Device
	Trace  trace.Func // told after each iteration of an iterative method

	// TrustKernel says not to ask whether the kernel is positive semi-definite on the points and
	// has the digits to tell them apart (gram.Examine): the report then has no word about it. Model
	// selection asks once, not in every fold.
	TrustKernel bool
}

// WithDefaults is r with a budget, and an error where it has a negative one.
func (r Resources) WithDefaults() (Resources, error) {
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
	return fmt.Sprintf("%s: %d points need %d %s, more than the budget of %d %s; %s", e.Learner, e.Points, e.Needs>>scale,
		unit, e.Budget>>scale, unit, e.Instead)
}
