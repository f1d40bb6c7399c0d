//go:build !amd64 || noasm

package simd

func decayRow(d *DecayRows, places []int32, w []float64, sum *[4]float64) {
	decayRowRef(d, places, w, sum)
}
