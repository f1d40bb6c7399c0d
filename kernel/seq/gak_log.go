package seq

import (
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// alignment is the program of both alignment kernels: D(i, j) = κ(i, j)·(D(i-1, j) + D(i, j-1) +
// D(i-1, j-1)).
type alignment struct {
	width float64
	band  int // 0: none
}

// channels is a series stored channel by channel.
type channels struct {
	Series
	by [][]float64
	// the last step first, with simd.WaveRows places on both sides of each channel; nil where waves
	// cannot be
	backwards []float64
}

func newChannels(s Series) *channels {
	c := &channels{Series: s}
	n := s.Len()
	if n == 0 {
		return c
	}
	if s.channels == 1 {
		c.by = [][]float64{s.values}
	} else {
		for ch := range s.channels {
			row := make([]float64, n)
			for i := range row {
				row[i] = s.values[i*s.channels+ch]
			}
			c.by = append(c.by, row)
		}
	}
	if simd.HasWave() && !slices.ContainsFunc(s.values, func(v float64) bool { return !finite(v) }) {
		c.backwards = make([]float64, s.channels*c.stride())
		for ch, values := range c.by {
			for j, v := range values {
				c.backwards[ch*c.stride()+c.place(j)] = v
			}
		}
	}
	return c
}

// stride is from one channel to the next among the backward ones, and place where step j stands
// there.
func (c *channels) stride() int     { return c.Len() + 2*simd.WaveRows }
func (c *channels) place(j int) int { return simd.WaveRows + c.Len() - 1 - j }

// log is log k(x, y).
func (k alignment) log(x, y *channels) float64 {
	n, m := x.Len(), y.Len()
	switch {
	case mismatched(x.Series, y.Series):
		return math.NaN()
	case n == 0 && m == 0:
		return 0
	case n == 0 || m == 0, k.band > 0 && (n-m >= k.band || m-n >= k.band):
		return math.Inf(-1)
	}
	if x.less(y.Series) {
		x, y = y, x
	}
	if v, sure := k.plain(x, y); sure {
		return v
	}
	return k.wide(x, y)
}

// span is the columns j with ω(i, j) > 0.
func (k alignment) span(i, m int) (lo, hi int) {
	if k.band == 0 {
		return 0, m
	}
	return max(i-k.band+1, 0), min(i+k.band, m)
}

// wide is log k(x, y) by numbers without bounds on their range.
func (k alignment) wide(x, y *channels) float64 {
	m := y.Len()
	above, row := make([]wide, m+1), make([]wide, m+1) // column j stands at j+1
	above[0] = wideOf(1)
	var f wideFactors
	for i := range x.Len() {
		clear(row)
		lo, hi := k.span(i, m)
		f.row(k, x, y, i, lo, hi)
		for j := lo; j < hi; j++ {
			row[j+1] = f.at(j - lo).times(above[j+1].plus(row[j]).plus(above[j]))
		}
		above, row = row, above
	}
	return above[m].log()
}

// wideFactors is κ of some columns of a row: κ = 1/(2/(ωg) - 1) = e^{-t}/(2-e^{-t}), t =
// ‖a-b‖²/(2σ²) - log ω. e^{-t} is a power of wideBase and what is left.
type wideFactors struct {
	t, rest, g []float64
	power      []int
}

// row makes them for the columns lo…hi.
func (f *wideFactors) row(k alignment, x, y *channels, i, lo, hi int) {
	n := hi - lo
	f.t, f.rest, f.g, f.power = zeroed(f.t, n), zeroed(f.rest, n), zeroed(f.g, n), f.power[:0]
	for c := range y.by {
		simd.SquaredDifference64(f.rest, y.by[c][lo:hi], x.by[c][i])
		simd.Axpy64(1, f.rest, f.t)
	}
	scale := 1 / (2 * k.width * k.width)
	for j := range f.t {
		t := f.t[j] * scale
		if k.band > 0 {
			t -= math.Log(1 - math.Abs(float64(i-lo-j))/float64(k.band))
		}
		e := math.Round(-t / (512 * math.Ln2))
		f.t[j], f.rest[j] = -t, -t-e*(512*math.Ln2)
		f.power = append(f.power, int(e))
	}
	simd.Exp64(f.rest, f.rest)
	simd.Exp64(f.g, f.t)
}

func (f *wideFactors) at(j int) wide { return wide{f.rest[j] / (2 - f.g[j]), f.power[j]}.tidy() }
