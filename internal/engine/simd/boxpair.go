package simd

import "math"

// StepTwo takes step·(x[i] - y[i]) from up[i] and down[i]: what moving two
// coefficients of a working set by ±step does to its gradients.
func StepTwo(step float64, x, y []float32, up, down []float64) {
	n := len(up)
	down, x, y = down[:n], x[:n], y[:n]
	for i := stepTwoWhole(step, x, y, up, down); i < n; i++ {
		d := float64(step * (float64(x[i]) - float64(y[i]))) // rounded: not to be fused into what follows
		up[i] -= d
		down[i] -= d
	}
}

// Largest is the first position of the largest entry and its value; -1 and
// -Inf when there is none above -Inf. No entry is NaN.
func Largest(x []float64) (int, float64) {
	best, done := largestWhole(x)
	for _, v := range x[done:] {
		best = max(best, v)
	}
	if math.IsInf(best, -1) {
		return -1, best
	}
	for i, v := range x {
		if v == best {
			return i, best
		}
	}
	return -1, math.Inf(-1)
}

// Partner finds the entry with the largest gain d²/curve among those with
// d = z - down[i] > 0, where curve is c + diag[i] - 2k[i], at least tiny. It returns
// its place (-1: none), the gain, and the smallest down[i].
func Partner(z, c, tiny float64, down, diag []float64, k []float32) (at int, gain, low float64) {
	n := len(down)
	diag, k = diag[:n], k[:n]
	at, num, den, low, done := partnerWhole(z, c, tiny, down, diag, k)
	for i := done; i < n; i++ {
		low = min(low, down[i])
		d := z - down[i]
		if d <= 0 {
			continue
		}
		curve := max(c+diag[i]-2*float64(k[i]), tiny)
		// d²/curve > num/den, without the division.
		if d*d*den > num*curve {
			at, num, den = i, d*d, curve
		}
	}
	return at, num / den, low
}
