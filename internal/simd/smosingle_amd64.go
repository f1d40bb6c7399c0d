//go:build !noasm

package simd

var laneNumbers = [16]int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// whole32 says whether n entries are whole pairs of AVX-512 vectors.
func whole32(n int) bool { return n > 0 && n&31 == 0 && Current() == AVX512 }

func stepPairSingle(step float32, ki, kj, up, down []float32) bool {
	if !whole32(len(up)) {
		return false
	}
	smoStep32AVX512(len(up), step, &ki[0], &kj[0], &up[0], &down[0])
	return true
}

func argMaxLanes(x []float32, at *[32]int32, best *[32]float32) bool {
	if !whole32(len(x)) {
		return false
	}
	argMaxLanes32AVX512(len(x), &x[0], &laneNumbers[0], &at[0], &best[0])
	return true
}

func (l *partnerLanes) fill(down, diag, ki []float32, zi, kii, least float32) bool {
	if !whole32(len(down)) {
		return false
	}
	smoPartnerLanes32AVX512(len(down), &down[0], &diag[0], &ki[0], zi, kii, least, &laneNumbers[0], &l.at[0], &l.num[0], &l.den[0], &l.low[0])
	return true
}

func gatherRowWhole(dst, row []float32, index []int32) int {
	n := len(index) &^ 15
	if n == 0 || Current() != AVX512 {
		return 0
	}
	gatherRow32AVX512(n, &row[0], &index[0], &dst[0])
	return n
}
