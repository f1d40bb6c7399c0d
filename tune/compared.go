package tune

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/learn"
)

// Compared is how the rows of a table are compared where nothing is predicted: what its columns
// become, and by which kernel. Kinds of columns and kernels are found as Auto finds them.
type Compared struct {
	Encoder *data.Encoder
	Schema  mixed.Schema
	Notes   []string // what was decided that nobody asked for

	written *WrittenKernel
	noted   []notedColumn
}

// Compare finds out how the rows of d are compared. text is the kernel that somebody wrote, empty
// for none. Where o says nothing of texts they become words, or stay strings, as they are written.
// d may come back with columns of other kinds: those are the rows to encode.
func Compare(d *data.Dataset, text string, o data.EncoderOptions) (*Compared, *data.Dataset, error) {
	c := &Compared{}
	own := *d
	own.Columns = slices.Clone(d.Columns)
	d = &own
	var err error
	if text != "" {
		if c.written, err = ReadKernel(d, text); err != nil {
			return nil, nil, err
		}
	}
	if c.written == nil || c.written.Columns == nil {
		if d, c.noted, err = notedColumns(d); err != nil {
			return nil, nil, err
		}
		for _, n := range c.noted {
			c.Notes = append(c.Notes, fmt.Sprintf("%s has a note for each letter of %s", n.notes, n.letters))
		}
	}
	switch {
	case c.written != nil && c.written.Columns != nil:
		o.Texts = c.written.Texts
	case o.Text == "" && o.Texts == nil:
		var words, why []string
		if o.Texts, words, why = textPolicies(d); words != nil {
			c.Notes = append(c.Notes, wordsNote(words))
		}
		c.Notes = append(c.Notes, why...)
	}
	if c.Encoder, err = data.FitEncoder(d, o); err != nil {
		return nil, nil, err
	}
	c.Schema = mixing.SchemaOf(c.Encoder)
	return c, d, nil
}

// Vectors says that every column became features: points are vectors.
func (c *Compared) Vectors() bool { return len(c.Schema.Objects()) == 0 }

// Rows is encoded rows as points, where some columns are of objects.
func (c *Compared) Rows(x *data.Encoded) (data.Points[any], error) {
	rows, err := c.Schema.Rows(x)
	if err != nil {
		return nil, err
	}
	return mixing.EraseRows(rows), nil
}

// Kernel is the kernel that was written, on the points that the encoder makes; nil where none was.
func (c *Compared) Kernel() (kernel.Kernel[any], error) {
	switch {
	case c.written == nil:
		return nil, nil
	case c.written.Columns == nil && c.Vectors():
		return kernel.OnVectors(c.written.Kernel), nil
	case c.written.Columns == nil:
		k, err := c.Schema.Features(c.written.Kernel)
		if err != nil {
			return nil, &spec.Error{Source: c.written.Text, Column: 1, Message: "a kernel on numbers, and there are none",
				Hint: "give one for the columns that there are: " + c.kinds()}
		}
		return mixing.Erase(k), nil
	case c.Vectors():
		k, err := c.written.Columns.Features(c.Schema)
		if err != nil {
			return nil, err
		}
		return kernel.OnVectors(k), nil
	}
	k, err := c.written.Columns.Rows(c.Schema)
	if err != nil {
		return nil, err
	}
	return mixing.Erase(k), nil
}

// vectorKernel is the kernel that was written, where rows are vectors; else given.
func (c *Compared) vectorKernel(given kernel.Kernel[kernel.Vec]) (kernel.Kernel[kernel.Vec], error) {
	switch {
	case c.written == nil:
		return given, nil
	case c.written.Columns == nil:
		return c.written.Kernel, nil
	}
	return c.written.Columns.Features(c.Schema)
}

// Unused is the columns that a kernel that was written does not look at, where it is one on numbers
// alone.
func (c *Compared) Unused() (names []string) {
	if c.written != nil && c.written.Columns == nil {
		for _, o := range c.Schema.Objects() {
			names = append(names, o.Name)
		}
	}
	return names
}

func (c *Compared) kinds() string {
	var out []string
	for _, column := range c.Schema.Columns {
		out = append(out, column.Name+" is "+column.Kind.String())
	}
	return strings.Join(out, ", ")
}

// comparedTime is the time that comparing all pairs of objects may take, as in a search of a
// minute.
const comparedTime = time.Minute

// Likeliest is the kernel for rows with columns of objects where none was written: for each column
// the likeliest one of its kind, for all features together a Gaussian of median width, and all of
// them in an even sum, each divided by the mean of its k(x, x).
func (c *Compared) Likeliest(x data.Points[any], seed uint64) (kernel.Kernel[any], error) {
	o := AutoOptions{Budget: comparedTime, Seed: seed, notes: c.noted}
	p := learn.Problem[any]{Points: x}
	parts, err := rowParts(c.Schema, p, o)
	if err != nil {
		return nil, err
	}
	switch len(parts) {
	case 0:
		return nil, fault.Errorf("tune", "no column that a kernel compares")
	case 1:
		return mixing.Erase(parts[0].proposals[0].kernel), nil
	}
	return mixing.Erase(evenSumOf(parts, p)), nil
}

// Text writes a kernel on these points in the language of package spec.
func (c *Compared) Text(k kernel.Kernel[any]) (string, error) {
	switch k := kernel.Concrete(k).(type) {
	case kernel.Kernel[mixed.Row]:
		return spec.FormatRows(c.Schema, k)
	case kernel.Kernel[kernel.Vec]:
		return spec.FormatKernel(k)
	}
	return "", fault.Errorf("tune", "a kernel of type %T has no text", kernel.Concrete(k))
}
