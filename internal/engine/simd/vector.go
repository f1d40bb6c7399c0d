package simd

// The vector functions. dst and src have the same length; they may be the same
// slice, but must not overlap otherwise. Every element goes through the same
// arithmetic whatever its place in the slice, and every CPU level gives the
// same bits. Zeros, infinities and NaN are treated as the math package does;
// results below the smallest normal number are rounded to the nearest
// denormal, never flushed, and denormal arguments count in full.
//
// The bound stated at each function, in units in the last place of the exact
// result, is what vector_accuracy_test.go fails beyond.

// Exp64 sets dst[i] = exp(src[i]), within 1 ulp.
func Exp64(dst, src []float64) {
	if sameLength(len(dst), len(src)); len(src) > 0 {
		exp64(dst, src)
	}
}

// ScaleExp64 sets dst[i] = exp(a*src[i]): within 1 ulp of exp of the rounded
// product, whose rounding changes the result by a relative |a·src[i]|·2^-53.
func ScaleExp64(dst, src []float64, a float64) {
	if sameLength(len(dst), len(src)); len(src) > 0 {
		scaleExp64(dst, src, a)
	}
}

// ScaleExp32 is ScaleExp64 in single precision, where the product's rounding
// costs a relative |a·src[i]|·2^-24.
func ScaleExp32(dst, src []float32, a float32) {
	if sameLength(len(dst), len(src)); len(src) > 0 {
		scaleExp32(dst, src, a)
	}
}

// Tanh64 sets dst[i] = tanh(src[i]), within 2 ulp.
func Tanh64(dst, src []float64) {
	if sameLength(len(dst), len(src)); len(src) > 0 {
		tanh64(dst, src)
	}
}

// Tanh32 sets dst[i] = tanh(src[i]), within 2 ulp.
func Tanh32(dst, src []float32) {
	if sameLength(len(dst), len(src)); len(src) > 0 {
		tanh32(dst, src)
	}
}

// Log1p64 sets dst[i] = log(1+src[i]) without cancellation near 0, within 1 ulp.
func Log1p64(dst, src []float64) {
	if sameLength(len(dst), len(src)); len(src) > 0 {
		log1p64(dst, src)
	}
}

// Log1p32 sets dst[i] = log(1+src[i]) without cancellation near 0, within 1 ulp.
func Log1p32(dst, src []float32) {
	if sameLength(len(dst), len(src)); len(src) > 0 {
		log1p32(dst, src)
	}
}

// Sqrt64 sets dst[i] = sqrt(src[i]), correctly rounded.
func Sqrt64(dst, src []float64) {
	if sameLength(len(dst), len(src)); len(src) > 0 {
		sqrt64(dst, src)
	}
}

// Sqrt32 sets dst[i] = sqrt(src[i]), correctly rounded.
func Sqrt32(dst, src []float32) {
	if sameLength(len(dst), len(src)); len(src) > 0 {
		sqrt32(dst, src)
	}
}

// Reciprocal64 sets dst[i] = 1/src[i], correctly rounded.
func Reciprocal64(dst, src []float64) {
	if sameLength(len(dst), len(src)); len(src) > 0 {
		reciprocal64(dst, src)
	}
}

// Affine64 sets dst[i] = a*src[i]+b, rounded once.
func Affine64(dst, src []float64, a, b float64) {
	if sameLength(len(dst), len(src)); len(src) > 0 {
		affine64(dst, src, a, b)
	}
}

// Affine32 sets dst[i] = a*src[i]+b, rounded once.
func Affine32(dst, src []float32, a, b float32) {
	if sameLength(len(dst), len(src)); len(src) > 0 {
		affine32(dst, src, a, b)
	}
}
