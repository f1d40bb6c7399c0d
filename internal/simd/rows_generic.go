//go:build !amd64 || noasm

package simd

// DotRows adds Σ a[k·stride+i]·x[i] to out[k], for four rows k.
func DotRows(a []float64, stride int, x, out []float64) {
	checkRows(len(x), a, stride, out)
	dotRowsRef(a, stride, x, out)
}

// AxpyRows adds Σₖ coef[k]·a[k·stride+i] to y[i], for four rows k.
func AxpyRows(a []float64, stride int, y, coef []float64) {
	checkRows(len(y), a, stride, coef)
	axpyRowsRef(a, stride, y, coef)
}

// SymvRows is DotRows(a, stride, x, out) and AxpyRows(a, stride, y, coef) in
// one pass over the rows. x and y are of the same length.
func SymvRows(a []float64, stride int, x, out, y, coef []float64) {
	sameLength(len(x), len(y))
	DotRows(a, stride, x, out)
	AxpyRows(a, stride, y, coef)
}

// Rotate sets (x, y) = (c·x + s·y, c·y − s·x). The slices must be of the same length.
func Rotate(x, y []float64, c, s float64) {
	sameLength(len(x), len(y))
	rotateRef(x, y, c, s)
}
