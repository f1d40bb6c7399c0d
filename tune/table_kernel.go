package tune

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
)

// ColumnKernels makes a kernel of a table when its columns are known: what a text that names
// columns stands for.
type ColumnKernels struct {
	// Rows is for a table with columns of objects, Features for one without.
	Rows     func(mixed.Schema) (kernel.Kernel[mixed.Row], error)
	Features func(mixed.Schema) (kernel.Kernel[kernel.Vec], error)
}

// WrittenKernel is a kernel that somebody wrote for a table.
type WrittenKernel struct {
	Text    string
	Kernel  kernel.Kernel[kernel.Vec] // on features, whichever they are; nil: Columns
	Columns *ColumnKernels            // where the text names columns, or compares objects
	// Texts says what columns of text have to become for Columns.
	Texts map[string]data.TextPolicy
}

// ReadKernel reads a kernel that is written for the rows of d. A column that the text compares as a
// set, a string or the like becomes one in d. What is wrong with the text is a *spec.Error, here or
// when the columns are known.
func ReadKernel(d *data.Dataset, text string) (*WrittenKernel, error) {
	e, err := spec.Parse(text)
	if err != nil {
		return nil, err
	}
	w := &WrittenKernel{Text: text}
	if !spec.OfTable(e) {
		w.Kernel, err = spec.ParseKernel(text)
		return w, err
	}
	for name, kind := range spec.ColumnKinds(e) {
		named := name != ""
		if !named {
			name = unnamedColumn(d, kind)
		}
		c, err := d.Column(name)
		if err != nil || c.Kind == kind || !named && name == "" {
			continue // a column that is not there is the kernel's to say
		}
		as, err := c.As(kind)
		if err != nil && !named {
			continue // so is one that is no such thing
		}
		if err != nil {
			return nil, fmt.Errorf("column %q is no %s: %w", name, kind, err)
		}
		*c = as
	}
	var texts []string
	for _, c := range d.Features() {
		if c.Kind == data.Text {
			texts = append(texts, c.Name)
		}
	}
	w.Texts = spec.TextPolicies(e, texts)
	w.Columns = &ColumnKernels{
		Rows:     func(s mixed.Schema) (kernel.Kernel[mixed.Row], error) { return spec.ParseRows(s, text) },
		Features: func(s mixed.Schema) (kernel.Kernel[kernel.Vec], error) { return spec.ParseFeatures(s, text) },
	}
	return w, nil
}

// unnamedColumn is the column that a kernel on a kind compares without naming it, where none was
// read as that: the only one that is no number. Few strings that come again look like categories.
func unnamedColumn(d *data.Dataset, kind data.Kind) string {
	name := ""
	for _, c := range d.Features() {
		switch {
		case c.Kind == kind:
			return ""
		case c.Kind == data.Numeric || c.Kind == data.Time || c.Kind == data.Boolean:
		case name != "":
			return ""
		default:
			name = c.Name
		}
	}
	return name
}
