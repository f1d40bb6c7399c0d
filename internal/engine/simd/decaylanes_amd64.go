//go:build !noasm

package simd

func hasLanes() bool { return Current() == AVX512 }

func decayLanes(levels, n int, codes []byte, w []float64, lambda float64, first []float64, x []byte, v []float64) {
	if !hasLanes() || len(first) > 2 {
		decayLanesRef(levels, n, codes, w, lambda, first, x, v)
		return
	}
	var run func(n int, codes *byte, w *float64, lambda float64, first *float64, x *byte, v *float64)
	switch 2*levels + len(first) {
	case 3:
		run = decayLanes1Rows1Of64AVX512
	case 4:
		run = decayLanes1Rows2Of64AVX512
	case 5:
		run = decayLanes2Rows1Of64AVX512
	case 6:
		run = decayLanes2Rows2Of64AVX512
	case 7:
		run = decayLanes3Rows1Of64AVX512
	case 8:
		run = decayLanes3Rows2Of64AVX512
	case 9:
		run = decayLanes4Rows1Of64AVX512
	case 10:
		run = decayLanes4Rows2Of64AVX512
	default:
		decayLanesRef(levels, n, codes, w, lambda, first, x, v)
		return
	}
	run(n, &codes[0], &w[0], lambda, &first[0], &x[0], &v[0])
}
