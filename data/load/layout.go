package load

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
)

// Layout is what the columns of a table are, how they are written and which roles they have, as
// plain data: other files of the same table are read by it in the same way, wherever they are.
type Layout struct {
	File    string // that it was found in
	Columns []LayoutColumn
	Target  string
	More    []string `json:",omitempty"` // further targets
	Weights string   `json:",omitempty"`
	Groups  string   `json:",omitempty"`
}

// LayoutColumn is one of them.
type LayoutColumn struct {
	Name     string
	Notation data.Notation
	Settled  bool // nothing is left to be found from the values
}

// Layout is that of the first rows.
func (t *Table) Layout() Layout {
	l := Layout{File: t.path, Target: t.head.Target, More: t.head.More, Weights: t.head.Weights, Groups: t.head.Groups}
	for i := range t.head.Columns {
		c := &t.head.Columns[i]
		l.Columns = append(l.Columns, LayoutColumn{c.Name, t.options.Readings[c.Name], c.Notation != nil})
	}
	return l
}

// Open gives the rows of another file of the table, a chunk at a time, with the columns of the
// layout in its order. A file with other columns is refused by name, and a value that is written
// otherwise with its line.
func (l Layout) Open(ctx context.Context, path string, o Options) (data.Stream, error) {
	o.Readings = map[string]data.Notation{}
	for _, c := range l.Columns {
		n := c.Notation
		n.Settled = c.Settled
		o.Readings[c.Name] = n
	}
	o.Target, o.Weights, o.Groups = l.Target, l.Weights, l.Groups
	s, err := Open(ctx, path, o)
	if err != nil {
		return nil, err
	}
	return &laidOut{s, l}, nil
}

type laidOut struct {
	data.Stream
	l Layout
}

func (s *laidOut) Next() (*data.Dataset, error) {
	d, err := s.Stream.Next()
	if err != nil {
		return nil, err
	}
	return s.l.apply(d)
}

// apply puts the columns of a chunk in the order of the layout, with its kinds and roles.
func (l Layout) apply(d *data.Dataset) (*data.Dataset, error) {
	line := 0
	if f := Detect(d.Name, nil); f == formatCSV || f == formatTSV { // where names of columns stand
		line = 1
	}
	other := func(column, reason string) error {
		return &data.Error{File: d.Name, Line: line, Column: column, Kind: data.ErrNoColumn, Reason: reason,
			Advice: "give files of one table, or leave this one out"}
	}
	out := *d
	out.Hash, out.Columns = "", nil
	out.Target, out.More, out.Weights, out.Groups = l.Target, l.More, l.Weights, l.Groups
	known := map[string]bool{}
	for _, want := range l.Columns {
		known[want.Name] = true
		c, err := d.Column(want.Name)
		if err != nil {
			return nil, other(want.Name, fmt.Sprintf("no column %q, which %s has", want.Name, l.File))
		}
		if c.Kind != want.Notation.Kind {
			as, err := c.As(want.Notation.Kind)
			if err != nil {
				return nil, data.PlaceError(d.Name, 0, err)
			}
			c = &as
		}
		out.Columns = append(out.Columns, *c)
	}
	for _, name := range d.Names() {
		if !known[name] {
			return nil, other(name, fmt.Sprintf("a column %q, which %s does not have", name, l.File))
		}
	}
	return &out, nil
}
