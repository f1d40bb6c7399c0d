package simd

// Narrow sets dst[i] = float32(src[i]), rounded to nearest.
func Narrow(dst []float32, src []float64) {
	if sameLength(len(dst), len(src)); len(src) > 0 {
		narrow(dst, src)
	}
}

// Widen sets dst[i] = float64(src[i]), exactly.
func Widen(dst []float64, src []float32) {
	if sameLength(len(dst), len(src)); len(src) > 0 {
		widen(dst, src)
	}
}
