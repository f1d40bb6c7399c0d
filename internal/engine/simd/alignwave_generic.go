//go:build !amd64 || noasm

package simd

func hasWave() bool { return false }

func alignWave(w *Wave, n, from int, above, left []float64, corner float64) {
	alignWaveRef(w, n, from, above, left, corner)
}
