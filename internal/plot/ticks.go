package plot

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// powerTicks marks a logarithmic axis at powers of ten, as many as there is
// room for, and at 2 and 5 between where the axis spans less than two decades.
type powerTicks struct{}

// Ticks lists the marks.
func (powerTicks) Ticks(low, high float64) []plot.Tick {
	if !(low > 0) || !(high > low) {
		return []plot.Tick{{Value: low, Label: short(low)}}
	}
	first, last := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	step := math.Max(1, math.Ceil((last-first)/6))
	var out []plot.Tick
	for e := first; e <= last; e++ {
		power := math.Pow(10, e)
		label := ""
		if math.Mod(e-first, step) == 0 {
			label = short(power)
		}
		if power >= low*(1-1e-9) && power <= high*(1+1e-9) {
			out = append(out, plot.Tick{Value: power, Label: label})
		}
		if last-first <= 2 {
			for _, m := range []float64{2, 5} {
				if v := m * power; v >= low && v <= high {
					out = append(out, plot.Tick{Value: v, Label: short(v)})
				}
			}
		}
	}
	return out
}

// short writes a number for a tick, in characters that every typeface has.
func short(v float64) string {
	a := math.Abs(v)
	switch {
	case v != 0 && (a < 1e-3 || a >= 1e5):
		s := strconv.FormatFloat(v, 'e', -1, 64)
		if len(s) > 7 {
			s = strconv.FormatFloat(v, 'e', 1, 64)
		}
		mantissa, exponent, _ := strings.Cut(s, "e")
		e, _ := strconv.Atoi(exponent)
		return mantissa + "e" + strconv.Itoa(e)
	case a >= 1000:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// named puts names at whole numbers.
type named []string

// Ticks lists the names.
func (n named) Ticks(low, high float64) []plot.Tick {
	var out []plot.Tick
	for i, s := range n {
		out = append(out, plot.Tick{Value: float64(i), Label: s})
	}
	return out
}

// few thins names out so that at most count are shown.
func few(names []string, count int) named {
	step := (len(names) + count - 1) / max(count, 1)
	out := make(named, len(names))
	for i := range names {
		out[i] = " "
		if step <= 1 || i%step == 0 {
			out[i] = names[i]
		}
	}
	return out
}
