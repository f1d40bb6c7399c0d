//go:build !noasm

package simd

import "math"

// The Whole functions do whole vectors and return how many entries those were.

func stepPairWhole(step float64, ki, kj []float32, up, down []float64) int {
	n := len(up) &^ 15
	if n == 0 || Current() != AVX512 {
		return 0
	}
	smoStep64AVX512(n, step, &ki[0], &kj[0], &up[0], &down[0])
	return n
}

func argMaxWhole(x []float64) (at int, best float64, done int) {
	n := len(x) &^ 15
	if n == 0 || Current() != AVX512 {
		return -1, math.Inf(-1), 0
	}
	at, best = argMax64AVX512(n, &x[0])
	return at, best, n
}

func partnerWhole(down, diag []float64, ki []float32, zi, kii, least float64) (at int, gain, low float64, done int) {
	n := len(down) &^ 15
	if n == 0 || Current() != AVX512 {
		return -1, 0, math.Inf(1), 0
	}
	at, gain, low = smoPartner64AVX512(n, &down[0], &diag[0], &ki[0], zi, kii, least)
	return at, gain, low, n
}
