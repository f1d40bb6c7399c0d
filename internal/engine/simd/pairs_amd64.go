//go:build !noasm

package simd

func squaredDistances64(x, y0, y1, y2, y3 []float64, dst *[4]float64) {
	switch Current() {
	case AVX512:
		squaredDistances64AVX512(len(x), &x[0], &y0[0], &y1[0], &y2[0], &y3[0], dst)
	case AVX2:
		squaredDistances64AVX2(len(x), &x[0], &y0[0], &y1[0], &y2[0], &y3[0], dst)
	default:
		squaredDistancesRef(x, y0, y1, y2, y3, dst)
	}
}

func absoluteDistances64(x, y0, y1, y2, y3 []float64, dst *[4]float64) {
	switch Current() {
	case AVX512:
		absoluteDistances64AVX512(len(x), &x[0], &y0[0], &y1[0], &y2[0], &y3[0], dst)
	case AVX2:
		absoluteDistances64AVX2(len(x), &x[0], &y0[0], &y1[0], &y2[0], &y3[0], dst)
	default:
		absoluteDistancesRef(x, y0, y1, y2, y3, dst)
	}
}

func absoluteDistances32(x, y0, y1, y2, y3 []float32, dst *[4]float32) {
	switch Current() {
	case AVX512:
		absoluteDistances32AVX512(len(x), &x[0], &y0[0], &y1[0], &y2[0], &y3[0], dst)
	case AVX2:
		absoluteDistances32AVX2(len(x), &x[0], &y0[0], &y1[0], &y2[0], &y3[0], dst)
	default:
		absoluteDistancesRef(x, y0, y1, y2, y3, dst)
	}
}

func minimumSums64(x, y0, y1, y2, y3 []float64, dst *[4]float64) {
	switch Current() {
	case AVX512:
		minimumSums64AVX512(len(x), &x[0], &y0[0], &y1[0], &y2[0], &y3[0], dst)
	case AVX2:
		minimumSums64AVX2(len(x), &x[0], &y0[0], &y1[0], &y2[0], &y3[0], dst)
	default:
		minimumSumsRef(x, y0, y1, y2, y3, dst)
	}
}

func minimumSums32(x, y0, y1, y2, y3 []float32, dst *[4]float32) {
	switch Current() {
	case AVX512:
		minimumSums32AVX512(len(x), &x[0], &y0[0], &y1[0], &y2[0], &y3[0], dst)
	case AVX2:
		minimumSums32AVX2(len(x), &x[0], &y0[0], &y1[0], &y2[0], &y3[0], dst)
	default:
		minimumSumsRef(x, y0, y1, y2, y3, dst)
	}
}

func chiSquaredDistances64(x, y0, y1, y2, y3 []float64, dst *[4]float64) {
	switch Current() {
	case AVX512:
		chiSquaredDistances64AVX512(len(x), &x[0], &y0[0], &y1[0], &y2[0], &y3[0], dst)
	case AVX2:
		chiSquaredDistances64AVX2(len(x), &x[0], &y0[0], &y1[0], &y2[0], &y3[0], dst)
	default:
		chiSquaredDistancesRef(x, y0, y1, y2, y3, dst)
	}
}

func chiSquaredDistances32(x, y0, y1, y2, y3 []float32, dst *[4]float32) {
	switch Current() {
	case AVX512:
		chiSquaredDistances32AVX512(len(x), &x[0], &y0[0], &y1[0], &y2[0], &y3[0], dst)
	case AVX2:
		chiSquaredDistances32AVX2(len(x), &x[0], &y0[0], &y1[0], &y2[0], &y3[0], dst)
	default:
		chiSquaredDistancesRef(x, y0, y1, y2, y3, dst)
	}
}

func addNorms64(row, norms []float64, norm, tau float64) bool {
	switch Current() {
	case AVX512:
		return addNorms64AVX512(len(row), &row[0], &norms[0], norm, tau) != 0
	case AVX2:
		return addNorms64AVX2(len(row), &row[0], &norms[0], norm, tau) != 0
	}
	return addNormsRef(row, norms, norm, tau)
}

func addNorms32(row, norms []float32, norm, tau float32) bool {
	switch Current() {
	case AVX512:
		return addNorms32AVX512(len(row), &row[0], &norms[0], norm, tau) != 0
	case AVX2:
		return addNorms32AVX2(len(row), &row[0], &norms[0], norm, tau) != 0
	}
	return addNormsRef(row, norms, norm, tau)
}

func narrow(dst []float32, src []float64) {
	switch Current() {
	case AVX512:
		narrowAVX512(len(src), &dst[0], &src[0])
	case AVX2:
		narrowAVX2(len(src), &dst[0], &src[0])
	default:
		convertRef(dst, src)
	}
}

func widen(dst []float64, src []float32) {
	switch Current() {
	case AVX512:
		widenAVX512(len(src), &dst[0], &src[0])
	case AVX2:
		widenAVX2(len(src), &dst[0], &src[0])
	default:
		convertRef(dst, src)
	}
}
