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

// Axpy64 does y[i] += alpha·x[i]. The slices must be of the same length.
func Axpy64(alpha float64, x, y []float64) {
	sameLength(len(x), len(y))
	if len(x) == 0 {
		return
	}
	switch Current() {
	case AVX512:
		axpy64AVX512(len(x), alpha, &x[0], &y[0])
	case AVX2:
		axpy64AVX2(len(x), alpha, &x[0], &y[0])
	default:
		axpyRef(alpha, x, y)
	}
}

// Axpy32 does y[i] += alpha·x[i]. The slices must be of the same length.
func Axpy32(alpha float32, x, y []float32) {
	sameLength(len(x), len(y))
	if len(x) == 0 {
		return
	}
	switch Current() {
	case AVX512:
		axpy32AVX512(len(x), alpha, &x[0], &y[0])
	case AVX2:
		axpy32AVX2(len(x), alpha, &x[0], &y[0])
	default:
		axpyRef(alpha, x, y)
	}
}

// Scal64 does x[i] *= alpha.
func Scal64(alpha float64, x []float64) {
	if len(x) == 0 {
		return
	}
	switch Current() {
	case AVX512:
		scal64AVX512(len(x), alpha, &x[0])
	case AVX2:
		scal64AVX2(len(x), alpha, &x[0])
	default:
		scalRef(alpha, x)
	}
}

// Scal32 does x[i] *= alpha.
func Scal32(alpha float32, x []float32) {
	if len(x) == 0 {
		return
	}
	switch Current() {
	case AVX512:
		scal32AVX512(len(x), alpha, &x[0])
	case AVX2:
		scal32AVX2(len(x), alpha, &x[0])
	default:
		scalRef(alpha, x)
	}
}

// Asum64 is Σ |x[i]|.
func Asum64(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	switch Current() {
	case AVX512:
		return asum64AVX512(len(x), &x[0])
	case AVX2:
		return asum64AVX2(len(x), &x[0])
	}
	return asumRef(x)
}

// Asum32 is Σ |x[i]|.
func Asum32(x []float32) float32 {
	if len(x) == 0 {
		return 0
	}
	switch Current() {
	case AVX512:
		return asum32AVX512(len(x), &x[0])
	case AVX2:
		return asum32AVX2(len(x), &x[0])
	}
	return asumRef(x)
}
