package data

import (
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/internal/phrase"
)

// Beside adds the columns of another table, of labels say, to those of d. Rows belong together that
// have the same value in a column that both have: it names them, and is left out then. Without such
// a column the tables have as many rows, in the same order.
func (d *Dataset) Beside(other *Dataset) (*Dataset, error) {
	names := other.Names()
	at := slices.IndexFunc(d.Columns, func(c Column) bool { return slices.Contains(names, c.Name) })
	rows := make([]int, d.Len())
	key := ""
	if at < 0 {
		if other.Len() != d.Len() {
			return nil, other.fault(Error{Kind: ErrValue, Reason: fmt.Sprintf("%s has %s rows, and %s has %s", other.label(),
				phrase.Thousands(other.Len()), d.label(), phrase.Thousands(d.Len())),
				Advice: "give both a column with the same name that says which rows belong together, or as many rows in " +
					"the same order"})
		}
		for i := range rows {
			rows[i] = i
		}
	} else {
		var err error
		if key = d.Columns[at].Name; d.Columns[at].Missing() > 0 {
			return nil, d.fault(Error{Column: key, Kind: ErrMissing,
				Reason: fmt.Sprintf("column %q does not name every row", key)})
		}
		if rows, err = other.rowsNamed(d, key); err != nil {
			return nil, err
		}
	}
	out := *d
	out.Columns = nil
	for i := range d.Columns {
		if d.Columns[i].Name != key {
			out.Columns = append(out.Columns, d.Columns[i])
		}
	}
	added := other.Gather(rows)
	for i := range added.Columns {
		c := added.Columns[i]
		if c.Name == key {
			continue
		}
		if slices.Contains(d.Names(), c.Name) {
			return nil, other.fault(Error{Column: c.Name, Kind: ErrValue,
				Reason: fmt.Sprintf("column %q is in %s too", c.Name, d.label()), Advice: "rename it, or leave it out"})
		}
		out.Columns = append(out.Columns, c)
	}
	if key != "" {
		out.Skipped = append(slices.Clip(out.Skipped), SkippedColumn{Column: key, Reason: "it names the rows"})
	}
	return &out, nil
}

// rowsNamed are the rows of the table that have the names of the rows of d.
func (other *Dataset) rowsNamed(d *Dataset, key string) ([]int, error) {
	names, err := other.Column(key)
	if err != nil {
		return nil, err
	}
	place := make(map[string]int, names.Len())
	for i := range names.Len() {
		name := names.String(i)
		if before, twice := place[name]; twice {
			return nil, other.fault(Error{Row: i + 1, Column: key, Value: name, Kind: ErrValue,
				Reason: fmt.Sprintf("column %q is %q, as in row %d: which one is meant?", key, phrase.Clip(name), before+1)})
		}
		place[name] = i
	}
	own, err := d.Column(key)
	if err != nil {
		return nil, err
	}
	rows := make([]int, d.Len())
	for i := range rows {
		at, found := place[own.String(i)]
		if !found {
			return nil, d.fault(Error{Row: i + 1, Column: key, Value: own.String(i), Kind: ErrValue,
				Reason: fmt.Sprintf("no row of %s has the %s %q", other.label(), key, phrase.Clip(own.String(i)))})
		}
		rows[i] = at
	}
	return rows, nil
}
