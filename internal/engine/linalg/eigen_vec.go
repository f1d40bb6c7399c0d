package linalg

import "github.com/mercer-ml/mercer/internal/engine/simd"

// dotVec returns Σ xᵢ·yᵢ over the length of x.
func dotVec(x, y []float64) float64 { return simd.Dot64(x, y[:len(x)]) }

// axpyVec sets y += alpha·x over the length of x.
func axpyVec(alpha float64, x, y []float64) { simd.Axpy64(alpha, x, y[:len(x)]) }

// rotateVec sets (x, y) to (c·x + s·y, c·y − s·x).
func rotateVec(x, y []float64, c, s float64) { simd.Rotate64(x, y, c, s) }

// scaleVec sets x *= alpha.
func scaleVec(alpha float64, x []float64) { simd.Scal64(alpha, x) }

// dotRows sets out[k] to the product of row k, stride apart in a, with x.
func dotRows(out, a []float64, stride int, x []float64) {
	k := 0
	for ; k+4 <= len(out); k += 4 {
		simd.DotRows64(a[k*stride:], stride, x, (*[4]float64)(out[k:]))
	}
	for ; k < len(out); k++ {
		out[k] = dotVec(x, a[k*stride:])
	}
}

// axpyRows adds Σₖ coef[k]·(row k of a) to y.
func axpyRows(coef, a []float64, stride int, y []float64) {
	k := 0
	for ; k+4 <= len(coef); k += 4 {
		simd.AxpyRows64((*[4]float64)(coef[k:]), a[k*stride:], stride, y)
	}
	for ; k < len(coef); k++ {
		axpyVec(coef[k], a[k*stride:k*stride+len(y)], y)
	}
}
