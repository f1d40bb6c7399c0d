//go:build (!amd64 && !arm64) || noasm

package simd

// Dot64 is Σ x[i]·y[i]. The slices must be of the same length.
func Dot64(x, y []float64) float64 {
	sameLength(len(x), len(y))
	return dotRef(x, y)
}

// Dot32 is Σ x[i]·y[i]. The slices must be of the same length.
func Dot32(x, y []float32) float32 {
	sameLength(len(x), len(y))
	return dotRef(x, y)
}

// Axpy64 does y[i] += alpha·x[i]. The slices must be of the same length.
func Axpy64(alpha float64, x, y []float64) {
	sameLength(len(x), len(y))
	axpyRef(alpha, x, y)
}

// Axpy32 does y[i] += alpha·x[i]. The slices must be of the same length.
func Axpy32(alpha float32, x, y []float32) {
	sameLength(len(x), len(y))
	axpyRef(alpha, x, y)
}

// Scal64 does x[i] *= alpha.
func Scal64(alpha float64, x []float64) {
	scalRef(alpha, x)
}

// Scal32 does x[i] *= alpha.
func Scal32(alpha float32, x []float32) {
	scalRef(alpha, x)
}

// Asum64 is Σ |x[i]|.
func Asum64(x []float64) float64 {
	return asumRef(x)
}

// Asum32 is Σ |x[i]|.
func Asum32(x []float32) float32 {
	return asumRef(x)
}
