package data

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// sentinels are numbers that stand for a value that is missing in files of programs that have no
// other way to say so.
var sentinels = []float64{-9, -99, -999, -9999, -99999, -999999, -9.99, -99.9, 99, 999, 9999, 99999, 999999}

// sentinel finds a number that seems to stand for a missing value: one of these, in two rows or
// more, at the end of the values, and farther from all others than these are from each other. Of
// twenty rows or more.
func (c *Column) sentinel() (value float64, rows int, low, high float64) {
	if c.Kind != Numeric || c.Len()-c.Missing() < 20 {
		return 0, 0, 0, 0
	}
	for _, s := range sentinels {
		n, others := 0, 0
		low, high = math.Inf(1), math.Inf(-1)
		for _, x := range c.Numbers {
			switch {
			case math.IsNaN(x):
			case x == s:
				n++
			default:
				others++
				low, high = min(low, x), max(high, x)
			}
		}
		if n < 2 || others < 2 {
			continue
		}
		if width := high - low; s < low && low-s > width && (low >= 0 || low-s > 3*width) || s > high && s-high > width {
			return s, n, low, high
		}
	}
	return 0, 0, 0, 0
}

// doubtSentinels says which columns have such a number.
func (d *Dataset) doubtSentinels(out []*Error) []*Error {
	for _, c := range d.Features() {
		if v, n, low, high := c.sentinel(); n > 0 {
			text := phrase.Number(v)
			out = append(out, &Error{File: d.label(), Column: c.Name, Value: text, Remedy: mend.NA,
				Reason: fmt.Sprintf("column %q is %s in %s rows, far from all others (%s to %s): it may stand for a missing value",
					c.Name, text, phrase.Thousands(n), phrase.Number(low), phrase.Number(high))})
		}
	}
	return out
}
