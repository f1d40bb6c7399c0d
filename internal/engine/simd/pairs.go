package simd

// A row against four rows: the step of a tile of distances that are not a
// matrix product. Each sum is over lanes first and then across them, in an order that
// depends on the length and the CPU level only: swapping x and y, or which of the
// four a row is, changes no bit.

// SquaredDistances64 sets dst[j] = Σ (x[i]-y[i])² over the elements of x, with
// y = yj. All rows have the length of x.
func SquaredDistances64(x, y0, y1, y2, y3 []float64, dst *[4]float64) {
	sameLengths(len(x), len(y0), len(y1), len(y2), len(y3))
	if len(x) == 0 {
		*dst = [4]float64{}
		return
	}
	squaredDistances64(x, y0, y1, y2, y3, dst)
}

// AbsoluteDistances64 sets dst[j] = Σ |x[i]-y[i]| over the elements of x, with
// y = yj. All rows have the length of x.
func AbsoluteDistances64(x, y0, y1, y2, y3 []float64, dst *[4]float64) {
	sameLengths(len(x), len(y0), len(y1), len(y2), len(y3))
	if len(x) == 0 {
		*dst = [4]float64{}
		return
	}
	absoluteDistances64(x, y0, y1, y2, y3, dst)
}

// AbsoluteDistances32 sets dst[j] = Σ |x[i]-y[i]| over the elements of x, with
// y = yj. All rows have the length of x.
func AbsoluteDistances32(x, y0, y1, y2, y3 []float32, dst *[4]float32) {
	sameLengths(len(x), len(y0), len(y1), len(y2), len(y3))
	if len(x) == 0 {
		*dst = [4]float32{}
		return
	}
	absoluteDistances32(x, y0, y1, y2, y3, dst)
}

// MinimumSums64 sets dst[j] = Σ min(x[i], y[i]) over the elements of x, with
// y = yj. All rows have the length of x.
func MinimumSums64(x, y0, y1, y2, y3 []float64, dst *[4]float64) {
	sameLengths(len(x), len(y0), len(y1), len(y2), len(y3))
	if len(x) == 0 {
		*dst = [4]float64{}
		return
	}
	minimumSums64(x, y0, y1, y2, y3, dst)
}

// MinimumSums32 sets dst[j] = Σ min(x[i], y[i]) over the elements of x, with
// y = yj. All rows have the length of x.
func MinimumSums32(x, y0, y1, y2, y3 []float32, dst *[4]float32) {
	sameLengths(len(x), len(y0), len(y1), len(y2), len(y3))
	if len(x) == 0 {
		*dst = [4]float32{}
		return
	}
	minimumSums32(x, y0, y1, y2, y3, dst)
}

// ChiSquaredDistances64 sets dst[j] = Σ (x[i]-y[i])²/(x[i]+y[i]), 0/0 counted as 0, over the
// elements of x, with y = yj. All rows have the length of x.
func ChiSquaredDistances64(x, y0, y1, y2, y3 []float64, dst *[4]float64) {
	sameLengths(len(x), len(y0), len(y1), len(y2), len(y3))
	if len(x) == 0 {
		*dst = [4]float64{}
		return
	}
	chiSquaredDistances64(x, y0, y1, y2, y3, dst)
}

// ChiSquaredDistances32 sets dst[j] = Σ (x[i]-y[i])²/(x[i]+y[i]), 0/0 counted as 0, over the
// elements of x, with y = yj. All rows have the length of x.
func ChiSquaredDistances32(x, y0, y1, y2, y3 []float32, dst *[4]float32) {
	sameLengths(len(x), len(y0), len(y1), len(y2), len(y3))
	if len(x) == 0 {
		*dst = [4]float32{}
		return
	}
	chiSquaredDistances32(x, y0, y1, y2, y3, dst)
}

// AddNorms64 finishes a row of squared distances ‖x‖² + ‖y‖² - 2⟨x, y⟩ that holds
// -2⟨x, y⟩: it adds norm + norms[i] to row[i], and says whether some result is not more
// than tau times what was added.
func AddNorms64(row, norms []float64, norm, tau float64) (small bool) {
	sameLength(len(row), len(norms))
	return len(row) > 0 && addNorms64(row, norms, norm, tau)
}

// AddNorms32 finishes a row of squared distances ‖x‖² + ‖y‖² - 2⟨x, y⟩ that holds
// -2⟨x, y⟩: it adds norm + norms[i] to row[i], and says whether some result is not more
// than tau times what was added.
func AddNorms32(row, norms []float32, norm, tau float32) (small bool) {
	sameLength(len(row), len(norms))
	return len(row) > 0 && addNorms32(row, norms, norm, tau)
}

func sameLengths(n int, others ...int) {
	for _, m := range others {
		sameLength(n, m)
	}
}
