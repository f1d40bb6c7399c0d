package linalg

// dotVec returns Σ xᵢ·yᵢ over the length of x.
func dotVec(x, y []float64) float64 {
	y = y[:len(x)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		s0 += x[i] * y[i]
		s1 += x[i+1] * y[i+1]
		s2 += x[i+2] * y[i+2]
		s3 += x[i+3] * y[i+3]
	}
	for ; i < len(x); i++ {
		s0 += x[i] * y[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// axpyVec sets y += alpha·x over the length of x.
func axpyVec(alpha float64, x, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += alpha * v
	}
}

// rotateVec sets (x, y) to (c·x + s·y, c·y − s·x).
func rotateVec(x, y []float64, c, s float64) {
	y = y[:len(x)]
	for i, v := range x {
		w := y[i]
		x[i] = c*v + s*w
		y[i] = c*w - s*v
	}
}

// scaleVec sets x *= alpha.
func scaleVec(alpha float64, x []float64) {
	for i := range x {
		x[i] *= alpha
	}
}
