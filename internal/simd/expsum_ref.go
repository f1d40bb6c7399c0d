package simd

import "math"

// expSumExponent is ⟨x_l, c_j⟩ or -‖x_l-c_j‖².
func expSumExponent[F Float](d int, x, c []F, ldc, width, l, j int, distance bool) F {
	var s F
	for p := range d {
		a, b := x[p*width+l], c[p*ldc+j]
		if distance {
			s = fma(-(a - b), a-b, s)
		} else {
			s = fma(a, b, s)
		}
	}
	if distance {
		floor := F(-1000)
		if isSingle[F]() {
			floor = -120
		}
		s = max(s, floor)
	}
	return s
}

func expSumRef[F Float](d int, x, c []F, ldc int, w, v, out, sums []F, distance bool) {
	width := len(out)
	for j, weight := range w {
		for l := range out {
			k := F(math.Exp2(float64(expSumExponent(d, x, c, ldc, width, l, j, distance))))
			out[l] = fma(weight, k, out[l])
			if sums != nil {
				at := &sums[j*(width/2)+l%(width/2)]
				*at = fma(v[l], k, *at)
			}
		}
	}
}
