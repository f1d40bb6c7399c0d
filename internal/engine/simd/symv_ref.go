package simd

func symvRowsRef(a []float64, lda int, x []float64, out *[4]float64, y []float64, coef *[4]float64) {
	var dots [4]float64
	dotRowsRef(len(x), a, lda, x, dots[:])
	for k, d := range dots {
		out[k] += d
	}
	axpyRowsRef(len(y), coef[:], a, lda, y)
}

func symmRowsRef(
	n int, a []float64, lda int, x []float64, ldx int, out *[16][8]float64, y []float64, ldy int, coef *[16]float64,
) {
	for c := range 4 {
		var sums [4]float64
		symvRowsRef(a, lda, x[c*ldx:c*ldx+n], &sums, y[c*ldy:c*ldy+n], (*[4]float64)(coef[4*c:]))
		for k, s := range sums {
			out[4*c+k][0] += s
		}
	}
}

func rotateRef(x, y []float64, c, s float64) {
	for i, v := range x {
		w := y[i]
		x[i] = c*v + s*w
		y[i] = c*w - s*v
	}
}
