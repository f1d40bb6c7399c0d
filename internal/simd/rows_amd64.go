//go:build !noasm

package simd

// DotRows adds Σ a[k·stride+i]·x[i] to out[k], for four rows k.
func DotRows(a []float64, stride int, x, out []float64) {
	checkRows(len(x), a, stride, out)
	if len(x) == 0 {
		return
	}
	switch Current() {
	case AVX512:
		dotRows64AVX512(len(x), &a[0], stride, &x[0], &out[0])
	case AVX2:
		dotRows64AVX2(len(x), &a[0], stride, &x[0], &out[0])
	default:
		dotRowsRef(a, stride, x, out)
	}
}

// AxpyRows adds Σₖ coef[k]·a[k·stride+i] to y[i], for four rows k.
func AxpyRows(a []float64, stride int, y, coef []float64) {
	checkRows(len(y), a, stride, coef)
	if len(y) == 0 {
		return
	}
	switch Current() {
	case AVX512:
		axpyRows64AVX512(len(y), &a[0], stride, &y[0], &coef[0])
	case AVX2:
		axpyRows64AVX2(len(y), &a[0], stride, &y[0], &coef[0])
	default:
		axpyRowsRef(a, stride, y, coef)
	}
}

// SymvRows is DotRows(a, stride, x, out) and AxpyRows(a, stride, y, coef) in
// one pass over the rows. x and y are of the same length.
func SymvRows(a []float64, stride int, x, out, y, coef []float64) {
	sameLength(len(x), len(y))
	checkRows(len(x), a, stride, out)
	checkRows(len(x), a, stride, coef)
	if len(x) == 0 {
		return
	}
	switch Current() {
	case AVX512:
		symvRows64AVX512(len(x), &a[0], stride, &x[0], &out[0], &y[0], &coef[0])
	case AVX2:
		symvRows64AVX2(len(x), &a[0], stride, &x[0], &out[0], &y[0], &coef[0])
	default:
		dotRowsRef(a, stride, x, out)
		axpyRowsRef(a, stride, y, coef)
	}
}

// Rotate sets (x, y) = (c·x + s·y, c·y − s·x). The slices must be of the same length.
func Rotate(x, y []float64, c, s float64) {
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
