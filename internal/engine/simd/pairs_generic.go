//go:build (!amd64 && !arm64) || noasm

package simd

func squaredDistances64(x, y0, y1, y2, y3 []float64, dst *[4]float64) {
	squaredDistancesRef(x, y0, y1, y2, y3, dst)
}

func absoluteDistances64(x, y0, y1, y2, y3 []float64, dst *[4]float64) {
	absoluteDistancesRef(x, y0, y1, y2, y3, dst)
}

func absoluteDistances32(x, y0, y1, y2, y3 []float32, dst *[4]float32) {
	absoluteDistancesRef(x, y0, y1, y2, y3, dst)
}

func minimumSums64(x, y0, y1, y2, y3 []float64, dst *[4]float64) {
	minimumSumsRef(x, y0, y1, y2, y3, dst)
}

func minimumSums32(x, y0, y1, y2, y3 []float32, dst *[4]float32) {
	minimumSumsRef(x, y0, y1, y2, y3, dst)
}

func chiSquaredDistances64(x, y0, y1, y2, y3 []float64, dst *[4]float64) {
	chiSquaredDistancesRef(x, y0, y1, y2, y3, dst)
}

func chiSquaredDistances32(x, y0, y1, y2, y3 []float32, dst *[4]float32) {
	chiSquaredDistancesRef(x, y0, y1, y2, y3, dst)
}

func addNorms64(row, norms []float64, norm, tau float64) bool {
	return addNormsRef(row, norms, norm, tau)
}

func addNorms32(row, norms []float32, norm, tau float32) bool {
	return addNormsRef(row, norms, norm, tau)
}

func narrow(dst []float32, src []float64) { convertRef(dst, src) }

func widen(dst []float64, src []float32) { convertRef(dst, src) }
