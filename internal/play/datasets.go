package play

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/csvio"
	"github.com/mercer-ml/mercer/internal/phrase"
)

type dataAsked struct {
	Name  string  `json:"name"` // of a set; "csv": the text given, "own": the person's own file
	N     int     `json:"n,omitempty"`
	Noise float64 `json:"noise,omitempty"`
	Seed  uint64  `json:"seed,omitempty"`
	Text  string  `json:"text,omitempty"`
	X     string  `json:"x,omitempty"` // columns of a table; empty: the first numbers
	Y     string  `json:"y,omitempty"`
	Class string  `json:"class,omitempty"` // empty: the first column of few values that is no coordinate
}

// Set is points to start from.
type Set struct {
	Points  PlanePoints `json:"points"`
	Names   []string    `json:"names,omitempty"`   // of the classes
	Columns []string    `json:"columns,omitempty"` // of numbers, to choose coordinates from
	Levels  []string    `json:"levels,omitempty"`  // columns that can be classes
	X       string      `json:"x,omitempty"`
	Y       string      `json:"y,omitempty"`
	Class   string      `json:"class,omitempty"`
	Note    string      `json:"note,omitempty"`
}

// mostText bounds a pasted table.
const mostText = 4 << 20

// Draw is a set of the playground as its scenes have it. Of sets that are drawn it takes n points,
// with so much noise; a built-in table is as it is: its first two columns of numbers, and the first
// of few values as class.
func Draw(name string, n int, noise float64, seed uint64) (PlanePoints, error) {
	if n < 0 || n > mostPoints {
		return PlanePoints{}, tooMany(n)
	}
	if s, ok := drawnSet(name); ok {
		return s.draw(n, noise, seed), nil
	}
	d, err := data.Builtin(name, seed)
	if err != nil {
		return PlanePoints{}, err
	}
	set, err := planeOf(d, dataAsked{})
	if err != nil {
		return PlanePoints{}, err
	}
	return set.Points, nil
}

// readData makes points of a set that is drawn, built in, pasted or the person's own.
func readData(_ context.Context, p *Player, q dataAsked, send sender) error {
	if q.N < 0 || q.N > mostPoints {
		return tooMany(q.N)
	}
	if !(q.Noise >= 0 && q.Noise <= 100) {
		return &Fault{Field: "noise", Message: fmt.Sprintf("the noise is %g; give 0 to 100", q.Noise)}
	}
	if s, ok := drawnSet(q.Name); ok {
		n, noise := q.N, q.Noise
		if n == 0 {
			n = s.n
		}
		return send("data", Set{Points: s.draw(n, noise, q.Seed)})
	}
	d, err := p.table(q)
	if err != nil {
		return at("data", err)
	}
	set, err := planeOf(d, q)
	if err != nil {
		return at("data", err)
	}
	return send("data", set)
}

// table is a data set with columns.
func (p *Player) table(q dataAsked) (*data.Dataset, error) {
	switch q.Name {
	case "own":
		if p.Own == nil {
			return nil, &Fault{Field: "data", Message: "no file was given; start mercer play FILE, or paste a table"}
		}
		return p.Own, nil
	case "csv":
		switch {
		case strings.TrimSpace(q.Text) == "":
			return nil, &Fault{Field: "data",
				Message: "the table is empty; paste rows of numbers, with a name for each column in the first"}
		case len(q.Text) > mostText:
			return nil, &Fault{Field: "data",
				Message: fmt.Sprintf("the table has %d MB, more than the 4 MB the playground takes; take a part of it, or "+
					"use mercer fit", len(q.Text)>>20)}
		}
		return csvio.Read(func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(q.Text)), nil }, "the table",
			csvio.Options{Threads: 1})
	}
	return data.Builtin(q.Name, q.Seed)
}

// planeOf takes two columns of a table for the plane and a third for the class.
func planeOf(d *data.Dataset, q dataAsked) (*Set, error) {
	out := &Set{X: q.X, Y: q.Y, Class: q.Class}
	for i := range d.Columns {
		c := &d.Columns[i]
		if c.Kind == data.Numeric {
			out.Columns = append(out.Columns, c.Name)
		}
		if few, _ := levels(c); few != nil && c.Name != q.X && c.Name != q.Y {
			out.Levels = append(out.Levels, c.Name)
		}
	}
	if len(out.Columns) < 2 {
		return nil, &Fault{Field: "data", Message: fmt.Sprintf("%d columns of numbers; the plane needs two",
			len(out.Columns))}
	}
	if out.X == "" {
		out.X = out.Columns[0]
	}
	if out.Y == "" {
		for _, name := range out.Columns {
			if name != out.X {
				out.Y = name
				break
			}
		}
	}
	if out.Class == "" {
		for _, name := range out.Levels {
			if name != out.X && name != out.Y {
				out.Class = name
				break
			}
		}
	}
	return out, out.fill(d)
}

// fill takes the rows that have both coordinates, evenly spread over the table where there are too
// many.
func (s *Set) fill(d *data.Dataset) error {
	x, err := d.Column(s.X)
	if err != nil {
		return err
	}
	y, err := d.Column(s.Y)
	if err != nil {
		return err
	}
	if x.Kind != data.Numeric || y.Kind != data.Numeric {
		return &Fault{Field: "data", Message: fmt.Sprintf("columns %q and %q have to be numbers", s.X, s.Y)}
	}
	code := make([]int, d.Len())
	if s.Class != "" {
		c, err := d.Column(s.Class)
		if err != nil {
			return err
		}
		if s.Names, code = levels(c); s.Names == nil {
			return &Fault{Field: "data",
				Message: fmt.Sprintf("column %q has more than %d values; choose one of few for the classes", s.Class, mostClasses)}
		}
	}
	var rows []int
	for i := range d.Len() {
		if !x.IsMissing(i) && !y.IsMissing(i) && finite(x.Numbers[i]) && finite(y.Numbers[i]) {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return &Fault{Field: "data", Message: fmt.Sprintf("no row has numbers in both %q and %q", s.X, s.Y)}
	}
	if left := d.Len() - len(rows); left > 0 {
		s.Note = fmt.Sprintf("%s rows without numbers are left out. ", phrase.Thousands(left))
	}
	if len(rows) > mostPoints {
		s.Note += fmt.Sprintf("%s of %s rows are shown, evenly spread over the table.", phrase.Thousands(mostPoints),
			phrase.Thousands(len(rows)))
		few := make([]int, mostPoints)
		for i := range few {
			few[i] = rows[i*len(rows)/mostPoints]
		}
		rows = few
	}
	for _, i := range rows {
		s.Points.XY = append(s.Points.XY, x.Numbers[i], y.Numbers[i])
		s.Points.Class = append(s.Points.Class, code[i])
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// levels numbers the values of a column of few; nil where there are more, or one is missing.
func levels(c *data.Column) (names []string, code []int) {
	place := map[string]int{}
	code = make([]int, c.Len())
	for i := range code {
		if c.IsMissing(i) {
			return nil, nil
		}
		v := c.String(i)
		if _, ok := place[v]; !ok {
			if len(names) == mostClasses {
				return nil, nil
			}
			place[v] = len(names)
			names = append(names, v)
		}
		code[i] = place[v]
	}
	return names, code
}
