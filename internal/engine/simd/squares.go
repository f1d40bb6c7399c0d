package simd

// SquaredDifference64 sets dst[i] = (src[i]-a)²: one coordinate's part of the
// squared distances of many points, stored a coordinate at a time, from one.
// dst and src may be the same slice.
func SquaredDifference64(dst, src []float64, a float64) {
	if sameLength(len(dst), len(src)); len(src) > 0 {
		squaredDifference64(dst, src, a)
	}
}

func squaredDifferenceRef(dst, src []float64, a float64) {
	for i, v := range src {
		d := v - a
		dst[i] = d * d
	}
}
