package simd

// Finite says whether no number is NaN or infinite: v - v is 0 of the others.
func Finite(values []float64) bool {
	var s0, s1, s2, s3 float64
	for len(values) >= 4 {
		v := values[:4]
		s0 += v[0] - v[0]
		s1 += v[1] - v[1]
		s2 += v[2] - v[2]
		s3 += v[3] - v[3]
		values = values[4:]
	}
	for _, v := range values {
		s0 += v - v
	}
	return s0+s1+s2+s3 == 0
}
