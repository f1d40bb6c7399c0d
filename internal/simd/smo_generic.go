//go:build !amd64 || noasm

package simd

import "math"

// The Whole functions leave everything to the loops in Go.

func stepPairWhole(float64, []float32, []float32, []float64, []float64) int { return 0 }

func argMaxWhole([]float64) (at int, best float64, done int) { return -1, math.Inf(-1), 0 }

func partnerWhole(_, _ []float64, _ []float32, _, _, _ float64) (at int, gain, low float64, done int) {
	return -1, 0, math.Inf(1), 0
}
