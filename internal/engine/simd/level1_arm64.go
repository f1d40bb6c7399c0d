//go:build !noasm

package simd

// Dot64 is Σ x[i]·y[i]. The slices must be of the same length.
func Dot64(x, y []float64) float64 {
	sameLength(len(x), len(y))
	if len(x) == 0 || Current() != NEON {
		return dotRef(x, y)
	}
	return dot64NEON(len(x), &x[0], &y[0])
}

// Dot32 is Σ x[i]·y[i]. The slices must be of the same length.
func Dot32(x, y []float32) float32 {
	sameLength(len(x), len(y))
	if len(x) == 0 || Current() != NEON {
		return dotRef(x, y)
	}
	return dot32NEON(len(x), &x[0], &y[0])
}

// Axpy64 does y[i] += alpha·x[i]. The slices must be of the same length.
func Axpy64(alpha float64, x, y []float64) {
	sameLength(len(x), len(y))
	if len(x) == 0 || Current() != NEON {
		axpyRef(alpha, x, y)
		return
	}
	axpy64NEON(len(x), alpha, &x[0], &y[0])
}

// Axpy32 does y[i] += alpha·x[i]. The slices must be of the same length.
func Axpy32(alpha float32, x, y []float32) {
	sameLength(len(x), len(y))
	if len(x) == 0 || Current() != NEON {
		axpyRef(alpha, x, y)
		return
	}
	axpy32NEON(len(x), alpha, &x[0], &y[0])
}

// Scal64 does x[i] *= alpha.
func Scal64(alpha float64, x []float64) { scalRef(alpha, x) }

// Scal32 does x[i] *= alpha.
func Scal32(alpha float32, x []float32) { scalRef(alpha, x) }

// Asum64 is Σ |x[i]|.
func Asum64(x []float64) float64 { return asumRef(x) }

// Asum32 is Σ |x[i]|.
func Asum32(x []float32) float32 { return asumRef(x) }

// dot64NEON is
//
//	for i := range n { s += x[i] * y[i] }
//
// in eight partial sums, n ≥ 1.
//
//go:noescape
func dot64NEON(n int, x, y *float64) float64

// dot32NEON is dot64NEON for float32, in sixteen partial sums.
//
//go:noescape
func dot32NEON(n int, x, y *float32) float32

// axpy64NEON is
//
//	for i := range n { y[i] += alpha * x[i] }
//
// with one rounding, n ≥ 1.
//
//go:noescape
func axpy64NEON(n int, alpha float64, x, y *float64)

// axpy32NEON is axpy64NEON for float32.
//
//go:noescape
func axpy32NEON(n int, alpha float32, x, y *float32)
