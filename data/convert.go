package data

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// As returns the column converted to kind: text is parsed, numbers are
// formatted. A value that does not convert is an error that names its row
// (counted from 1). What means a missing value stays missing.
func (c *Column) As(kind Kind) (Column, error) {
	n := Notation{Kind: kind}
	if c.Notation != nil {
		n.Missing, n.Literal = c.Notation.Missing, c.Notation.Literal
	}
	return c.ReadAs(n)
}

// ReadAs is As by a notation; what that leaves open is found from the values of the column.
func (c *Column) ReadAs(n Notation) (Column, error) { return c.readAs(n, "") }

// readAs is ReadAs in a file where other columns have a decimal mark.
func (c *Column) readAs(n Notation, decimal string) (Column, error) {
	kind := n.Kind
	if c.Kind == kind {
		return *c, nil
	}
	rows := c.Len()
	out := Column{Name: c.Name, Kind: kind, Gap: c.Gap, Notation: &n}
	switch kind {
	case Text, Tree, Set, Ranking, Graph, Fuzzy, Histogram, Distribution:
		out.Strings = make([]string, rows)
		for i := range rows {
			if s := c.String(i); kind == Text || !n.isNA(s) {
				out.Strings[i] = s
			}
		}
	case Categorical:
		names := make([]string, rows)
		for i := range rows {
			if s := c.String(i); !n.isNA(s) {
				names[i] = s
			}
		}
		out = LevelColumn(c.Name, names)
		out.Gap, out.Notation = c.Gap, &n
	case Boolean:
		return c.readBooleans(n)
	case Numeric:
		return c.readNumbers(n, decimal)
	case Time:
		return c.readTimes(n)
	default:
		out.Sequences = make([][]float64, rows)
		for i := range rows {
			s := c.String(i)
			if n.isNA(s) {
				continue
			}
			q, channels, ok := parseSequence(s)
			if !ok {
				return out, c.notKind(i, s, "a list of numbers is needed", mend.None)
			}
			if out.Channels > 0 && channels != out.Channels && len(q) > 0 {
				return out, c.notKind(i, s, fmt.Sprintf("a list of steps of %d numbers, as in the rows before, is needed",
					out.Channels), mend.None)
			}
			if len(q) > 0 {
				out.Channels = channels
			}
			out.Sequences[i] = q
		}
	}
	return out, nil
}

// notKind is the fault of value i, which is s where something else is needed.
func (c *Column) notKind(i int, s, needed string, remedy Remedy) error {
	return &Error{Row: i + 1, Column: c.Name, Value: s, Kind: ErrValue, Remedy: remedy,
		Reason: fmt.Sprintf("column %q is %q, where %s", c.Name, phrase.Clip(s), needed)}
}

// levelOrder compares levels as numbers where all are numbers, else as text.
func levelOrder(levels []string) func(a, b int) int {
	numbers := make([]float64, len(levels))
	for i, l := range levels {
		x, err := strconv.ParseFloat(l, 64)
		if err != nil || math.IsNaN(x) || strings.ContainsAny(l, "_xXpP") {
			return func(a, b int) int { return strings.Compare(levels[a], levels[b]) }
		}
		numbers[i] = x
	}
	return func(a, b int) int {
		return cmp.Or(cmp.Compare(numbers[a], numbers[b]), strings.Compare(levels[a], levels[b]))
	}
}
