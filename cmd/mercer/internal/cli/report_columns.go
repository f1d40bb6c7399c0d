package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// reportColumn is a column in a line.
type reportColumn struct {
	Name, Kind, Range, Missing string
	Read                       string // how it was read, where that is not the plainest way
	Overrule                   string // the option that has it read in another way
}

// How many columns stand on a page, in a terminal, and in the list of a page that opens.
const (
	pageColumns     = 20
	terminalColumns = 60
	listColumns     = 300
)

// columnLines is the first columns of a file and its targets, the first of the others, and what
// these are; a few more than asked for are shown all.
func columnLines(d *data.Dataset, most int) (shown, more []reportColumn, title string) {
	var rest []data.Column
	for i := range d.Columns {
		c := &d.Columns[i]
		target := slices.Contains(d.Targets(), c.Name)
		switch {
		case i < most || target || len(d.Columns) <= most+5:
			shown = append(shown, columnLine(c, target))
			continue
		case len(more) < listColumns:
			more = append(more, columnLine(c, target))
		}
		rest = append(rest, *c)
	}
	if len(rest) > 0 {
		title = fmt.Sprintf("and %s more: %s", phrase.Thousands(len(rest)), kindsOf(rest))
	}
	return shown, more, title
}

func columnLine(c *data.Column, target bool) reportColumn {
	row := reportColumn{Name: c.Name, Kind: c.Kind.String(), Range: rangeOf(c), Read: c.DescribeReading(),
		Overrule: overrule(c)}
	if n := c.Missing(); n > 0 {
		row.Missing = phrase.Thousands(n)
	}
	if target {
		row.Kind += " (target)"
	}
	return row
}

// shownLevels is how many levels of a column are named.
const shownLevels = 6

// rangeOf says what values a column has.
func rangeOf(c *data.Column) string {
	switch c.Kind {
	case data.Numeric:
		if s := summaryOf(c.Numbers); s != nil {
			return s.String()
		}
		return "no values"
	case data.Categorical, data.Boolean:
		noun := "levels"
		if len(c.Levels) == 1 {
			noun = "level"
		}
		text := fmt.Sprintf("%s %s: %s", phrase.Thousands(len(c.Levels)), noun,
			strings.Join(c.Levels[:min(shownLevels, len(c.Levels))], ", "))
		if more := len(c.Levels) - shownLevels; more > 0 {
			text += fmt.Sprintf(" and %s more", phrase.Thousands(more))
		}
		return text
	case data.Time:
		first, last := -1, -1
		for i, t := range c.Micros {
			if c.IsMissing(i) {
				continue
			}
			if first < 0 || t < c.Micros[first] {
				first = i
			}
			if last < 0 || t > c.Micros[last] {
				last = i
			}
		}
		if first >= 0 {
			return fmt.Sprintf("dates, %s to %s", c.String(first), c.String(last))
		}
		return "no values"
	}
	return ""
}
