//go:build !noasm

package simd

import "math"

func hasWave() bool { return Current() == AVX512 }

func alignWave(w *Wave, n, from int, above, left []float64, corner float64) {
	if !hasWave() || n > MostWaveColumns || w.Rows > WaveRows {
		alignWaveRef(w, n, from, above, left, corner)
		return
	}
	if w.columns != n || w.rows != w.Rows {
		w.setActive(n)
	}
	steps := (n + w.Rows) &^ 1 // n + rows - 1, and one more where that is odd
	scale := w.Scale * math.Log2E
	alignWave64AVX512(steps, w.Channels, &w.X[0], &w.Y[from], w.Stride, scale, waveBits/scale, &w.active[0], w.Rows-1,
		&above[0], &left[0], corner)
}

// setActive finds the lanes r that have a column, 0 ≤ t - r < n, in each step t.
func (w *Wave) setActive(n int) {
	w.columns, w.rows = n, w.Rows
	every := byte(1<<w.Rows - 1)
	copy(w.active[:n], activeLanes[w.Rows][:])
	for t := n; t < n+WaveRows; t++ {
		w.active[t] = every &^ (2<<(t-n) - 1)
	}
	for t := range WaveRows {
		w.active[t] &= 2<<t - 1
	}
}

// activeLanes has all lanes of so many rows in every step.
var activeLanes = func() (table [WaveRows + 1][MostWaveColumns]byte) {
	for rows := range table {
		for t := range table[rows] {
			table[rows][t] = 1<<rows - 1
		}
	}
	return table
}()
