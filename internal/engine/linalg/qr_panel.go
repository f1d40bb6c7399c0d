package linalg

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// qrBase is the number of columns below which reflectors are made one by one.
const qrBase = 16

// qrPanel factorises the panel a (at least as tall as wide): R and the
// reflectors replace a, v gets the reflectors with their unit diagonal, tri
// the T of I − V·T·Vᵀ. The halving (Elmroth and Gustavson 2000) makes products
// of all but the narrowest strips:
//
//	T = [T₁ −T₁·(V₁ᵀ·V₂)·T₂; 0 T₂].
func qrPanel(w crew, a, v, tri Matrix[float64]) {
	m, n := a.Rows, a.Cols
	if n <= qrBase {
		qrStrip(a, v, tri)
		return
	}
	h := splitAt(n, qrBase)
	v1, t1 := v.Slice(0, m, 0, h), tri.Slice(0, h, 0, h)
	qrPanel(w, a.Slice(0, m, 0, h), v1, t1)
	a2 := a.Slice(0, m, h, n)
	applyReflectors(w, v1, t1, Trans, a2)
	v2, t2 := v.Slice(h, m, h, n), tri.Slice(h, n, h, n)
	qrPanel(w, a2.Slice(h, m, 0, n-h), v2, t2)
	vv := New[float64](h, n-h)
	gemm(w, Trans, NoTrans, 1, v1.Slice(h, m, 0, h), v2, 0, vv)
	vvt := New[float64](h, n-h)
	gemm(w, NoTrans, NoTrans, 1, vv, t2, 0, vvt)
	gemm(w, NoTrans, NoTrans, -1, t1, vvt, 0, tri.Slice(0, h, h, n))
}

// qrStrip works on a transposed copy so that a column is contiguous.
func qrStrip(a, v, tri Matrix[float64]) {
	m, n := a.Rows, a.Cols
	cols := New[float64](n, m)
	for i := range m {
		for j, x := range a.Row(i) {
			cols.Set(j, i, x)
		}
	}
	for j := range n {
		c := cols.Row(j)
		beta, tau := householder(c[j:])
		for k := j + 1; k < n; k++ {
			ck := cols.Row(k)[j:]
			simd.Axpy(-tau*simd.Dot(c[j:], ck), c[j:], ck)
		}
		// Column j of T: τ at the diagonal, −τ·T·(Vᵀ·vⱼ) above.
		tri.Set(j, j, tau)
		for i := range j {
			tri.Set(i, j, -tau*simd.Dot(cols.Row(i)[j:], c[j:]))
		}
		for i := range j { // T is upper triangular: row i needs rows ≥ i
			s := 0.0
			for k := i; k < j; k++ {
				s += tri.At(i, k) * tri.At(k, j)
			}
			tri.Set(i, j, s)
		}
		a.Set(j, j, beta)
		for i := range j {
			a.Set(i, j, c[i])
		}
	}
	for i := range m {
		for j := range min(i, n) {
			a.Set(i, j, cols.At(j, i))
			v.Set(i, j, cols.At(j, i))
		}
		if i < n {
			v.Set(i, i, 1)
		}
	}
}

// householder overwrites x with v, v₀ = 1, such that (I − τ·v·vᵀ)·x = β·e₀.
func householder(x []float64) (beta, tau float64) {
	if len(x) == 0 {
		return 0, 0
	}
	alpha := x[0]
	rest := simd.Norm(x[1:])
	if rest == 0 {
		x[0] = 1
		return alpha, 0
	}
	norm := math.Hypot(alpha, rest)
	scale := 1.0
	if norm < 0x1p-960 { // 1/(α−β) could overflow: work on a scaled copy
		scale = 0x1p-200
		for i := range x {
			x[i] /= scale
		}
		alpha, norm = alpha/scale, math.Hypot(x[0], simd.Norm(x[1:]))
	}
	b := -math.Copysign(norm, alpha)
	tau = (b - alpha) / b
	inv := 1 / (alpha - b)
	if math.IsInf(alpha-b, 0) || inv == 0 || math.Abs(inv) < 0x1p-1022 {
		for i := range x[1:] { // 1/(α−β) underflows: divide instead
			x[i+1] = x[i+1] / b / (alpha/b - 1)
		}
	} else {
		for i := range x[1:] {
			x[i+1] *= inv
		}
	}
	x[0] = 1
	return b * scale, tau
}

func usablePivot(d float64) bool {
	return d != 0 && !math.IsNaN(d) && !math.IsInf(d, 0)
}
