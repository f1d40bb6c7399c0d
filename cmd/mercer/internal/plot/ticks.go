package plot

import (
	"math"
	"strconv"
	"strings"
)

// powerTicks marks a logarithmic axis at powers of ten, as many as there is
// room for, and at 2 and 5 between where the axis spans less than two decades; at the other
// multiples too, or as an even axis, where those are fewer than three.
type powerTicks struct{}

// Ticks lists the marks.
func (powerTicks) Ticks(low, high float64) []tick {
	if !(low > 0) || !(high > low) {
		return []tick{{Value: low, Label: short(low)}}
	}
	out := powersOfTen(low, high, 2, 5)
	if len(out) < 3 {
		out = powersOfTen(low, high, 2, 3, 4, 5, 6, 7, 8, 9)
	}
	if len(out) < 3 {
		return roundTicks{}.Ticks(low, high)
	}
	return out
}

// powersOfTen are the marks at powers, and on a short axis at multiples of them.
func powersOfTen(low, high float64, multiples ...float64) []tick {
	first, last := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	step := math.Max(1, math.Ceil((last-first)/6))
	var out []tick
	for e := first; e <= last; e++ {
		power := math.Pow(10, e)
		label := ""
		if math.Mod(e-first, step) == 0 {
			label = short(power)
		}
		if power >= low*(1-1e-9) && power <= high*(1+1e-9) {
			out = append(out, tick{Value: power, Label: label})
		}
		if last-first <= 2 || high < 50*low { // room at the ends may reach into decades of their own
			for _, m := range multiples {
				if v := m * power; v >= low && v <= high {
					out = append(out, tick{Value: v, Label: short(v)})
				}
			}
		}
	}
	return out
}

// roundTicks marks an axis at three to seven multiples of 1, 2 or 5 times a
// power of ten, with unnamed marks between.
type roundTicks struct{}

// Ticks lists the marks.
func (roundTicks) Ticks(low, high float64) []tick {
	span := high - low
	if !(span > 0) || math.IsInf(span, 0) || span < 1e-12*math.Max(math.Abs(low), math.Abs(high)) {
		return []tick{{Value: low, Label: short(low)}}
	}
	power := math.Pow(10, math.Floor(math.Log10(span/3)))
	step, parts := power, 5
	for _, m := range []int{2, 5} {
		if wide := float64(m) * power; span/wide >= 3 {
			step, parts = wide, []int{2: 4, 5: 5}[m]
		}
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	small := step / float64(parts)
	var out []tick
	for i := math.Ceil(low/small - 1e-9); i*small <= high+1e-9*span; i++ {
		t := tick{Value: i * small}
		if math.Mod(i, float64(parts)) == 0 {
			t.Label = strconv.FormatFloat(t.Value, 'f', decimals, 64)
			if a := math.Max(math.Abs(low), math.Abs(high)); a >= 1e5 || a < 1e-3 {
				t.Label = short(t.Value)
			}
			if i == 0 {
				t.Label = "0"
			}
		}
		out = append(out, t)
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
func (n named) Ticks(low, high float64) []tick {
	var out []tick
	for i, s := range n {
		out = append(out, tick{Value: float64(i), Label: s})
	}
	return out
}
