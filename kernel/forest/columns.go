package forest

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

const (
	bins       = 256
	missingBin = bins - 1 // of a column that has missing values, and of every column of categories
	otherBin   = bins - 2 // of a category beyond the most frequent ones, and of one that was never seen
	mostNamed  = otherBin // categories of a column that have a bin of their own
)

// column is one coordinate of all rows, each by the number of its bin. Bins of numbers increase
// with them; those of categories are numbered by value.
type column struct {
	bin        []uint8
	low, high  []float64 // the least and the largest number of each bin: equal where a bin is one number
	missing    bool      // some row has none: then the last bin is theirs
	categories []float64 // not nil: values that have a bin of their own, in increasing order
}

// binColumns puts the rows into bins, a column at a time. Columns with no more different numbers
// than bins lose nothing.
func binColumns(ctx context.Context, threads int, x data.Points[kernel.Vec], categories []int) []column {
	if x.Len() == 0 {
		return nil
	}
	out := make([]column, len(x.At(0)))
	par.For(threads, len(out), 1, func(j, _ int) {
		if ctx.Err() == nil {
			v := make([]float64, x.Len())
			for i := range v {
				v[i] = x.At(i)[j]
			}
			if slices.Contains(categories, j) {
				out[j] = binCategories(v)
			} else {
				out[j] = binNumbers(v)
			}
		}
	})
	return out
}

func binNumbers(v []float64) column {
	c := column{bin: make([]uint8, len(v))}
	sorted := make([]float64, 0, len(v))
	for _, f := range v {
		if f == f {
			sorted = append(sorted, f)
		}
	}
	c.missing = len(sorted) < len(v)
	slices.Sort(sorted)
	most := bins
	if c.missing {
		most = missingBin
	}
	c.low, c.high = numberBins(sorted, most)
	for i, f := range v {
		if f != f {
			c.bin[i] = missingBin
			continue
		}
		b, _ := slices.BinarySearch(c.high, f)
		c.bin[i] = uint8(b)
	}
	return c
}

// numberBins is a bin for each different number where there are few, else bins of about equally
// many rows. Equal numbers are never in two bins.
func numberBins(sorted []float64, most int) (low, high []float64) {
	for i, f := range sorted {
		if i > 0 && f == sorted[i-1] {
			continue
		}
		if len(low) == most {
			return quantileBins(sorted, most)
		}
		low = append(low, f+0) // -0 is 0
	}
	return low, low
}

// quantileBins ends bin b with the number that (b+1)/most of all rows do not exceed; one that many
// rows have fills several shares.
func quantileBins(sorted []float64, most int) (low, high []float64) {
	n := len(sorted)
	for from := 0; from < n; {
		left := most - len(high) // bins that share what is left
		to := from + (n-from+left-1)/left
		for to < n && sorted[to] == sorted[to-1] {
			to++
		}
		low, high = append(low, sorted[from]+0), append(high, sorted[to-1]+0)
		from = to
	}
	return low, high
}

func binCategories(v []float64) column {
	c := column{bin: make([]uint8, len(v)), missing: true, categories: []float64{}}
	count := map[float64]int{}
	for _, f := range v {
		if f == f {
			count[f]++
		}
	}
	for f := range count {
		c.categories = append(c.categories, f+0)
	}
	if len(c.categories) > mostNamed {
		slices.SortFunc(c.categories, func(a, b float64) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) })
		c.categories = slices.Clip(c.categories[:mostNamed])
	}
	slices.Sort(c.categories)
	for i, f := range v {
		c.bin[i] = categoryBin(c.categories, f)
	}
	return c
}

// categoryBin is the bin of a value of a column of categories.
func categoryBin(categories []float64, v float64) uint8 {
	if v != v {
		return missingBin
	}
	if b, ok := slices.BinarySearch(categories, v); ok {
		return uint8(b)
	}
	return otherBin
}

// middle is a number from a on and below b, halfway where that can be: points up to it go left.
func middle(a, b float64) float64 {
	if m := a/2 + b/2; a <= m && m < b {
		return m
	}
	return a
}

// checkRows refuses rows of different lengths, infinities and, unless they may be missing, NaN.
func checkRows(x data.Points[kernel.Vec], dim int, missing bool) error {
	for i := range x.Len() {
		row := x.At(i)
		if len(row) != dim {
			return fault.Errorf("forest", "row %d has %d coordinates, want %d", i, len(row), dim)
		}
		for j, v := range row {
			if v-v != 0 && !(missing && math.IsNaN(v)) {
				return fault.Errorf("forest", "row %d, column %d is %g; impute or drop it", i, j, v)
			}
		}
	}
	return nil
}
