package simd

func symvRowsRef(a []float64, lda int, x []float64, out *[4]float64, y []float64, coef *[4]float64) {
	var dots [4]float64
	dotRowsRef(len(x), a, lda, x, dots[:])
	for k, d := range dots {
		out[k] += d
	}
	axpyRowsRef(len(y), coef[:], a, lda, y)
}

func rotateRef(x, y []float64, c, s float64) {
	for i, v := range x {
		w := y[i]
		x[i] = c*v + s*w
		y[i] = c*w - s*v
	}
}
