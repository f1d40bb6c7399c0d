package simd

import "math"

// Float is the element type of the routines.
type Float interface{ float32 | float64 }

func dotRef[F Float](x, y []F) F {
	var s F
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

func axpyRef[F Float](alpha F, x, y []F) {
	for i, v := range x {
		y[i] += alpha * v
	}
}

func scalRef[F Float](alpha F, x []F) {
	for i := range x {
		x[i] *= alpha
	}
}

func asumRef[F Float](x []F) F {
	var s F
	for _, v := range x {
		s += F(math.Abs(float64(v)))
	}
	return s
}

func dotRowsRef[F Float](n int, a []F, lda int, x, out []F) {
	for r := range 4 {
		out[r] = dotRef(a[r*lda:r*lda+n], x[:n])
	}
}

func axpyRowsRef[F Float](n int, alpha, a []F, lda int, y []F) {
	for r := range 4 {
		axpyRef(alpha[r], a[r*lda:r*lda+n], y[:n])
	}
}
