//go:build !amd64 || noasm

package simd

func hasLanes() bool { return false }

func decayLanes(levels, n int, codes []byte, w []float64, lambda float64, first []float64, x []byte, v []float64) {
	decayLanesRef(levels, n, codes, w, lambda, first, x, v)
}
