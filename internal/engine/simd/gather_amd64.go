//go:build !noasm

package simd

// GatherDot64 is Σ x[i]·y[index[i]]. The caller has checked that y holds every
// index: here that would cost as much as the work.
func GatherDot64(x []float64, index []int32, y []float64) float64 {
	gatherLengths(x, index)
	n := len(x) &^ 15
	if n == 0 || Current() != AVX512 {
		return gatherDotRef(x, index, y)
	}
	return gatherDot64AVX512(n, &x[0], &index[0], &y[0]) + gatherDotRef(x[n:], index[n:], y)
}
