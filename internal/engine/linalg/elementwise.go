package linalg

import "github.com/mercer-ml/mercer/internal/engine/par"

// Elements of a long vector one goroutine takes at a time: both sides fit L2.
const elementwiseGrain = 1 << 14

// Elementwise applies a vector function of package simd, such as simd.Exp64, to
// pieces of a long vector in parallel: dst[i] = f(src[i]). dst may be src. The result does
// not depend on the pieces, since those functions do not on the place of an element.
func Elementwise[F Float](t int, dst, src []F, f func(dst, src []F)) {
	if len(src) <= elementwiseGrain {
		f(dst, src)
		return
	}
	par.For(t, len(src), elementwiseGrain, func(lo, hi int) { f(dst[lo:hi], src[lo:hi]) })
}
