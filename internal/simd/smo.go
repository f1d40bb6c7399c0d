package simd

import "math"

// StepPair takes step·(ki[t] - kj[t]) from up[t] and down[t]: the gradient of
// a working set after the variables i and j of sequential minimal optimisation
// moved by step. All slices have the length of up.
func StepPair(step float64, ki, kj []float32, up, down []float64) {
	n := len(up)
	ki, kj, down = ki[:n], kj[:n], down[:n]
	for t := stepPairWhole(step, ki, kj, up, down); t < n; t++ {
		d := step * (float64(ki[t]) - float64(kj[t]))
		up[t] -= d
		down[t] -= d
	}
}

// ArgMax is the first position of the largest entry and that entry; -1 and -Inf
// when x is empty or all -Inf.
func ArgMax(x []float64) (at int, best float64) {
	at, best, done := argMaxWhole(x)
	for t := done; t < len(x); t++ {
		if x[t] > best {
			at, best = t, x[t]
		}
	}
	if math.IsInf(best, -1) {
		return -1, best
	}
	return at, best
}

// Partner is the first t with the largest gain (zi - down[t])² / max(kii + diag[t] - 2ki[t], least)
// among those with down[t] < zi, -1 when there is none, and the smallest entry of down, +Inf when it is empty:
// the choice of the second variable in sequential minimal optimisation (Fan, Chen & Lin, JMLR 6, 2005).
func Partner(down, diag []float64, ki []float32, zi, kii, least float64) (at int, gain, low float64) {
	n := len(down)
	diag, ki = diag[:n], ki[:n]
	at, gain, low, done := partnerWhole(down, diag, ki, zi, kii, least)
	for t := done; t < n; t++ {
		low = min(low, down[t])
		d := zi - down[t]
		if d <= 0 {
			continue
		}
		curve := max(kii+diag[t]-2*float64(ki[t]), least)
		// d²/curve > gain, without the division.
		if d*d > gain*curve {
			at, gain = t, d*d/curve
		}
	}
	if gain == 0 {
		at = -1
	}
	return at, gain, low
}
