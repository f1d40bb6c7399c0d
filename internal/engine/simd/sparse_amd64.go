//go:build !noasm

package simd

// SparseRows64 does out[16·r+l] = Σ value[k]·spread[16·index[k]+l] over
// ptr[r] ≤ k < ptr[r+1], for every row r < len(ptr)−1 and lane l < 16. The
// caller has checked that the row starts do not decrease and that spread
// holds every column: here that would cost as much as the work.
func SparseRows64(ptr []int, index []int32, value, spread, out []float64) {
	if len(ptr) < 2 {
		return
	}
	sparseLengths(ptr, index, value, out)
	if len(index) == 0 {
		clear(out[:(len(ptr)-1)*SparseLanes])
		return
	}
	switch Current() {
	case AVX512:
		sparseRows64AVX512(len(ptr)-1, &ptr[0], &index[0], &value[0], &spread[0], &out[0])
	case AVX2:
		sparseRows64AVX2(len(ptr)-1, &ptr[0], &index[0], &value[0], &spread[0], &out[0])
	default:
		sparseRowsRef(ptr, index, value, spread, out)
	}
}
