//go:build !noasm

package simd

func squaredDifference64(dst, src []float64, a float64) {
	switch Current() {
	case AVX512:
		squaredDifference64AVX512(len(src), &dst[0], &src[0], a)
	case AVX2:
		squaredDifference64AVX2(len(src), &dst[0], &src[0], a)
	default:
		squaredDifferenceRef(dst, src, a)
	}
}
