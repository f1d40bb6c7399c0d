package plot

import (
	"image/color"
	"math"
)

// Heat is a score over two parameters.
type Heat struct {
	XName, YName, Metric string
	X, Y                 []float64   // increasing
	Mean                 [][]float64 // [y][x]; NaN where nothing was tried
	Maximize             bool
	Chosen               [2]int // x, y; negative: none
}

// HeatMap draws the score of every pair of parameters tried, better is
// darker, with a frame around the chosen one. Where some pairs of a finer grid were left
// out, those tried have a dot, and places between them the colour of the nearest.
func HeatMap(h Heat) (*Figure, error) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, row := range h.Mean {
		for _, v := range row {
			if !bad(v) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	f := newFigure(h.XName, h.YName, "map of "+h.Metric+" over "+h.XName+" and "+h.YName+"; the chosen cell is framed")
	xs, ys := newScale(h.X), newScale(h.Y)
	f.p.X.Ticks, f.p.Y.Ticks = xs, ys
	share := func(v float64) float64 {
		if high == low {
			return 1
		}
		t := (v - low) / (high - low)
		if !h.Maximize {
			t = 1 - t
		}
		return t
	}
	worst, best := short(low), short(high)
	if !h.Maximize {
		worst, best = best, worst
	}
	c := cells{w: len(h.X), h: len(h.Y), xs: xs, ys: ys, mark: h.Chosen, bar: &colourBar{worst, best}}
	c.fill = func(x, y int) (color.Color, bool) {
		v := h.near(xs, ys, x, y)
		if bad(v) {
			return rule, true
		}
		return shade(share(v)), true
	}
	if h.Gaps() {
		c.dot = func(x, y int) bool { return !bad(h.Mean[y][x]) }
	}
	f.p.Add(c)
	return f, nil
}

// Gaps says whether some pair was not tried.
func (h Heat) Gaps() bool {
	for _, row := range h.Mean {
		for _, v := range row {
			if bad(v) {
				return true
			}
		}
	}
	return false
}

// near is the score of a pair: its own, or that of the nearest in its row or
// column where it lies between two that were tried there. NaN: it lies outside of what was tried.
func (h Heat) near(xs, ys *scale, x, y int) float64 {
	if v := h.Mean[y][x]; !bad(v) {
		return v
	}
	value, nearest := math.NaN(), math.Inf(1)
	along := func(count, at int, s *scale, mean func(i int) float64) {
		before, after := -1, -1
		for i := range count {
			switch {
			case bad(mean(i)):
			case i < at:
				before = i
			case after < 0:
				after = i
			}
		}
		if before < 0 || after < 0 {
			return
		}
		for _, i := range []int{before, after} {
			if away := math.Abs(s.middle(i) - s.middle(at)); away < nearest {
				value, nearest = mean(i), away
			}
		}
	}
	along(len(h.X), x, xs, func(i int) float64 { return h.Mean[y][i] })
	along(len(h.Y), y, ys, func(i int) float64 { return h.Mean[i][x] })
	return value
}

// scale places values along an axis of cells, in proportion to their logarithms where they span a
// decade, so that a finer grid around the best takes no more room than it covers. The first side is
// at -1/2 and the last at n-1/2, as for unit squares, which a nil scale has.
type scale struct {
	values      []float64
	log         bool
	middles     []float64
	from, width float64 // of the axis before it was brought to n units
}

func newScale(values []float64) *scale {
	n := len(values)
	s := &scale{values: values, log: n > 1 && values[0] > 0 && values[n-1] >= 10*values[0], from: -0.5, width: float64(n)}
	if n > 1 {
		first, last := s.line(values[0]), s.line(values[n-1])
		before, after := (s.line(values[1])-first)/2, (last-s.line(values[n-2]))/2
		s.from, s.width = first-before, last-first+before+after
	}
	for _, v := range values {
		s.middles = append(s.middles, s.place(v))
	}
	return s
}

// line is a value, or its logarithm.
func (s *scale) line(v float64) float64 {
	if s.log {
		return math.Log(v)
	}
	return v
}

// place is where a value is on the axis.
func (s *scale) place(v float64) float64 {
	if len(s.values) == 1 {
		return 0
	}
	return (s.line(v)-s.from)/s.width*float64(len(s.values)) - 0.5
}

// middle is where the cell of a value has its dot.
func (s *scale) middle(i int) float64 {
	if s == nil {
		return float64(i)
	}
	return s.middles[i]
}

// sides are halfway to the neighbours.
func (s *scale) sides(i int) (low, high float64) {
	if s == nil {
		return float64(i) - 0.5, float64(i) + 0.5
	}
	low, high = -0.5, float64(len(s.values))-0.5
	if i > 0 {
		low = (s.middles[i-1] + s.middles[i]) / 2
	}
	if i+1 < len(s.values) {
		high = (s.middles[i] + s.middles[i+1]) / 2
	}
	return low, high
}

// mostEach is how many values have a tick each: the labels of more would touch.
const mostEach = 6

// each is a tick for every value that was tried, where they are few and stand far enough apart; nil
// otherwise.
func (s *scale) each() []tick {
	if len(s.values) > mostEach {
		return nil
	}
	var out []tick
	for i, v := range s.values {
		if i > 0 && s.middles[i]-s.middles[i-1] < 0.5*float64(len(s.values))/mostEach {
			return nil
		}
		out = append(out, tick{Value: s.middles[i], Label: short(v)})
	}
	return out
}

// Ticks marks round values on the axis, or each value where they are few.
func (s *scale) Ticks(_, _ float64) []tick {
	n := len(s.values)
	if n == 1 {
		return []tick{{Value: 0, Label: short(s.values[0])}}
	}
	if few := s.each(); few != nil {
		return few
	}
	var marks ticker = roundTicks{}
	if s.log {
		marks = powerTicks{}
	}
	out := marks.Ticks(s.values[0], s.values[n-1])
	for i := range out {
		out[i].Value = s.place(out[i].Value)
	}
	return out
}
