package data

import (
	"math"
	"strconv"
	"strings"
)

// InferKinds decides what the string columns of d, as a reader found them, are:
// the kind declared for them by name, else numbers, dates, lists of numbers,
// categories or free text, the first that fits every value. Columns that are
// already numbers change only where another kind is declared; names declared
// that are not there are passed over. Categories are
// strings of 40 bytes or less on average, of which there are at most 20
// distinct, or a tenth of the rows (up to 1,000), and which are short or come again.
func InferKinds(d *Dataset, declared map[string]Kind) error {
	for i := range d.Columns {
		c := &d.Columns[i]
		kind, ok := declared[c.Name]
		if !ok {
			if c.Kind != Text && c.Kind != Categorical {
				continue
			}
			kind = c.guess()
		}
		out, err := c.dropMarkers(kind).As(kind)
		if err != nil {
			return PlaceError(d.label(), 0, err)
		}
		if kind == Text && out.Gap != nil && out.Gap.Value != "" {
			out.Gap = nil // a marker such as "NA" may be meant in free text
		}
		*c = out
	}
	return nil
}

// dropMarkers turns the levels of a categorical column that mark missing
// values into missing values, and puts the levels in order.
func (c *Column) dropMarkers(kind Kind) *Column {
	if c.Kind != Categorical || kind == Text {
		return c
	}
	out := Column{Name: c.Name, Kind: Categorical, Gap: c.Gap, Codes: c.Codes}
	place := make([]int32, len(c.Levels))
	for i, l := range c.Levels {
		if IsNA(l) {
			place[i] = -1
			continue
		}
		place[i] = int32(len(out.Levels))
		out.Levels = append(out.Levels, l)
	}
	for i, k := range out.Codes {
		if k >= 0 {
			out.Codes[i] = place[k]
		}
	}
	out.sortLevels()
	return &out
}

func (c *Column) guess() Kind {
	n := c.Len()
	most := min(max(20, n/10), 1000)
	distinct, complete := c.distinct(most)
	bytes, present := 0, 0
	for _, s := range distinct {
		if !IsNA(s) {
			present++
			bytes += len(s)
		}
	}
	if present == 0 {
		return Numeric // nothing but missing values
	}
	sample := Column{Name: c.Name, Kind: Text, Strings: distinct}
	every := func(ok func(s string) bool) bool {
		for _, s := range distinct {
			if s = strings.TrimSpace(s); !IsNA(s) && !ok(s) {
				return false
			}
		}
		if complete {
			return true
		}
		for i := range n {
			if s := strings.TrimSpace(c.String(i)); !IsNA(s) && !ok(s) {
				return false
			}
		}
		return true
	}
	if every(func(s string) bool {
		x, err := strconv.ParseFloat(s, 64)
		return err == nil && !math.IsInf(x, 0)
	}) {
		return Numeric
	}
	if _, ok := sample.timeLayout(); ok {
		if complete {
			return Time
		}
		if _, ok := c.timeLayout(); ok {
			return Time
		}
	}
	longest := 0
	if every(func(s string) bool {
		if !strings.ContainsAny(s, ",;[") && longest == 0 {
			return false
		}
		q, _, ok := parseSequence(s)
		longest = max(longest, len(q))
		return ok
	}) && longest > 2 {
		return Sequence
	}
	for _, kind := range []Kind{Tree, Graph, Set, Ranking} {
		if every(func(s string) bool { return looksLike(kind, s) }) {
			return kind
		}
	}
	// Categories come again. Long strings of which hardly any does are strings.
	strings := n >= 10 && 10*present >= 9*n && bytes >= 8*present
	if complete && bytes <= 40*present && !strings {
		return Categorical
	}
	return Text
}

// distinct lists distinct values up to most of them, and says whether that is
// all there are.
func (c *Column) distinct(most int) ([]string, bool) {
	if c.Kind == Categorical {
		if len(c.Levels) > most {
			return c.Levels[:most], false
		}
		return c.Levels, true
	}
	seen := map[string]bool{}
	var out []string
	for _, s := range c.Strings {
		if !seen[s] {
			if len(out) == most {
				return out, false
			}
			seen[s] = true
			out = append(out, s)
		}
	}
	return out, true
}
