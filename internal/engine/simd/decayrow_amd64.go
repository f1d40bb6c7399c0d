//go:build !noasm

package simd

func decayRow(d *DecayRows, places []int32, w []float64, sum *[4]float64) {
	switch Current() {
	case AVX512, AVX2:
		decayRow64AVX2(len(places), &places[0], &w[0], &d.table[0], &sum[0])
	default:
		decayRowRef(d, places, w, sum)
	}
}
