package learn

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/mat"
)

// checkOutputs refuses a kernel of the outputs that is none: of another order, not positive
// semi-definite, or of one target.
func (p Problem[T]) checkOutputs() error {
	if p.Outputs == nil {
		return nil
	}
	m := p.Outputs.SymmetricDim()
	switch {
	case p.Targets() == 1:
		return fmt.Errorf("the kernel of the outputs is given, and there is one target; leave it out, or name more targets")
	case m != p.Targets():
		return fmt.Errorf("the kernel of the outputs is of order %d, and there are %d targets; give a number for each "+
			"pair of them", m, p.Targets())
	}
	a, trace := linalg.New[float64](m, m), 0.0
	for t := range m {
		for u := range m {
			v := p.Outputs.At(t, u)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("the kernel of the outputs is %g for targets %d and %d; give a finite number", v, t+1, u+1)
			}
			a.Set(t, u, v)
		}
		trace += p.Outputs.At(t, t)
	}
	values, err := linalg.SymEigenValues(1, a)
	if err != nil {
		return fmt.Errorf("the kernel of the outputs: %w", err)
	}
	if !(trace > 0) || values[0] < -1e-10*values[m-1] {
		return fmt.Errorf("the kernel of the outputs has an eigenvalue of %.3g; a kernel has none below 0 (correlations "+
			"are between -1 and 1, and fit together)", values[0])
	}
	return nil
}

// ScaledOutputs is Outputs in the units of the targets, whose deviations are given; nil where it is
// not given.
func (p Problem[T]) ScaledOutputs(deviations []float64) *mat.SymDense {
	if p.Outputs == nil {
		return nil
	}
	b := mat.NewSymDense(len(deviations), nil)
	for t, d := range deviations {
		for u, e := range deviations {
			b.SetSym(t, u, p.Outputs.At(t, u)*d*e)
		}
	}
	return b
}
