package simd

import "fmt"

// GatherDot64 is Σ x[i]·y[index[i]], four sums at a time, the same bits on any processor. An index
// outside of y is a panic. Instructions that gather took as long as these loads, or longer, on all rows
// that were tried (14 to 20,000 entries, of 123 to 200,000 numbers).
func GatherDot64(x []float64, index []int32, y []float64) float64 {
	if len(x) != len(index) {
		panic(fmt.Sprintf("simd: %d values but %d indices", len(x), len(index)))
	}
	var s0, s1, s2, s3 float64
	for len(x) >= 4 && len(index) >= 4 {
		s0 += x[0] * y[index[0]]
		s1 += x[1] * y[index[1]]
		s2 += x[2] * y[index[2]]
		s3 += x[3] * y[index[3]]
		x, index = x[4:], index[4:]
	}
	for i, v := range x {
		s0 += v * y[index[i]]
	}
	return s0 + s1 + s2 + s3
}
