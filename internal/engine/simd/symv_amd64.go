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

// SymmRows64 is SymvRows64 for four vectors c at once: rows ldx apart in x and
// ldy apart in y, of n columns; coefficients are taken from coef[4c+k]. The terms of a
// product are added to any of the eight numbers at out[4c+k], whose sum it then is: a caller
// who goes through long rows piece by piece adds them up once.
func SymmRows64(
	n int, a []float64, lda int, x []float64, ldx int, out *[16][8]float64, y []float64, ldy int, coef *[16]float64,
) {
	fourRows(len(a), lda, n)
	fourRows(len(x), ldx, n)
	fourRows(len(y), ldy, n)
	if n == 0 {
		return
	}
	switch Current() {
	case AVX512:
		symmRows64AVX512(n, &a[0], lda, &x[0], ldx, &out[0][0], &y[0], ldy, &coef[0])
	case AVX2:
		for c := range 4 {
			var sums [4]float64
			symvRows64AVX2(n, &a[0], lda, &x[c*ldx], &sums[0], &y[c*ldy], &coef[4*c])
			for k, s := range sums {
				out[4*c+k][0] += s
			}
		}
	default:
		symmRowsRef(n, a, lda, x, ldx, out, y, ldy, coef)
	}
}
