//go:build !amd64 || noasm

package simd

func squaredDifference64(dst, src []float64, a float64) { squaredDifferenceRef(dst, src, a) }
