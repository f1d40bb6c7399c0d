package data

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// missingError counts the missing values of columns that have a policy to refuse them; it is nil
// where there are none.
func missingError(d *Dataset, columns []*Column) error {
	e := Error{Kind: ErrMissing, Remedy: mend.Missing}
	for _, c := range columns {
		if n := c.Missing(); n > 0 {
			e.Missing = append(e.Missing, MissingCount{c.Name, n, c.Kind == Numeric, c.Gap})
		}
	}
	if len(e.Missing) == 0 {
		return nil
	}
	e.Reason, e.File = missingColumns(e.Missing), d.label()
	if first := firstGap(e.Missing); first.Gap != nil {
		e.Line, e.Column, e.Value = first.Gap.Line, first.Column, first.Gap.Value
		e.File = cmp.Or(first.Gap.File, e.File)
		e.Reason = first.stands(d.Len()) + "\n  " + e.Reason
	}
	return &e
}

// firstGap is the column whose first missing value is the first of all.
func firstGap(columns []MissingCount) MissingCount {
	first := columns[0]
	for _, c := range columns[1:] {
		if c.Gap != nil && (first.Gap == nil || c.Gap.before(first.Gap)) {
			first = c
		}
	}
	return first
}

// before orders the places of one data set: those of other files stand behind its own.
func (g *Gap) before(other *Gap) bool {
	return cmp.Or(cmp.Compare(g.File, other.File), cmp.Compare(g.Line, other.Line)) < 0
}

// stands says what the first missing value looks like, and the others of its column.
func (c MissingCount) stands(rows int) string {
	others := "rows have a value"
	if c.Numeric {
		others = "rows are numbers"
	}
	what := "empty"
	if c.Gap.Value != "" {
		what = fmt.Sprintf("%q", c.Gap.Value)
	}
	return fmt.Sprintf("column %q is %s where %s other %s", c.Column, what, phrase.Thousands(rows-c.Count), others)
}

// missingColumns lists the columns with how many values each lacks.
func missingColumns(columns []MissingCount) string {
	const most = 12
	var b strings.Builder
	b.WriteString("1 column has missing values: ")
	if len(columns) > 1 {
		b.Reset()
		fmt.Fprintf(&b, "%d columns have missing values: ", len(columns))
	}
	for i, c := range columns {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(columns)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s (%s)", c.Column, phrase.Thousands(c.Count))
	}
	return b.String()
}

// checkDropped refuses to leave out rows with missing values where no row would be left: the first
// column without any value is to blame, or else all of them.
func (d *Dataset) checkDropped(columns []*Column) error {
	if target, err := d.Column(d.Target); err == nil {
		columns = append(columns[:len(columns):len(columns)], target)
	}
	columns = append(columns[:len(columns):len(columns)], d.moreColumns()...)
	gone := make([]bool, d.Len())
	for _, c := range columns {
		missing := 0
		for i := range gone {
			if c.IsMissing(i) {
				gone[i] = true
				missing++
			}
		}
		if missing == len(gone) {
			return d.fault(Error{Column: c.Name, Kind: ErrNoRows, Remedy: mend.Ignore,
				Reason: fmt.Sprintf("column %q has no values, and every row is left out for that", c.Name)})
		}
	}
	if slices.Contains(gone, false) {
		return nil
	}
	return d.fault(Error{Kind: ErrNoRows, Remedy: mend.Missing,
		Reason: "every row has a missing value in one column or another, and none is left"})
}
