package simd

// checkRows panics unless a holds four rows of n entries, stride apart.
func checkRows(n int, a []float64, stride int, four []float64) {
	if stride < 0 || len(a) < 3*stride+n || len(four) < 4 {
		panic("simd: four rows do not fit their slice")
	}
}

func dotRowsRef(a []float64, stride int, x, out []float64) {
	for k := range 4 {
		row := a[k*stride:]
		s := 0.0
		for i, v := range x {
			s += row[i] * v
		}
		out[k] += s
	}
}

func axpyRowsRef(a []float64, stride int, y, coef []float64) {
	for k := range 4 {
		row := a[k*stride:]
		for i := range y {
			y[i] += coef[k] * row[i]
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
