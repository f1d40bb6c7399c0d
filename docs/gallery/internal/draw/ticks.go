package draw

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// Powers says that values are powers of ten, from the first to the last.
func (p *Panel) Powers(first, last int) {
	p.plot.Y.Min, p.plot.Y.Max, p.plot.Y.Tick.Marker = float64(first), float64(last), powers(first, last)
}

// PowersAcross says the same of the horizontal axis.
func (p *Panel) PowersAcross(first, last int) {
	p.plot.X.Min, p.plot.X.Max, p.plot.X.Tick.Marker = float64(first), float64(last), powers(first, last)
}

// powers marks at most six powers of ten, the last among them.
func powers(first, last int) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for e := last; e >= first; e -= max(1, (last-first+4)/5) {
		ticks = append(ticks, plot.Tick{Value: float64(e), Label: power(e)})
	}
	return ticks
}

// power is 10ᵉ in figures where that is short. (The face has no superscript minus: it would be left
// out without a word.)
func power(e int) string {
	if e >= -3 && e <= 3 {
		return strconv.FormatFloat(math.Pow(10, float64(e)), 'f', -1, 64)
	}
	return minus("1e" + strconv.Itoa(e))
}

// Number is a setting in a heading.
func Number(v float64) string {
	return minus(strings.ReplaceAll(strconv.FormatFloat(v, 'g', -1, 64), "e-0", "e-"))
}

// roundTicks marks an axis at two to five multiples of 1, 2 or 5 times a power of ten.
type roundTicks struct{}

// Ticks lists the marks.
func (roundTicks) Ticks(low, high float64) []plot.Tick {
	span := high - low
	if !(span > 0) || math.IsInf(span, 0) {
		return []plot.Tick{{Value: low, Label: minus(strconv.FormatFloat(low, 'g', 3, 64))}}
	}
	step := math.Pow(10, math.Floor(math.Log10(span/2)))
	for _, m := range []float64{2, 2.5} { // 1, 2, 5
		if span/step > 5.01 {
			step *= m
		}
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var out []plot.Tick
	for i := math.Ceil(low/step - 1e-9); i*step <= high+1e-9*span; i++ {
		out = append(out, plot.Tick{Value: i * step, Label: minus(strconv.FormatFloat(i*step+0, 'f', decimals, 64))})
	}
	return out
}

// minus writes a negative number as one does in print.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }
