//go:build !noasm

package simd

func squaredDistances64(x, y0, y1, y2, y3 []float64, dst *[4]float64) {
	if Current() != NEON {
		squaredDistancesRef(x, y0, y1, y2, y3, dst)
		return
	}
	squaredDistances64NEON(len(x), &x[0], &y0[0], &y1[0], &y2[0], &y3[0], dst)
}

func absoluteDistances64(x, y0, y1, y2, y3 []float64, dst *[4]float64) {
	if Current() != NEON {
		absoluteDistancesRef(x, y0, y1, y2, y3, dst)
		return
	}
	absoluteDistances64NEON(len(x), &x[0], &y0[0], &y1[0], &y2[0], &y3[0], dst)
}

func absoluteDistances32(x, y0, y1, y2, y3 []float32, dst *[4]float32) {
	if Current() != NEON {
		absoluteDistancesRef(x, y0, y1, y2, y3, dst)
		return
	}
	absoluteDistances32NEON(len(x), &x[0], &y0[0], &y1[0], &y2[0], &y3[0], dst)
}

func minimumSums64(x, y0, y1, y2, y3 []float64, dst *[4]float64) {
	if Current() != NEON {
		minimumSumsRef(x, y0, y1, y2, y3, dst)
		return
	}
	minimumSums64NEON(len(x), &x[0], &y0[0], &y1[0], &y2[0], &y3[0], dst)
}

func minimumSums32(x, y0, y1, y2, y3 []float32, dst *[4]float32) {
	if Current() != NEON {
		minimumSumsRef(x, y0, y1, y2, y3, dst)
		return
	}
	minimumSums32NEON(len(x), &x[0], &y0[0], &y1[0], &y2[0], &y3[0], dst)
}

func chiSquaredDistances64(x, y0, y1, y2, y3 []float64, dst *[4]float64) {
	if Current() != NEON {
		chiSquaredDistancesRef(x, y0, y1, y2, y3, dst)
		return
	}
	chiSquaredDistances64NEON(len(x), &x[0], &y0[0], &y1[0], &y2[0], &y3[0], dst)
}

func chiSquaredDistances32(x, y0, y1, y2, y3 []float32, dst *[4]float32) {
	if Current() != NEON {
		chiSquaredDistancesRef(x, y0, y1, y2, y3, dst)
		return
	}
	chiSquaredDistances32NEON(len(x), &x[0], &y0[0], &y1[0], &y2[0], &y3[0], dst)
}

func addNorms64(row, norms []float64, norm, tau float64) bool {
	if Current() != NEON {
		return addNormsRef(row, norms, norm, tau)
	}
	return addNorms64NEON(len(row), &row[0], &norms[0], norm, tau) != 0
}

func addNorms32(row, norms []float32, norm, tau float32) bool {
	if Current() != NEON {
		return addNormsRef(row, norms, norm, tau)
	}
	return addNorms32NEON(len(row), &row[0], &norms[0], norm, tau) != 0
}

func narrow(dst []float32, src []float64) { convertRef(dst, src) }

func widen(dst []float64, src []float32) { convertRef(dst, src) }

// squaredDistances64NEON is, for each of the four rows y, n ≥ 1,
//
//	for i := range n { s += (x[i] - y[i]) * (x[i] - y[i]) }
//
//go:noescape
func squaredDistances64NEON(n int, x, y0, y1, y2, y3 *float64, dst *[4]float64)

// absoluteDistances64NEON is, for each of the four rows y, n ≥ 1,
//
//	for i := range n { s += math.Abs(x[i] - y[i]) }
//
//go:noescape
func absoluteDistances64NEON(n int, x, y0, y1, y2, y3 *float64, dst *[4]float64)

// absoluteDistances32NEON is absoluteDistances64NEON for float32.
//
//go:noescape
func absoluteDistances32NEON(n int, x, y0, y1, y2, y3 *float32, dst *[4]float32)

// minimumSums64NEON is, for each of the four rows y, n ≥ 1,
//
//	for i := range n { s += min(x[i], y[i]) }
//
//go:noescape
func minimumSums64NEON(n int, x, y0, y1, y2, y3 *float64, dst *[4]float64)

// minimumSums32NEON is minimumSums64NEON for float32.
//
//go:noescape
func minimumSums32NEON(n int, x, y0, y1, y2, y3 *float32, dst *[4]float32)

// chiSquaredDistances64NEON is, for each of the four rows y, n ≥ 1,
//
//	for i := range n { if t := x[i] + y[i]; t != 0 { s += (x[i] - y[i]) * (x[i] - y[i]) / t } }
//
//go:noescape
func chiSquaredDistances64NEON(n int, x, y0, y1, y2, y3 *float64, dst *[4]float64)

// chiSquaredDistances32NEON is chiSquaredDistances64NEON for float32.
//
//go:noescape
func chiSquaredDistances32NEON(n int, x, y0, y1, y2, y3 *float32, dst *[4]float32)

// addNorms64NEON is, n ≥ 1,
//
//	for i := range n {
//		s := norm + norms[i]
//		row[i] += s
//		if !(row[i] > tau*s) { small = 1 }
//	}
//
//go:noescape
func addNorms64NEON(n int, row, norms *float64, norm, tau float64) (small uint64)

// addNorms32NEON is addNorms64NEON for float32.
//
//go:noescape
func addNorms32NEON(n int, row, norms *float32, norm, tau float32) (small uint64)
