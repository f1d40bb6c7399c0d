package simd

import "fmt"

// gatherDotRef is Σ x[i]·y[index[i]] in the order of the plain loop, four sums
// at a time.
func gatherDotRef(x []float64, index []int32, y []float64) float64 {
	index = index[:len(x)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		s0 += x[i] * y[index[i]]
		s1 += x[i+1] * y[index[i+1]]
		s2 += x[i+2] * y[index[i+2]]
		s3 += x[i+3] * y[index[i+3]]
	}
	for ; i < len(x); i++ {
		s0 += x[i] * y[index[i]]
	}
	return s0 + s1 + s2 + s3
}

func gatherLengths(x []float64, index []int32) {
	if len(x) != len(index) {
		panic(fmt.Sprintf("simd: %d values but %d indices", len(x), len(index)))
	}
}
