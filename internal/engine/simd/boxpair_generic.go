//go:build !amd64 || noasm

package simd

import "math"

// The loops in boxpair.go do everything.
func stepTwoWhole(float64, []float32, []float32, []float64, []float64) int { return 0 }

func largestWhole([]float64) (float64, int) { return math.Inf(-1), 0 }

func partnerWhole(_, _, _ float64, _, _ []float64, _ []float32) (at int, num, den, low float64, n int) {
	return -1, 0, 1, math.Inf(1), 0
}
