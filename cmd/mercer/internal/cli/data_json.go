package cli

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// columnFacts is what there is to say about a column, as data.
type columnFacts struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Target  bool     `json:"target"`
	Missing int      `json:"missing"`
	Min     *float64 `json:"min,omitempty"`
	// a quarter, a half and three quarters of the values are at most these
	Quartiles []float64 `json:"quartiles,omitempty"`
	Max       *float64  `json:"max,omitempty"`
	Mean      *float64  `json:"mean,omitempty"`
	Levels    int       `json:"levels,omitempty"` // how many categories
	First     []string  `json:"first_levels,omitempty"`
	Reading   string    `json:"reading,omitempty"` // how it was read, where that is not the plainest way
}

func factsOf(c *data.Column, target string) columnFacts {
	f := columnFacts{Name: c.Name, Kind: c.Kind.String(), Target: c.Name == target, Missing: c.Missing(),
		Reading: c.DescribeReading()}
	switch c.Kind {
	case data.Numeric:
		if s := summaryOf(c.Numbers); s != nil {
			f.Min, f.Max, f.Mean, f.Quartiles = &s.min, &s.max, &s.mean, s.quartiles[:]
		}
	case data.Categorical, data.Boolean:
		f.Levels, f.First = len(c.Levels), c.Levels[:min(10, len(c.Levels))]
	}
	return f
}

// summary is a column of numbers in six.
type summary struct {
	min, max, mean float64
	quartiles      [3]float64
}

// summaryOf is nil where there are no numbers.
func summaryOf(v []float64) *summary {
	known := slices.DeleteFunc(slices.Clone(v), math.IsNaN)
	if len(known) == 0 {
		return nil
	}
	slices.Sort(known)
	s := &summary{min: known[0], max: known[len(known)-1]}
	for _, x := range known {
		s.mean += x / float64(len(known))
	}
	for i := range s.quartiles {
		s.quartiles[i] = quantileOf(known, float64(i+1)/4)
	}
	return s
}

// String is its line.
func (s *summary) String() string {
	return fmt.Sprintf("%s to %s, median %s (%s to %s)", valueText(s.min), valueText(s.max), valueText(s.quartiles[1]),
		valueText(s.quartiles[0]), valueText(s.quartiles[2]))
}

// valueText writes a value of a column: a count stays one.
func valueText(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e7 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return number(v)
}

// kindsOf counts columns by kind: what a wide file holds.
func kindsOf(columns []data.Column) string {
	count := map[string]int{}
	for i := range columns {
		count[columns[i].Kind.String()]++
	}
	var parts []string
	for kind, n := range count {
		parts = append(parts, phrase.Thousands(n)+" "+kind)
	}
	sort.Strings(parts)
	return strings.Join(parts, ", ")
}
