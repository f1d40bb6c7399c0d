package simd

import "math"

// expSumExponent is ⟨x_l, c_j⟩, or with a scale that times min(‖x_l-c_j‖², most).
func expSumExponent[F Float](d int, x, c []F, ldc, width, l, j int, scale, most F) F {
	var s F
	for p := range d {
		a, b := x[p*width+l], c[p*ldc+j]
		if scale != 0 {
			b = a - b
			a = b
		}
		s = fma(a, b, s)
	}
	if scale != 0 {
		s = scale * min(s, most)
	}
	return s
}

func expSumRef[F Float](d int, x, c []F, ldc int, scale, most F, w, v, out, sums []F) {
	width := len(out)
	for j, weight := range w {
		for l := range out {
			k := F(math.Exp2(float64(expSumExponent(d, x, c, ldc, width, l, j, scale, most))))
			out[l] = fma(weight, k, out[l])
			if sums != nil {
				at := &sums[j*(width/2)+l%(width/2)]
				*at = fma(v[l], k, *at)
			}
		}
	}
}
