package seq

import "math"

// alignment is the program of both alignment kernels: D(i, j) = κ(i, j)·(D(i-1, j) + D(i, j-1) + D(i-1, j-1)).
type alignment struct {
	width float64
	band  int // 0: none
}

// channels is a series stored channel by channel.
type channels struct {
	Series
	by [][]float64
}

func newChannels(s Series) *channels {
	c := &channels{Series: s}
	n := s.Len()
	if n == 0 {
		return c
	}
	if s.channels == 1 {
		c.by = [][]float64{s.values}
		return c
	}
	for ch := range s.channels {
		row := make([]float64, n)
		for i := range row {
			row[i] = s.values[i*s.channels+ch]
		}
		c.by = append(c.by, row)
	}
	return c
}

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
	for i := range x.Len() {
		clear(row)
		lo, hi := k.span(i, m)
		for j := lo; j < hi; j++ {
			// κ = 1/(2/(ωg) - 1) = ωg/2·(1 + …): e^{-t}/(2-e^{-t}) with t = ‖a-b‖²/(2σ²) - log ω.
			t := sqDist(x.At(i), y.At(j)) / (2 * k.width * k.width)
			if k.band > 0 {
				t -= math.Log(1 - math.Abs(float64(i-j))/float64(k.band))
			}
			kappa := wideExp(-t - math.Log(2-math.Exp(-t)))
			row[j+1] = kappa.times(above[j+1].plus(row[j]).plus(above[j]))
		}
		above, row = row, above
	}
	return above[m].log()
}
