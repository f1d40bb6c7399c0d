//go:build !amd64 || noasm

package simd

// GatherDot64 is Σ x[i]·y[index[i]].
func GatherDot64(x []float64, index []int32, y []float64) float64 {
	gatherLengths(x, index)
	return gatherDotRef(x, index, y)
}
