//go:build !noasm

package simd

func exp64(dst, src []float64) {
	switch Current() {
	case AVX512:
		exp64AVX512(len(src), &dst[0], &src[0])
	case AVX2:
		exp64AVX2(len(src), &dst[0], &src[0])
	default:
		expRef(dst, src)
	}
}

func scaleExp64(dst, src []float64, a float64) {
	switch Current() {
	case AVX512:
		scaleExp64AVX512(len(src), &dst[0], &src[0], a)
	case AVX2:
		scaleExp64AVX2(len(src), &dst[0], &src[0], a)
	default:
		scaleExpRef(dst, src, a)
	}
}

func scaleExp32(dst, src []float32, a float32) {
	switch Current() {
	case AVX512:
		scaleExp32AVX512(len(src), &dst[0], &src[0], a)
	case AVX2:
		scaleExp32AVX2(len(src), &dst[0], &src[0], a)
	default:
		scaleExpRef(dst, src, a)
	}
}

func tanh64(dst, src []float64) {
	switch Current() {
	case AVX512:
		tanh64AVX512(len(src), &dst[0], &src[0])
	case AVX2:
		tanh64AVX2(len(src), &dst[0], &src[0])
	default:
		tanhRef(dst, src)
	}
}

func tanh32(dst, src []float32) {
	switch Current() {
	case AVX512:
		tanh32AVX512(len(src), &dst[0], &src[0])
	case AVX2:
		tanh32AVX2(len(src), &dst[0], &src[0])
	default:
		tanhRef(dst, src)
	}
}

func log1p64(dst, src []float64) {
	switch Current() {
	case AVX512:
		log1p64AVX512(len(src), &dst[0], &src[0])
	case AVX2:
		log1p64AVX2(len(src), &dst[0], &src[0])
	default:
		log1pRef(dst, src)
	}
}

func log1p32(dst, src []float32) {
	switch Current() {
	case AVX512:
		log1p32AVX512(len(src), &dst[0], &src[0])
	case AVX2:
		log1p32AVX2(len(src), &dst[0], &src[0])
	default:
		log1pRef(dst, src)
	}
}

func sqrt64(dst, src []float64) {
	switch Current() {
	case AVX512:
		sqrt64AVX512(len(src), &dst[0], &src[0])
	case AVX2:
		sqrt64AVX2(len(src), &dst[0], &src[0])
	default:
		sqrtRef(dst, src)
	}
}

func sqrt32(dst, src []float32) {
	switch Current() {
	case AVX512:
		sqrt32AVX512(len(src), &dst[0], &src[0])
	case AVX2:
		sqrt32AVX2(len(src), &dst[0], &src[0])
	default:
		sqrtRef(dst, src)
	}
}

func reciprocal64(dst, src []float64) {
	switch Current() {
	case AVX512:
		reciprocal64AVX512(len(src), &dst[0], &src[0])
	case AVX2:
		reciprocal64AVX2(len(src), &dst[0], &src[0])
	default:
		reciprocalRef(dst, src)
	}
}

func affine64(dst, src []float64, a, b float64) {
	switch Current() {
	case AVX512:
		affine64AVX512(len(src), &dst[0], &src[0], a, b)
	case AVX2:
		affine64AVX2(len(src), &dst[0], &src[0], a, b)
	default:
		affineRef(dst, src, a, b)
	}
}

func affine32(dst, src []float32, a, b float32) {
	switch Current() {
	case AVX512:
		affine32AVX512(len(src), &dst[0], &src[0], a, b)
	case AVX2:
		affine32AVX2(len(src), &dst[0], &src[0], a, b)
	default:
		affineRef(dst, src, a, b)
	}
}

func powInt64(dst, src []float64, p, top int) {
	switch Current() {
	case AVX512:
		powInt64AVX512(len(src), &dst[0], &src[0], p, top)
	case AVX2:
		powInt64AVX2(len(src), &dst[0], &src[0], p, top)
	default:
		powIntRef(dst, src, p, top)
	}
}

func powInt32(dst, src []float32, p, top int) {
	switch Current() {
	case AVX512:
		powInt32AVX512(len(src), &dst[0], &src[0], p, top)
	case AVX2:
		powInt32AVX2(len(src), &dst[0], &src[0], p, top)
	default:
		powIntRef(dst, src, p, top)
	}
}

func pow64(dst, src []float64, c *powCase) {
	switch Current() {
	case AVX512:
		pow64AVX512(len(src), &dst[0], &src[0], c.p, c.negative, c.zero, c.infinite, c.flip)
	case AVX2:
		pow64AVX2(len(src), &dst[0], &src[0], c.p, c.negative, c.zero, c.infinite, c.flip)
	default:
		powRef(dst, src, c)
	}
}
