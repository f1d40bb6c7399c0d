package seq

import (
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
)

// Series is a time series: Len steps of Channels numbers each. Series of different lengths may
// stand side by side; their channels have to be the same.
type Series struct {
	values   []float64 // step by step
	channels int
}

// NewSeries is the series of values given step by step, the channels of one step side by side. It
// does not copy them.
func NewSeries(values []float64, channels int) (Series, error) {
	if channels < 1 || len(values)%channels != 0 {
		return Series{}, fmt.Errorf("seq: %d values do not make steps of %d channels", len(values), channels)
	}
	return Series{values, channels}, nil
}

// Univariate is the series of one channel. It does not copy the values.
func Univariate(values []float64) Series { return Series{values, 1} }

// Len is the number of steps.
func (s Series) Len() int {
	if s.channels == 0 {
		return 0
	}
	return len(s.values) / s.channels
}

// Channels is how many numbers a step has.
func (s Series) Channels() int { return max(s.channels, 1) }

// At is the numbers of one step.
func (s Series) At(step int) []float64 {
	return s.values[step*s.channels : (step+1)*s.channels]
}

// less is a total order of series, by length first: programs that take a pair in this order give
// k(x, y) and k(y, x) the same bits.
func (s Series) less(o Series) bool {
	if len(s.values) != len(o.values) {
		return len(s.values) < len(o.values)
	}
	return slices.Compare(s.values, o.values) < 0
}

// checkSeries refuses numbers that are not finite, and series with different channels.
func checkSeries(name string, x data.Points[Series]) error {
	channels := 0
	for i := range x.Len() {
		s := x.At(i)
		if s.Len() > 0 {
			if channels == 0 {
				channels = s.Channels()
			}
			if s.Channels() != channels {
				return fmt.Errorf("seq: %s: row %d has %d channels, the rows before have %d", name, i, s.Channels(), channels)
			}
		}
		for j, v := range s.values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("seq: %s: row %d, step %d, channel %d is %g; impute or drop it", name, i, j/s.channels,
					j%s.channels, v)
			}
		}
	}
	return nil
}

// mismatched says that two series with steps have different channels, which no kernel has a value
// for: it is NaN.
func mismatched(x, y Series) bool {
	return x.Len() > 0 && y.Len() > 0 && x.channels != y.channels
}

// sqDist is the squared distance of two steps.
func sqDist(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		d := v - b[i]
		s += d * d
	}
	return s
}
