package ridge

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
)

// Bounded is ridge regression in its constrained form,
//
//	minimise over f, b   Σ wᵢ (yᵢ - f(xᵢ) - b)²   subject to   ‖f‖ ≤ L.
//
// Its solution is that of Regression at one λ ≥ 0, the multiplier of the constraint: ‖f_λ‖ falls as
// λ grows, so that λ is found by bisection along the path of all λ, and where the constraint is not
// active the least λ that the numbers bear has it met. Lambda, PerPoint and Method of Regression
// are not read.
type Bounded[T any] struct {
	Regression[T]
	Bound float64 // L > 0
}

// The λ between which the multiplier is looked for, in units of the mean of k(x, x); below the
// first nothing is left to gain in double precision.
const leastMultiplier, mostMultiplier = 1e-12, 1e12

// Fit learns from points and their values. The certificate is the part of the bound by which the
// norm misses it: 0 where it is not active.
func (c Bounded[T]) Fit(ctx context.Context, x data.Points[T], y []float64) (*Regressor[T], error) {
	m, err := c.open().bounded(ctx, data.Erase(x), y, c.Bound)
	return typed(c.Kernel, m), err
}

func (r regression) bounded(
	ctx context.Context, x data.Points[any], y []float64, bound float64,
) (*Regressor[any], error) {
	if !(bound > 0) || math.IsInf(bound, 0) {
		return nil, fmt.Errorf("ridge: Bound is %g; give a positive, finite norm", bound)
	}
	r.PerPoint = false
	path, err := r.pathOfOne(ctx, x, y)
	if err != nil {
		return nil, err
	}
	size := 0.0
	for _, d := range path.d {
		size += math.Abs(d) / float64(len(path.d))
	}
	size = max(size, math.SmallestNonzeroFloat64*1e30)
	low, high := math.Log(leastMultiplier*size), math.Log(mostMultiplier*size)
	at := func(e float64) (*Regressor[any], float64, error) {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		return path.normed(math.Exp(e))
	}
	m, norm, err := at(low)
	if err != nil {
		return nil, err
	}
	lambda := math.Exp(low)
	if norm > bound {
		for range 100 {
			middle := (low + high) / 2
			if middle == low || middle == high {
				break
			}
			if _, norm, err = at(middle); err != nil {
				return nil, err
			}
			if norm > bound {
				low = middle
			} else {
				high = middle
			}
		}
		if m, norm, err = at(high); err != nil { // the norm is within the bound
			return nil, err
		}
		lambda = math.Exp(high)
	}
	report := m.Report()
	report.Learner = "ridge (norm at most " + fmt.Sprintf("%.4g", bound) + ")"
	report.Certified, report.Certificate = "part of the bound that is left", 1-norm/bound
	if lambda <= 2*leastMultiplier*size {
		report.Certificate = 0
		report.Notes = append(report.Notes, fmt.Sprintf("the bound is not reached: ‖f‖ = %.4g", norm))
	} else {
		report.Notes = append(report.Notes, fmt.Sprintf("λ = %.4g is the multiplier of ‖f‖ ≤ %.4g", lambda, bound))
	}
	return newRegressor(m.Func(), report), nil
}

// normed is the solution at λ and the norm of its f.
func (h *path) normed(lambda float64) (*Regressor[any], float64, error) {
	m, err := h.at(lambda)
	if err != nil {
		return nil, 0, err
	}
	f := *m.Func()
	f.Bias = nil
	return m, f.Norm(), nil
}
