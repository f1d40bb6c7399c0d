package simd

// fourPairSums sums term over the elements of x and of each of four rows.
func fourPairSums[F Float](x, y0, y1, y2, y3 []F, dst *[4]F, term func(x, y F) F) {
	for j, y := range [4][]F{y0, y1, y2, y3} {
		var s F
		for i, v := range x {
			s += term(v, y[i])
		}
		dst[j] = s
	}
}

func squaredDistancesRef[F Float](x, y0, y1, y2, y3 []F, dst *[4]F) {
	fourPairSums(x, y0, y1, y2, y3, dst, func(x, y F) F { return (x - y) * (x - y) })
}

func absoluteDistancesRef[F Float](x, y0, y1, y2, y3 []F, dst *[4]F) {
	fourPairSums(x, y0, y1, y2, y3, dst, func(x, y F) F { return max(x-y, y-x) })
}

func minimumSumsRef[F Float](x, y0, y1, y2, y3 []F, dst *[4]F) {
	fourPairSums(x, y0, y1, y2, y3, dst, func(x, y F) F { return min(x, y) })
}

func chiSquaredDistancesRef[F Float](x, y0, y1, y2, y3 []F, dst *[4]F) {
	fourPairSums(x, y0, y1, y2, y3, dst, func(x, y F) F {
		if x+y == 0 {
			return 0
		}
		return (x - y) * (x - y) / (x + y)
	})
}

func addNormsRef[F Float](row, norms []F, norm, tau F) (small bool) {
	for i, q := range norms {
		s := norm + q
		row[i] += s
		if !(row[i] > tau*s) {
			small = true
		}
	}
	return small
}

func convertRef[D, S Float](dst []D, src []S) {
	for i, v := range src {
		dst[i] = D(v)
	}
}
