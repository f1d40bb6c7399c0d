//go:build !noasm

package simd

// Dot64 is Σ x[i]·y[i]. The slices must be of the same length.
func Dot64(x, y []float64) float64 {
	sameLength(len(x), len(y))
	if len(x) == 0 {
		return 0
	}
	switch Current() {
	case AVX512:
		return dot64AVX512(len(x), &x[0], &y[0])
	case AVX2:
		return dot64AVX2(len(x), &x[0], &y[0])
	}
	return dotRef(x, y)
}

// Dot32 is Σ x[i]·y[i]. The slices must be of the same length.
func Dot32(x, y []float32) float32 {
	sameLength(len(x), len(y))
	if len(x) == 0 {
		return 0
	}
	switch Current() {
	case AVX512:
		return dot32AVX512(len(x), &x[0], &y[0])
	case AVX2:
		return dot32AVX2(len(x), &x[0], &y[0])
	}
	return dotRef(x, y)
}
