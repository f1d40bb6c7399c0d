package nystrom

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/learn"
)

// Choice names a way to choose centres among the rows.
type Choice int

const (
	// Uniform draws rows, all equally likely.
	Uniform Choice = iota
	// Leverage draws them by approximate ridge leverage scores (BLESS): rows that others cannot
	// stand for.
	Leverage
	// KMeans draws them by the rule of k-means++ in feature space: far from those drawn before.
	KMeans
)

func (c Choice) String() string {
	switch c {
	case Leverage:
		return "leverage"
	case KMeans:
		return "k-means++"
	}
	return "uniform"
}

// Solver names a way to solve the normal equations.
type Solver int

const (
	// Auto is Direct up to a thousand centres, else Falkon.
	Auto Solver = iota
	// Direct adds the normal equations up and factorises them: n·M² operations, every λ of a path
	// for little more.
	Direct
	// Falkon is conjugate gradients preconditioned by the centres: n·M operations an iteration.
	Falkon
)

func (s Solver) String() string {
	switch s {
	case Direct:
		return "direct"
	case Falkon:
		return "FALKON"
	}
	return "auto"
}

// directUpTo is the number of centres up to which Auto adds the equations up: beyond, some twenty
// passes cost less.
const directUpTo = 1000

// Options is what all learners of this package can be told. The zero value is a sound choice.
type Options struct {
	Centers int    // how many are drawn; 0 means 2√n, at least 50. No more than there are rows
	Choice  Choice // how
	Seed    uint64 // of the draw

	Solver Solver
	// Precision is that of kernel values in the iterations of Falkon. With gram.Single they take
	// half the time; residuals are then recomputed in double precision from time to time and
	// corrected for, so that the solution is as good.
	Precision gram.Precision
	// Sketch is how many rows the preconditioner of Falkon is made of; 0 means the centres alone,
	// as in the paper. With some times as many rows as centres it knows the equations so well that
	// a few iterations do: worth it where a pass over the rows costs more than Sketch·M²
	// operations.
	Sketch int
	// Start is the state that Keep was last given by a fit of the same rows, kernel, λ and options,
	// to go on from there; another length is an error. Keep is told after each iteration of Falkon;
	// the state is its to copy.
	Start []float64
	Keep  func(iteration int, state []float64)

	Tol           float64 // relative residual at which iterations stop; 0 means 1e-7
	MaxIterations int     // 0 means 200

	learn.Resources

	onDevice bool // the factor of the centres may live on the device: FALKON asks no more of it than solutions
}

func (o Options) withDefaults() (Options, error) {
	switch {
	case o.Centers < 0:
		return o, fmt.Errorf("Centers is %d; give a positive number, or 0 for 2√n", o.Centers)
	case o.Choice < Uniform || o.Choice > KMeans:
		return o, fmt.Errorf("unknown choice of centres %d", int(o.Choice))
	case o.Solver < Auto || o.Solver > Falkon:
		return o, fmt.Errorf("unknown solver %d", int(o.Solver))
	case o.Precision < gram.Double || o.Precision > gram.Either:
		return o, fmt.Errorf("unknown precision %d", int(o.Precision))
	case !(o.Tol >= 0) || math.IsInf(o.Tol, 0):
		return o, fmt.Errorf("Tol is %g; give a positive number, or 0 for 1e-7", o.Tol)
	case o.Sketch < 0:
		return o, fmt.Errorf("Sketch is %d; give a positive number, or 0 for the centres", o.Sketch)
	case o.MaxIterations < 0:
		return o, fmt.Errorf("MaxIterations is %d; give a positive number, or 0 for 200", o.MaxIterations)
	}
	if o.Tol == 0 {
		o.Tol = 1e-7
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 200
	}
	var err error
	o.Resources, err = o.Resources.WithDefaults()
	return o, err
}

// fewCenters is the number of centres of a fit to n rows that was told none: the error that they
// add is as small as the one of the sample for about √n of them (Rudi, Camoriano and Rosasco 2015).
func fewCenters(n int) int { return min(n, max(50, int(2*math.Sqrt(float64(n))))) }

// count is the number of centres for n rows.
func (o Options) count(n int) int {
	if o.Centers == 0 {
		return fewCenters(n)
	}
	return min(n, o.Centers)
}

// bytesFor is what a fit of some outputs holds at the most: L and the equations with two copies in
// the course of a solution, a block of features, and the sums of a pass.
func bytesFor(centers, outputs int) int64 {
	m := int64(centers + 1 + outputs)
	return 8 * (4*m*m + 2*1024*m + 64*min(m*int64(outputs+1), 1<<17))
}
