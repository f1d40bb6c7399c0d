//go:build !noasm

package simd

func poleSumsLevel(d, z []float64, base, tau float64) (value, slope float64, done int) {
	var out [2]float64
	if len(d) == 0 {
		return 0, 0, 0
	}
	switch Current() {
	case AVX512:
		poleSums64AVX512(len(d), &d[0], &z[0], base, tau, &out[0])
	case AVX2:
		poleSums64AVX2(len(d), &d[0], &z[0], base, tau, &out[0])
	default:
		return 0, 0, 0
	}
	return out[0], out[1], len(d)
}

func ratiosLevel(pole float64, d, x, y []float64) (done int) {
	if len(d) == 0 {
		return 0
	}
	switch Current() {
	case AVX512:
		ratios64AVX512(len(d), pole, &d[0], &x[0], &y[0])
	case AVX2:
		ratios64AVX2(len(d), pole, &d[0], &x[0], &y[0])
	default:
		return 0
	}
	return len(d)
}
