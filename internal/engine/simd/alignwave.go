package simd

import "math"

// WaveRows is how many rows AlignWave takes at once.
const WaveRows = 8

// MostWaveColumns is how many columns AlignWave takes at once.
const MostWaveColumns = 256

// waveSteps is how many steps a wave has at most, an even number.
const waveSteps = MostWaveColumns + WaveRows

// Wave is what AlignWave compares: rows of one series with the steps of another.
type Wave struct {
	Rows, Channels int
	X              []float64 // a row in each of eight lanes, channel after channel
	Y              []float64 // the other series backwards, channel after channel
	Stride         int       // from one channel of Y to the next
	Scale          float64   // 1/(2σ²)

	// The lanes that are at work in each step, of so many columns and rows.
	active        [waveSteps]byte
	columns, rows int
}

// waveBits is the exponent of 2 beyond which κ is 0.
const waveBits = 1000

// AlignWave replaces the row above by the last of up to eight rows of D(i, j) = κ(i, j)·(D(i-1,
// j) + D(i-1, j-1) + D(i, j-1)), κ = 1/(2·exp(Scale·‖x_i-y_j‖²) - 1), of n columns; κ below 2^-1001
// counts as 0. Column j is that of Y[from-j]: Y goes on for WaveRows - 1 places before and behind
// what is asked for. left has the cells before the first column, and gets those of the last; corner
// is the cell above the first of them. above goes on for WaveRows places, which are read and do not
// count. All numbers of X and Y are finite.
func AlignWave(w *Wave, n, from int, above, left []float64, corner float64) {
	if n <= 0 || w.Rows <= 0 {
		return
	}
	_, _, _, _ = w.X[w.Channels*WaveRows-1], w.Y[from-n-WaveRows+1], w.Y[(w.Channels-1)*w.Stride+from+WaveRows-1],
		left[WaveRows-1]
	_ = above[n+WaveRows-1]
	alignWave(w, n, from, above, left, corner)
}

// HasWave says whether AlignWave has instructions of its own here.
func HasWave() bool { return hasWave() }

func alignWaveRef(w *Wave, n, from int, above, left []float64, corner float64) {
	for r := range w.Rows {
		cell, diagonal := left[r], corner
		corner = left[r]
		for j := range n {
			square := 0.0
			for c := range w.Channels {
				d := w.Y[c*w.Stride+from-j] - w.X[c*WaveRows+r]
				square += d * d
			}
			kappa := 0.0
			if bits := square * w.Scale * math.Log2E; bits <= waveBits {
				kappa = 1 / (2*math.Exp2(bits) - 1)
			}
			up := above[j]
			cell, diagonal = (up+diagonal+cell)*kappa, up
			above[j] = cell
		}
		left[r] = cell
	}
}
