//go:build !amd64 || noasm

package simd

// SparseRows64 does out[16·r+l] = Σ value[k]·spread[16·index[k]+l] over
// ptr[r] ≤ k < ptr[r+1], for every row r < len(ptr)−1 and lane l < 16.
func SparseRows64(ptr []int, index []int32, value, spread, out []float64) {
	if len(ptr) < 2 {
		return
	}
	sparseLengths(ptr, index, value, out)
	sparseRowsRef(ptr, index, value, spread, out)
}
