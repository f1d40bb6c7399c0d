package rkhs

import (
	"math"

	"github.com/mercer-ml/mercer/internal/fault"
)

// Penalty is r(s), increasing in the norm s = ‖f‖ ≥ 0. Where it is no ConvexPenalty nothing but
// that is taken for granted, and the minimum is found by looking at all norms.
type Penalty interface {
	// Value returns r(s) and r'(s).
	Value(norm float64) (value, derivative float64)
}

// ConvexPenalty is a Penalty that is convex, with which any function certifies how good it is.
type ConvexPenalty interface {
	Penalty
	// Conjugate returns r*(q) = sup over s ≥ 0 of qs - r(s), for q ≥ 0; +Inf where that has no
	// bound.
	Conjugate(slope float64) float64
}

// PenaltyFunc makes a Penalty of a function.
type PenaltyFunc func(norm float64) (value, derivative float64)

// Value calls f.
func (f PenaltyFunc) Value(norm float64) (float64, float64) { return f(norm) }

// PowerPenalty is (w/p)·‖f‖ᵖ with w = Weight > 0 (1 when zero) and p = Power ≥ 1 (2 when zero).
// With p = 1 it is the norm itself: beyond some weight f is 0.
type PowerPenalty struct{ Weight, Power float64 }

func (p PowerPenalty) parameters() (w, power float64) {
	w, power = p.Weight, p.Power
	if w == 0 {
		w = 1
	}
	if power == 0 {
		power = 2
	}
	return w, power
}

// Value returns (w/p)·sᵖ and w·s^{p-1}.
func (p PowerPenalty) Value(s float64) (float64, float64) {
	w, power := p.parameters()
	slope := w * math.Pow(s, power-1)
	return slope * s / power, slope
}

// Conjugate returns (w/p')·(q/w)^{p'} with 1/p + 1/p' = 1; for p = 1 it is 0 up to q = w, and +Inf
// beyond.
func (p PowerPenalty) Conjugate(q float64) float64 {
	w, power := p.parameters()
	if power == 1 {
		if q <= w {
			return 0
		}
		return math.Inf(1)
	}
	dual := power / (power - 1)
	return w / dual * math.Pow(q/w, dual)
}

// Validate refuses a weight or a power that makes no penalty.
func (p PowerPenalty) Validate() error {
	w, power := p.parameters()
	if !(w > 0) || math.IsInf(w, 0) {
		return fault.Errorf("rkhs", "penalty: weight = %g, want a finite number > 0", w)
	}
	if !(power >= 1) || math.IsInf(power, 0) {
		return fault.Errorf("rkhs", "penalty: power = %g, want a finite number ≥ 1", power)
	}
	return nil
}

// checkPenalty refuses what is no penalty, or two of them.
func (r Representer[T]) checkPenalty() error {
	if r.Lambda != 0 {
		return fault.Errorf("rkhs", "representer: lambda is %g beside a penalty; the weight is the penalty's own", r.Lambda)
	}
	if v, ok := r.Penalty.(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			return err
		}
	}
	if v, _ := r.Penalty.Value(0); math.IsNaN(v) || math.IsInf(v, 0) {
		return fault.Errorf("rkhs", "representer: the penalty of f = 0 is %g", v)
	}
	return nil
}

// tol is the relative gap to stop at.
func (r Representer[T]) tol() float64 {
	if r.Tol != 0 {
		return r.Tol
	}
	switch r.Penalty.(type) {
	case nil:
		return 1e-8
	case ConvexPenalty:
		return 1e-6
	}
	return 1e-3
}
