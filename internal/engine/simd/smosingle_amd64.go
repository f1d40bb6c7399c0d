//go:build !noasm

package simd

import "math"

var laneNumbers = [16]int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// whole32 says whether n entries are whole pairs of AVX-512 vectors.
func whole32(n int) bool { return n > 0 && n&31 == 0 && Current() == AVX512 }

func stepMasked(step float32, ki, kj, z []float32, up []uint32, best *float32) bool {
	if !whole32(len(z)) {
		return false
	}
	stepMasked32AVX512(len(z), step, &ki[0], &kj[0], &z[0], &up[0], best)
	return true
}

func firstEqual(z []float32, mask []uint32, value float32) (int, bool) {
	if !whole32(len(z)) {
		return 0, false
	}
	return firstEqual32AVX512(len(z), &z[0], &mask[0], value), true
}

func partnerMasked(
	z []float32, down []uint32, diag, ki []float32, zi, kii, least float32,
) (at int, low float32, ok bool) {
	if !whole32(len(z)) {
		return 0, 0, false
	}
	given := [5]float32{zi, kii, least, 2, float32(math.Inf(1))}
	at = partnerMasked32AVX512(len(z), &z[0], &down[0], &diag[0], &ki[0], &given[0], &laneNumbers[0], &low)
	return at, low, true
}

func gatherRowWhole(dst, row []float32, index []int32) int {
	n := len(index) &^ 15
	if n == 0 || Current() != AVX512 {
		return 0
	}
	gatherRow32AVX512(n, &row[0], &index[0], &dst[0])
	return n
}

func flushTinyWhole(x []float32) int {
	n := len(x) &^ 15
	if n == 0 || Current() != AVX512 {
		return 0
	}
	flushTiny32AVX512(n, &x[0])
	return n
}
