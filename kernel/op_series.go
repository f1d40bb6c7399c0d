package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/internal/fault"
)

// Series applies the power series Σ coef(n) zⁿ, coef ≥ 0, that converges for |z| < radius, to
// a kernel with k(x, x) ≤ bound < radius. As many terms are kept as make the rest at most
// tolerance for all points within the bound; the estimate of the rest is the Error of the
// result, a PowersOf.
//
// The rest is bounded by a geometric series: q is the largest ratio of the last
// eight terms, and Σ_{n>N} aₙboundⁿ ≤ a_N bound^N q/(1-q). That is a proof where
// the ratios do not increase, as in the series of exp, 1/(1-z)^α and all others in
// this package.
func Series[T any](k Kernel[T], coef func(n int) float64, radius, bound, tolerance float64) (Kernel[T], error) {
	if !(radius > 0) {
		return nil, fault.Errorf("kernel", "series: radius = %g, want > 0", radius)
	}
	if !(bound > 0) || bound >= radius {
		return nil, fault.Errorf("kernel", "series: bound = %g on k(x, x), want in (0, %g), inside the radius of convergence",
			bound, radius)
	}
	if !(tolerance > 0) {
		return nil, fault.Errorf("kernel", "series: tolerance = %g, want > 0", tolerance)
	}
	const window, most = 8, 100000
	var kept []float64
	var terms []float64 // aₙboundⁿ of the terms that are not 0
	power := 1.0
	for n := 0; n < most; n++ {
		a := coef(n)
		if !(a >= 0) || math.IsInf(a, 0) {
			return nil, fault.Errorf("kernel", "series: coefficient %d is %g, want a finite number ≥ 0", n, a)
		}
		kept = append(kept, a)
		if t := a * power; t > 0 {
			terms = append(terms, t)
		}
		power *= bound
		if power == 0 || math.IsInf(power, 0) {
			if len(terms) == 0 || power == 0 {
				return PowersOf[T]{k, kept, bound, 0}, nil
			}
			return nil, fault.Errorf("kernel", "series: bound = %g: term %d overflows", bound, n+1)
		}
		if len(terms) <= window {
			continue
		}
		q := 0.0
		last := terms[len(terms)-window-1:]
		for i := 1; i < len(last); i++ {
			q = max(q, last[i]/last[i-1])
		}
		if q < 1 {
			if rest := last[window] * q / (1 - q); rest <= tolerance {
				return PowersOf[T]{k, kept, bound, rest}, nil
			}
		}
	}
	return nil, fault.Errorf("kernel",
		"series: %d terms do not reach tolerance %g at k(x, x) = %g; lower the bound or raise the tolerance", most, tolerance,
		bound)
}
