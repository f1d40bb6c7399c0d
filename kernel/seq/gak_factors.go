package seq

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// alignFactors carries the cells of up to eight rows through a block of columns. Without a band,
// and where the processor has the instructions, rows and columns go as a wave that makes κ on its
// way (simd.AlignWave); else κ of all columns is made first.
type alignFactors struct {
	alignment
	x, y  *channels
	wave  simd.Wave
	kappa [simd.WaveRows][]float64
	other []float64
}

// begin takes two series.
func (f *alignFactors) begin(k alignment, x, y *channels) {
	f.alignment, f.x, f.y = k, x, y
	if f.inWaves() {
		w := &f.wave
		w.Channels, w.Stride, w.Scale, w.Y = len(y.by), y.stride(), 1/(2*k.width*k.width), y.backwards
		w.X = zeroed(w.X, w.Channels*simd.WaveRows)
		return
	}
	f.other = zeroed(f.other, y.Len())
	for r := range f.kappa {
		f.kappa[r] = zeroed(f.kappa[r], y.Len())
	}
}

// inWaves depends on the kernel, the pair and the processor alone.
func (f *alignFactors) inWaves() bool {
	return f.band == 0 && f.x.backwards != nil && f.y.backwards != nil
}

// rows takes up the rows from i on.
func (f *alignFactors) rows(i, rows int) {
	if !f.inWaves() {
		for r := range rows {
			f.kappas(f.kappa[r], f.other, f.x, f.y, i+r)
		}
		return
	}
	f.wave.Rows = rows
	for c, values := range f.x.by {
		copy(f.wave.X[c*simd.WaveRows:(c+1)*simd.WaveRows], values[i:i+rows])
	}
}

// block replaces the row above n columns by the last of the rows. left has the cells before the
// first column, and gets those of the last one; corner is the cell above the first of them. above
// goes on for simd.WaveRows places.
func (f *alignFactors) block(rows, from, n int, above []float64, left *[simd.WaveRows]float64, corner float64) {
	if f.inWaves() {
		simd.AlignWave(&f.wave, n, f.y.place(from), above, left[:], corner)
		return
	}
	above = above[:n]
	for r := 0; r < rows; {
		if k := &f.kappa; rows-r >= 4 && n >= 4 {
			next := left[r+3]
			fourRows(above, (*[4]float64)(left[r:]), corner, k[r][from:], k[r+1][from:], k[r+2][from:], k[r+3][from:])
			r, corner = r+4, next
			continue
		}
		left[r], corner = oneRow(above, left[r], corner, f.kappa[r][from:]), left[r]
		r++
	}
}

// kappas sets dst[j] = κ(i, j) = 1/((2/ω)·exp(‖a-b‖²/(2σ²)) - 1), 0 outside the band.
func (k alignment) kappas(dst, other []float64, x, y *channels, i int) {
	simd.SquaredDifference64(dst, y.by[0], x.by[0][i])
	for c := 1; c < len(y.by); c++ {
		simd.SquaredDifference64(other, y.by[c], x.by[c][i])
		simd.Axpy64(1, other, dst)
	}
	simd.ScaleExp64(dst, dst, 1/(2*k.width*k.width))
	if k.band == 0 {
		simd.Affine64(dst, dst, 2, -1)
		simd.Reciprocal64(dst, dst)
		return
	}
	lo, hi := k.span(i, len(dst))
	clear(dst[:lo])
	clear(dst[hi:])
	for j := lo; j < hi; j++ {
		dst[j] = 1 / (2/(1-math.Abs(float64(i-j))/float64(k.band))*dst[j] - 1)
	}
}

// oneRow replaces the row above by the next one, and returns its last cell. left is the cell before
// its first one, diagonal the one above that.
func oneRow(above []float64, left, diagonal float64, kappa []float64) float64 {
	for j, up := range above {
		left = (up + diagonal + left) * kappa[j]
		diagonal = up
		above[j] = left
	}
	return left
}

// fourRows replaces the row above by the fourth one after it. The four rows go side by side, each
// one column behind the one above it, so that no chain of sums waits for another; the cell to the
// left, which is known last, is added last. left has the cells before the first ones, and gets the
// last ones.
func fourRows(above []float64, left *[4]float64, corner float64, k0, k1, k2, k3 []float64) {
	n := len(above)
	k0, k1, k2, k3 = k0[:n], k1[:n], k2[:n], k3[:n]
	a0 := (above[0] + corner + left[0]) * k0[0]
	a1 := (above[1] + above[0] + a0) * k0[1]
	b0 := (a0 + left[0] + left[1]) * k1[0]
	a2 := (above[2] + above[1] + a1) * k0[2]
	b1 := (a1 + a0 + b0) * k1[1]
	c0 := (b0 + left[1] + left[2]) * k2[0]
	// The last cell of each row and the one before it.
	a, aa, b, bb, c, cc, d := a2, a1, b1, b0, c0, left[2], left[3]
	diagonal := above[2]
	for j := 3; j < n; j++ {
		up := above[j]
		d = (c + cc + d) * k3[j-3]
		c, cc = (b+bb+c)*k2[j-2], c
		b, bb = (a+aa+b)*k1[j-1], b
		a, aa = (up+diagonal+a)*k0[j], a
		diagonal = up
		above[j-3] = d
	}
	left[0] = a
	d = (c + cc + d) * k3[n-3]
	c, cc = (b+bb+c)*k2[n-2], c
	b, bb = (a+aa+b)*k1[n-1], b
	above[n-3], left[1] = d, b
	d = (c + cc + d) * k3[n-2]
	c, cc = (b+bb+c)*k2[n-1], c
	above[n-2], left[2] = d, c
	d = (c + cc + d) * k3[n-1]
	above[n-1], left[3] = d, d
}
