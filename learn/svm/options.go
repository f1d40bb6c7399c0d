package svm

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
)

// Columns is the precision of the kernel columns a support vector solver keeps. Sums
// are float64 always.
type Columns int

const (
	// AutoPrecision works on float32 columns as long as they are good enough
	// for the tolerance, and finishes on float64 columns where they are not.
	AutoColumns Columns = iota
	// Float32 never asks for a float64 column, and so may stop above the tolerance.
	Float32Columns
	// Float64 keeps float64 columns from the start.
	Float64Columns
)

// Options is what all support vector machines share; the zero value is a
// sound choice.
type Options struct {
	Tol             float64 // KKT violation m(α) - M(α) to reach; 0 means 1e-3, as in LIBSVM
	NoShrinking     bool    // keep all variables in play all the time
	Columns         Columns // of the kernel columns
	WorkingSet      int     // variables optimised together; 0 means chosen by the size of the problem
	MaxIterations   int     // bound on pair updates; 0 means 10⁷ or 1000 for each variable, whichever is more
	learn.Resources         // Bytes bounds the kernel columns; Trace is told after each working set
}

// leastFor refuses a budget in which not even the two columns of a pair fit.
func (o Options) leastFor(learner string, n int) error {
	if need := 16 * int64(n); need > o.Bytes {
		return &learn.OverBudget{Learner: learner, Points: n, Needs: need, Budget: o.Bytes,
			Instead: "give it more memory: two columns of the kernel matrix are the least"}
	}
	return nil
}

func (o Options) withDefaults() (Options, error) {
	err := fitting.SetOrDefault("Tol", &o.Tol, 1e-3)
	if err != nil {
		return o, err
	}
	if o.Resources, err = o.Resources.WithDefaults(); err != nil {
		return o, err
	}
	if o.WorkingSet < 0 || o.WorkingSet == 1 {
		return o, fmt.Errorf("WorkingSet is %d; give 2 or more, or 0", o.WorkingSet)
	}
	if o.MaxIterations < 0 {
		return o, fmt.Errorf("MaxIterations is %d; give a positive number, or 0", o.MaxIterations)
	}
	return o, nil
}

func (o Options) smo() solve.SMOOptions {
	return solve.SMOOptions{
		Tol: o.Tol, Bytes: o.Bytes, Threads: o.Threads, NoShrinking: o.NoShrinking,
		WorkingSet: o.WorkingSet, MaxIterations: o.MaxIterations, Trace: o.Trace,
	}
}
