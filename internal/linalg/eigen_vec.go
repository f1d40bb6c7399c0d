package linalg

import "github.com/mercer-ml/mercer/internal/simd"

// dotVec returns Σ xᵢ·yᵢ over the length of x.
func dotVec(x, y []float64) float64 { return simd.Dot64(x, y[:len(x)]) }

// axpyVec sets y += alpha·x over the length of x.
func axpyVec(alpha float64, x, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += alpha * v
	}
}

// rotateVec sets (x, y) to (c·x + s·y, c·y − s·x).
func rotateVec(x, y []float64, c, s float64) { simd.Rotate(x, y, c, s) }

// scaleVec sets x *= alpha.
func scaleVec(alpha float64, x []float64) {
	for i := range x {
		x[i] *= alpha
	}
}

// dotRows sets out[k] to the product of row k, stride apart in a, with x.
func dotRows(out, a []float64, stride int, x []float64) {
	k := 0
	for ; k+4 <= len(out); k += 4 {
		clear(out[k : k+4])
		simd.DotRows(a[k*stride:], stride, x, out[k:k+4])
	}
	for ; k < len(out); k++ {
		out[k] = dotVec(x, a[k*stride:])
	}
}

// axpyRows adds Σₖ coef[k]·(row k of a) to y.
func axpyRows(coef, a []float64, stride int, y []float64) {
	k := 0
	for ; k+4 <= len(coef); k += 4 {
		simd.AxpyRows(a[k*stride:], stride, y, coef[k:k+4])
	}
	for ; k < len(coef); k++ {
		axpyVec(coef[k], a[k*stride:k*stride+len(y)], y)
	}
}
