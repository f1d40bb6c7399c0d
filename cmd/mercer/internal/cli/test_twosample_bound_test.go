package cli

import (
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// samplesOf is two samples of so many rows each.
func samplesOf(m, n int) *samples {
	s := &samples{Pooled: &table{Rows: data.RowsOf(linalg.New[float64](m+n, 1))}}
	for i := range m + n {
		k := 0
		if i >= m {
			k = 1
		}
		s.At[k] = append(s.At[k], i)
	}
	return s
}

// The work is bounded unless somebody asked for it; rows are drawn in proportion, none twice, and
// the same ones again.
func TestTwoSampleBound(t *testing.T) {
	for name, c := range map[string]struct {
		m, n               int
		options            twoSampleOptions
		asked              bool
		rows, permutations int
		said               int
	}{
		"few":   {m: 200, n: 300, rows: 500, permutations: 2000},
		"wine":  {m: 1599, n: 4898, rows: 6497, permutations: 329, said: 1}, // 2.5·10¹¹/(18·6497²)
		"asked": {m: 1599, n: 4898, asked: true, rows: 6497, permutations: 2000},
		// √(2.5·10¹¹/(18·199)), rounded for each sample
		"very many": {m: 20000, n: 60000, rows: 8355, permutations: 199, said: 2},
		"rows asked": {m: 20000, n: 60000, options: twoSampleOptions{Rows: 80000}, rows: 80000, permutations: 199,
			said: 1},
		"rows given": {m: 2000, n: 6000, options: twoSampleOptions{Rows: 1000}, rows: 1000, permutations: 2000, said: 1},
		"linear in time": {m: 20000, n: 60000, options: twoSampleOptions{Widths: "median", Estimate: "linear"}, rows: 80000,
			permutations: 2000},
	} {
		o := c.options
		if o.Widths == "" {
			o.Widths = "aggregate"
		}
		o.Scales, o.Permutations, o.Alpha, o.Seed, o.Null = 9, 2000, 0.05, 1, "permutation"
		if o.Estimate == "" {
			o.Estimate = "unbiased"
		}
		o.given = func(string) bool { return c.asked }
		s := samplesOf(c.m, c.n)
		again := samplesOf(c.m, c.n)
		o2 := o
		said := o.bound(s)
		o2.bound(again)
		if got := len(s.At[0]) + len(s.At[1]); got != c.rows || o.Permutations != c.permutations || len(said) != c.said {
			t.Errorf("%s: %d rows and %d permutations, want %d and %d; said %q", name, got, o.Permutations, c.rows,
				c.permutations, said)
		}
		for i := range s.At {
			if !slices.Equal(s.At[i], again.At[i]) {
				t.Errorf("%s: other rows the second time", name)
			}
			if !slices.IsSorted(s.At[i]) || len(slices.Compact(slices.Clone(s.At[i]))) != len(s.At[i]) {
				t.Errorf("%s: rows out of order or twice", name)
			}
		}
		if c.rows < c.m+c.n {
			if want := float64(c.rows) * float64(c.m) / float64(c.m+c.n); float64(len(s.At[0])) < want-1 ||
				float64(len(s.At[0])) > want+1 {
				t.Errorf("%s: %d of the first sample, want %g", name, len(s.At[0]), want)
			}
		}
	}
}
