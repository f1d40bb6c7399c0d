package serve

import (
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/libsvm"
	"github.com/mercer-ml/mercer/internal/format/refuse"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// requestName is what messages call the data of a request.
const requestName = "request"

// dataset is the rows that tensors hold: a tensor for each column, by name, or one for all of them
// side by side.
func (s *schema) dataset(inputs []tensor) (*data.Dataset, error) {
	if len(inputs) == 0 {
		return nil, refused("no input tensors; the model wants %s", strings.Join(namesOf(s.inputs), ", "))
	}
	d := &data.Dataset{Name: requestName, Columns: make([]data.Column, 0, len(s.columns))}
	rows := int64(-1)
	for i := range inputs {
		t := &inputs[i]
		if len(t.shape) == 0 {
			return nil, t.refuse("no shape")
		}
		if rows >= 0 && t.shape[0] != rows {
			return nil, t.refuse("%d rows, where tensor %q has %d", t.shape[0], clip(inputs[0].name), rows)
		}
		rows = t.shape[0]
		if slices.ContainsFunc(d.Columns, func(c data.Column) bool { return c.Name == t.name }) {
			return nil, t.refuse("a second tensor of this name")
		}
		if err := s.place(d, t, len(inputs) == 1); err != nil {
			return nil, err
		}
	}
	if rows == 0 {
		return nil, refused("no rows: the tensors have shapes that begin with 0")
	}
	return d, nil
}

// place adds what a tensor holds; alone says that it is the only one.
func (s *schema) place(d *data.Dataset, t *tensor, alone bool) error {
	k := slices.IndexFunc(s.columns, func(c column) bool { return c.name == t.name })
	switch {
	case s.sparse > 0 && (t.name == matrixName || alone && k < 0), s.open && t.texts != nil && t.kind == "BYTES" &&
		len(t.shape) == 1:
		return s.placeSparse(d, t)
	case k >= 0 && (!s.open || !alone):
		c, err := s.columns[k].of(t)
		d.Columns = append(d.Columns, c)
		return err
	case t.name == matrixName || alone:
		return s.placeMatrix(d, t)
	}
	return s.placeParts(d, t)
}

// placeParts takes a column that becomes part of another (the steps of a series side by side), or
// one that nobody needs.
func (s *schema) placeParts(d *data.Dataset, t *tensor) error {
	for _, c := range s.columns {
		if j := c.joined; j != nil && (slices.Contains(j.From, t.name) || t.name == j.By) {
			part, err := (&column{name: t.name, kind: data.Numeric}).of(t)
			d.Columns = append(d.Columns, part)
			return err
		}
	}
	hint := ""
	if n, ok := phrase.Nearest(t.name, s.names()); ok {
		hint = "; is " + n + " meant?"
	}
	return t.refuse("the model has no such input%s (it has: %s)", hint, someNames(append(namesOf(s.inputs), s.names()...)))
}

// placeMatrix takes one tensor with a column of it for each column of the model, in the model's
// order.
func (s *schema) placeMatrix(d *data.Dataset, t *tensor) error {
	width := int64(1)
	if len(t.shape) == 2 {
		width = t.shape[1]
	}
	if len(t.shape) > 2 || width != int64(len(s.columns)) && !s.open {
		return t.refuse("shape %v, where the model wants [rows, %d]: columns %s", t.shape, len(s.columns),
			someNames(s.names()))
	}
	rows, w := int(t.shape[0]), int(width)
	if t.texts != nil {
		for j := range w {
			cells := make([]string, rows)
			for i := range cells {
				cells[i] = t.texts[i*w+j]
			}
			d.Columns = append(d.Columns, data.TextColumn(s.columnName(j), cells))
		}
		return nil
	}
	all := make([]float64, rows*w)
	for j := range w {
		cells := all[j*rows : (j+1)*rows : (j+1)*rows]
		for i := range cells {
			cells[i] = t.numbers[i*w+j]
		}
		if t.kind == "BOOL" {
			d.Columns = append(d.Columns, truthColumn(s.columnName(j), cells))
			continue
		}
		d.Columns = append(d.Columns, data.NumberColumn(s.columnName(j), cells))
	}
	return finite(d)
}

// columnName is the name of column j; a model without an encoding takes more than it was fitted on,
// and says itself where it does not.
func (s *schema) columnName(j int) string {
	if j < len(s.columns) {
		return s.columns[j].name
	}
	return "x" + phrase.Number(float64(j+1))
}

// placeSparse takes sparse features: lines as a LIBSVM file has them, or all of them spelt out.
func (s *schema) placeSparse(d *data.Dataset, t *tensor) error {
	if t.texts != nil && t.kind == "BYTES" {
		var b strings.Builder
		for i, line := range t.texts {
			if strings.ContainsAny(line, "\n\r#") {
				return t.refuse("row %d has a line end or a remark in it; send index:value pairs with blanks between them", i+1)
			}
			if first, _, _ := strings.Cut(strings.TrimSpace(line), " "); first == "" || strings.Contains(first, ":") {
				b.WriteString("0 ") // LIBSVM's lines begin with a label
			}
			b.WriteString(line + "\n")
		}
		read, err := libsvm.Read(strings.NewReader(b.String()), requestName, libsvm.Options{})
		if err != nil {
			return err
		}
		d.Sparse = read.Sparse
		return nil
	}
	if len(t.shape) != 2 || t.shape[1] != int64(s.sparse) || t.texts != nil {
		return t.refuse("shape %v, where the model wants BYTES [rows] of index:value pairs, or numbers [rows, %d]", t.shape,
			s.sparse)
	}
	m := &data.CSR{Rows: int(t.shape[0]), Cols: s.sparse, Ptr: []int{0}}
	for i, x := range t.numbers {
		if x-x != 0 {
			return t.refuse("row %d has %v, which is not a finite number", i/s.sparse+1, x)
		}
		if x != 0 {
			m.Index, m.Value = append(m.Index, int32(i%s.sparse)), append(m.Value, x)
		}
		if (i+1)%s.sparse == 0 {
			m.Ptr = append(m.Ptr, len(m.Value))
		}
	}
	rows := data.Sparse(m)
	d.Sparse = &rows
	return nil
}

// of is the column that a tensor holds. Texts are read by the model's own encoder afterwards, as
// those of a file are.
func (c *column) of(t *tensor) (data.Column, error) {
	rows, width := int(t.shape[0]), 1
	for _, n := range t.shape[1:] {
		width *= int(n) // the product of all is in bounds: see count
	}
	series := c.kind == data.Sequence && t.texts == nil && len(t.shape) > 1
	if !series && width != 1 {
		return data.Column{}, t.refuse("shape %v, where a column of %d rows has shape [%d]", t.shape, rows, rows)
	}
	switch {
	case series:
		out := data.Column{Name: c.name, Kind: data.Sequence, Sequences: make([][]float64, rows)}
		if len(t.shape) > 3 || len(t.shape) == 3 && int(t.shape[2]) != max(c.code.Channels, 1) {
			return out, t.refuse("shape %v, where the model wants steps of %d numbers", t.shape, max(c.code.Channels, 1))
		}
		if out.Channels = max(c.code.Channels, 1); width%out.Channels != 0 {
			return out, t.refuse("%d numbers a row, where the model wants steps of %d", width, out.Channels)
		}
		for i := range rows {
			row := t.numbers[i*width : (i+1)*width]
			for width > 0 && len(row) > 0 && row[len(row)-1] != row[len(row)-1] { // series that are shorter end in NaN
				row = row[:len(row)-1]
			}
			for _, x := range row {
				if x-x != 0 {
					return out, t.refuse("row %d has %v in the middle of a series", i+1, x)
				}
			}
			if len(row)%out.Channels != 0 {
				return out, t.refuse("row %d ends within a step of %d numbers", i+1, out.Channels)
			}
			out.Sequences[i] = row
		}
		return out, nil
	case t.texts != nil:
		return data.TextColumn(c.name, t.texts), nil
	case t.kind == "BOOL":
		return truthColumn(c.name, t.numbers), nil
	}
	out := data.NumberColumn(c.name, t.numbers)
	return out, finiteColumn(&out)
}

// truthColumn is the column of a tensor of truth values, which holds 0 and 1, and NaN where there
// is none.
func truthColumn(name string, numbers []float64) data.Column {
	values := make([]bool, len(numbers))
	for i, x := range numbers {
		values[i] = x == 1
	}
	return data.BooleanColumn(name, values, func(i int) bool { return numbers[i] != numbers[i] })
}

// finite refuses infinities; NaN is a missing value, of which the model's policy decides.
func finite(d *data.Dataset) error {
	for i := range d.Columns {
		if err := finiteColumn(&d.Columns[i]); err != nil {
			return err
		}
	}
	return nil
}

func finiteColumn(c *data.Column) error {
	for i, x := range c.Numbers {
		if x-x != 0 && x == x {
			e := refuse.NotFinite(c.Name, i+1, x, false)
			e.File = requestName
			return e
		}
	}
	return nil
}

// someNames joins names, the first of many.
func someNames(names []string) string {
	const most = 20
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
