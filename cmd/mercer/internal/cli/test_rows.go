package cli

import (
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/stat"
)

// Whether the rows of a test are independent, as it takes them to be.

// sortedBlocks is the classes that the rows of a file are sorted by: a column of categories whose
// levels stand together. Nil: there is none.
func sortedBlocks(d *data.Dataset) []int {
	for i := range d.Columns {
		c := &d.Columns[i]
		if c.Kind != data.Categorical && c.Kind != data.Boolean {
			continue
		}
		codes, levels := codesOf(c)
		changes := 0
		for j := 1; j < len(codes); j++ {
			if codes[j] != codes[j-1] {
				changes++
			}
		}
		if levels > 1 && changes == levels-1 && 3*levels <= len(codes) {
			return codes
		}
	}
	return nil
}

// doubtOrder says that rows follow from those before, in so many of the variables that exchanging
// rows does not keep what they are under the hypothesis.
func (a *App) doubtOrder(
	o *exploreOptions, d *data.Dataset, kept []int, names []string, points []data.Points[kernel.Vec], enough int,
	remedy string,
) {
	block := sortedBlocks(d)
	if block != nil {
		block = data.Take(block, kept)
	}
	var alike []string
	for i, x := range points {
		if s := stat.SerialCorrelation(x, block); s.Found {
			alike = append(alike, fmt.Sprintf("%s (%.2f)", names[i], s.Correlation))
		}
	}
	if len(alike) < enough {
		return
	}
	a.warn(o,
		fmt.Sprintf("rows go by the row before, as in a series, in %s (rank correlations): where that is not because the "+
			"file is sorted, the test, which takes rows for independent, rejects too often (%s)", strings.Join(alike, ", "),
			remedy))
}

// doubtGroups says that several rows are of one thing, whether the column that names it is looked
// at or not.
func (a *App) doubtGroups(o *exploreOptions, d *data.Dataset) {
	for _, name := range d.Grouping() {
		a.warn(o,
			fmt.Sprintf("column %q of %s names what several rows are of: where those of one are alike, the test, which takes "+
				"rows for independent, rejects too often (give it one row of each)", name, d.Name))
	}
}

// doubtSides says so of two or more variables of the same rows: one alone may depend on its past,
// and exchanging the other is fair.
func (a *App) doubtSides(o *exploreOptions, sides []*side, remedy string) {
	var names []string
	var points []data.Points[kernel.Vec]
	for _, s := range sides {
		if s.vectors() {
			names, points = append(names, strings.Join(s.Columns, ", ")), append(points, s.Rows)
		}
	}
	a.doubtOrder(o, sides[0].Data, sides[0].Kept, names, points, 2, remedy)
	a.doubtGroups(o, sides[0].Data)
}

// outOfTime is a column of times that the rows are in no order of; empty: there is none.
func outOfTime(d *data.Dataset) string {
	for i := range d.Columns {
		c := &d.Columns[i]
		if c.Kind != data.Time || c.Missing() > 0 {
			continue
		}
		for j := 1; j < c.Len(); j++ {
			if c.Micros[j] < c.Micros[j-1] {
				return c.Name
			}
		}
	}
	return ""
}
