//go:build !amd64 || noasm

package simd

// SymvRows64 does out[k] += Σ a[k·lda+i]·x[i] and y[i] += Σ coef[k]·a[k·lda+i], for
// four rows k and the len(x) = len(y) columns i, in one pass over the rows: what
// four rows left of the diagonal contribute to a symmetric product.
func SymvRows64(a []float64, lda int, x []float64, out *[4]float64, y []float64, coef *[4]float64) {
	sameLength(len(x), len(y))
	fourRows(len(a), lda, len(x))
	symvRowsRef(a, lda, x, out, y, coef)
}

// Rotate64 sets (x, y) = (c·x + s·y, c·y − s·x). The slices must be of the same length.
func Rotate64(x, y []float64, c, s float64) {
	sameLength(len(x), len(y))
	rotateRef(x, y, c, s)
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
	symmRowsRef(n, a, lda, x, ldx, out, y, ldy, coef)
}
