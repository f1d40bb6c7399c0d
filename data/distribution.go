package data

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/celltext"
)

// HistogramShares reads a histogram: numbers with commas, semicolons or blanks between them, in
// square brackets or not, none of them negative. Counts are divided by their sum; shares, whose sum
// is 1 up to what single precision loses, stay as they are.
func HistogramShares(s string) ([]float64, error) {
	p, channels, ok := parseSequence(s)
	if !ok || channels != 1 {
		return nil, fmt.Errorf("%q is no list of counts; write them as 3,1,0,2", celltext.Shortened(s))
	}
	if len(p) == 0 {
		return nil, fmt.Errorf("it has no bins; write its counts as 3,1,0,2")
	}
	largest, sum := 0.0, 0.0
	for i, v := range p {
		if !(v >= 0) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("bin %d is %v, where a count or share of 0 or more is needed", i+1, v)
		}
		largest, sum = max(largest, v), sum+v
	}
	if largest == 0 {
		return nil, fmt.Errorf("all of its %d bins are 0: it is a histogram of nothing; leave the row out, or add a small "+
			"count to each bin of every row", len(p))
	}
	if math.Abs(sum-1) <= 1e-6 {
		return p, nil
	}
	if math.IsInf(sum, 0) { // counts near the largest number
		sum = 0
		for i := range p {
			p[i] /= largest
			sum += p[i]
		}
	}
	for i := range p {
		p[i] /= sum
	}
	return p, nil
}

// fitSize learns how many bins or coordinates the first object has that can be read; whether all
// others have as many is asked where objects are made.
func (code *ColumnCode) fitSize(c *Column) {
	for _, s := range c.Strings {
		if c.Kind == Histogram {
			if p, err := HistogramShares(s); err == nil {
				code.Channels = len(p)
				return
			}
		} else if parts, err := celltext.NormalParts(s); err == nil {
			code.Channels = len(parts[0].Mean)
			return
		}
	}
}
