//go:build !noasm

package simd

// addRowsWhole does whole vectors and returns how many entries those were.
func addRowsWhole(alpha *[4]float64, x *[4][]float32, y []float64) int {
	n := 0
	switch Current() {
	case AVX512:
		if n = len(y) &^ 15; n > 0 {
			addRows64AVX512(n, &alpha[0], &x[0][0], &x[1][0], &x[2][0], &x[3][0], &y[0])
		}
	case AVX2:
		if n = len(y) &^ 7; n > 0 {
			addRows64AVX2(n, &alpha[0], &x[0][0], &x[1][0], &x[2][0], &x[3][0], &y[0])
		}
	}
	return n
}
