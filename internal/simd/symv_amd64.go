//go:build !noasm

package simd

// SymvRows64 does out[k] += Σ a[k·lda+i]·x[i] and y[i] += Σ coef[k]·a[k·lda+i], for
// four rows k and the len(x) = len(y) columns i, in one pass over the rows: what
// four rows left of the diagonal contribute to a symmetric product.
func SymvRows64(a []float64, lda int, x []float64, out *[4]float64, y []float64, coef *[4]float64) {
	sameLength(len(x), len(y))
	fourRows(len(a), lda, len(x))
	if len(x) == 0 {
		return
	}
	switch Current() {
	case AVX512:
		symvRows64AVX512(len(x), &a[0], lda, &x[0], &out[0], &y[0], &coef[0])
	case AVX2:
		symvRows64AVX2(len(x), &a[0], lda, &x[0], &out[0], &y[0], &coef[0])
	default:
		symvRowsRef(a, lda, x, out, y, coef)
	}
}

// Rotate64 sets (x, y) = (c·x + s·y, c·y − s·x). The slices must be of the same length.
func Rotate64(x, y []float64, c, s float64) {
	sameLength(len(x), len(y))
	if len(x) == 0 {
		return
	}
	switch Current() {
	case AVX512:
		rotate64AVX512(len(x), &x[0], &y[0], c, s)
	case AVX2:
		rotate64AVX2(len(x), &x[0], &y[0], c, s)
	default:
		rotateRef(x, y, c, s)
	}
}
