package simd

// AddRows does y[i] += Σ alpha[r]·x[r][i] over r < 4, for the len(y) first
// entries of the rows: single-precision rows, double-precision sums.
func AddRows(alpha *[4]float64, x *[4][]float32, y []float64) {
	for _, row := range x {
		_ = row[:len(y)]
	}
	done := addRowsWhole(alpha, x, y)
	for i := done; i < len(y); i++ {
		y[i] += (alpha[0]*float64(x[0][i]) + alpha[1]*float64(x[1][i])) + (alpha[2]*float64(x[2][i]) + alpha[3]*float64(x[3][i]))
	}
}
