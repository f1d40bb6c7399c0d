package simd

import "fmt"

// SparseLanes is the number of spread rows SparseRows64 multiplies at once.
const SparseLanes = 16

func sparseRowsRef(ptr []int, index []int32, value, spread, out []float64) {
	for r := range len(ptr) - 1 {
		var s [SparseLanes]float64
		for k := ptr[r]; k < ptr[r+1]; k++ {
			v := value[k]
			x := (*[SparseLanes]float64)(spread[int(index[k])*SparseLanes:])
			for l := range s {
				s[l] += v * x[l]
			}
		}
		copy(out[r*SparseLanes:], s[:])
	}
}

// sparseLengths checks all of a call of SparseRows64 but the columns and the
// order of the row starts.
func sparseLengths(ptr []int, index []int32, value, out []float64) {
	rows := len(ptr) - 1
	if len(index) != len(value) || len(out) < rows*SparseLanes || ptr[0] < 0 || ptr[rows] > len(index) {
		panic(fmt.Sprintf("simd: %d sparse rows, entries %d to %d of %d columns and %d values, into %d",
			rows, ptr[0], ptr[rows], len(index), len(value), len(out)))
	}
}
