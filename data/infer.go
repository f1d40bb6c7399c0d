package data

import (
	"iter"
	"strings"
)

// InferKinds decides what the string columns of d, as a reader found them, are: what is told of
// them, else numbers, truth values, dates, lists of numbers, categories or free text, the first
// that fits every value. Columns that are already numbers change only where another kind is told.
// Categories are strings of 40 bytes or less on average, of which there are at most 20 distinct, or
// a tenth of the rows (up to 1,000), and which are short or come again. Whole numbers with zeros
// before them, and those beyond 2^53 that come again, are names and no numbers. A column then says
// how it was read (Column.Notation).
func InferKinds(d *Dataset, in Inference) error { return inferKinds(d, in, nil) }

// inferKinds is InferKinds where columns that are not told of, of the kinds in kept, stay what they
// are.
func inferKinds(d *Dataset, in Inference, kept []Kind) error {
	if in.Decimal == "" {
		in.Decimal = DecimalMark(d.untold(&in))
	}
	for i := range d.Columns {
		c := &d.Columns[i]
		_, told := in.Told[c.Name]
		if !told && c.Kind != Text && c.Kind != Categorical {
			continue
		}
		n, _ := in.of(c.Name)
		// read before, in chunks, from a format with a null of its own
		n.Literal = n.Literal || c.Notation != nil && c.Notation.Literal
		if !told {
			if stays(c.Kind, kept) {
				n.Kind = c.Kind
			} else {
				n.Kind = c.guess(&n, in.Decimal)
			}
		}
		out, err := c.dropMarkers(&n).readAs(n, in.Decimal)
		if err != nil {
			return PlaceError(d.label(), 0, err)
		}
		if n.Kind == Text && out.Gap != nil && out.Gap.Value != "" {
			out.Gap = nil // a marker such as "NA" may be meant in free text
		}
		if out.Notation == nil {
			out.Notation = &n
		}
		*c = out
	}
	return nil
}

func stays(k Kind, kept []Kind) bool {
	for _, other := range kept {
		if k == other {
			return true
		}
	}
	return false
}

// untold are the string columns that nothing is told of.
func (d *Dataset) untold(in *Inference) iter.Seq[Column] {
	return func(yield func(Column) bool) {
		for _, c := range d.Columns {
			if c.Kind != Text && c.Kind != Categorical {
				continue
			}
			if _, told := in.Told[c.Name]; !told && !yield(c) {
				return
			}
		}
	}
}

// dropMarkers turns the levels of a categorical column that mark missing
// values into missing values, and puts the levels in order.
func (c *Column) dropMarkers(n *Notation) *Column {
	if c.Kind != Categorical || n.Kind == Text {
		return c
	}
	out := Column{Name: c.Name, Kind: Categorical, Gap: c.Gap, Codes: c.Codes, Notation: n}
	place := make([]int32, len(c.Levels))
	for i, l := range c.Levels {
		if n.isNA(l) {
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

// guess is the kind of a column of strings, in a file where other columns have a decimal mark.
func (c *Column) guess(n *Notation, decimal string) Kind {
	rows := c.Len()
	most := min(max(20, rows/10), 1000)
	distinct, complete := c.distinct(most)
	bytes, present := 0, 0
	for _, s := range distinct {
		if !n.isNA(s) {
			present++
			bytes += len(s)
		}
	}
	if present == 0 {
		return Numeric // nothing but missing values
	}
	// The first values rule out most kinds before the others are looked at.
	sample := Column{Name: c.Name, Kind: Text, Strings: distinct}
	every := func(ok func(s string) bool) bool {
		for _, column := range []*Column{&sample, c} {
			for s := range column.texts() {
				if !n.isNA(s) && !ok(s) {
					return false
				}
			}
			if complete {
				break
			}
		}
		return true
	}
	names := false
	if _, ok := sample.numberEvidence(n); ok {
		if e, ok := c.numberEvidence(n); ok {
			if names = e.codes(complete && present < rows); !names {
				return Numeric
			}
		}
	}
	if complete && isBoolean(distinct, n) {
		return Boolean
	}
	layout := *n
	if sample.settleLayout(&layout) && !names {
		if again := *n; complete || c.settleLayout(&again) {
			return Time
		}
	}
	longest, channels := 0, 0
	if !names && every(func(s string) bool {
		if !strings.ContainsAny(s, ",;[") && longest == 0 {
			return false
		}
		q, steps, ok := parseSequence(s)
		if len(q) > 0 {
			ok, channels = ok && (channels == 0 || steps == channels), steps // as many numbers at every step of every row
		}
		longest = max(longest, len(q))
		return ok
	}) && longest > 2 {
		return Sequence
	}
	for _, kind := range []Kind{Tree, Graph, Distribution, Set, Fuzzy, Ranking} {
		if every(func(s string) bool { return looksLike(kind, s) }) {
			return kind
		}
	}
	// Categories come again. Long strings of which hardly any does are strings.
	strings := rows >= 10 && 10*present >= 9*rows && bytes >= 8*present
	if complete && bytes <= 40*present && !strings {
		return Categorical
	}
	return Text
}

// distinct lists distinct values up to most of them, and says whether that is
// all there are.
func (c *Column) distinct(most int) ([]string, bool) {
	if c.Kind.named() {
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
