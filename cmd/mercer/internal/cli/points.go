package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/tune"
)

// How the verbs that look at rows get points and a kernel of a table: the columns become what
// mercer fit makes of them, and a kernel is read, or found, as there.

// table is a data set as the exploring verbs see it: points, a row each.
type table struct {
	Name   string
	Data   *data.Dataset  // what was read
	Rows   data.DenseRows // numbers, where every column became some; else none
	Points data.Points[any]
	Kept   []int // the rows of Data that are here
	Enc    *data.Encoder
	How    *tune.Compared // nil: rows are vectors
	Label  *data.Column   // classes that are no feature, or nil
	Noted  string         // what a reader should know about the choice of columns
	Apart  *apart         // what a kernel that looks at targets is fitted to; nil: the label
}

// points is the table as the library takes it.
func (t *table) points() data.Points[any] {
	if t.Points == nil {
		return data.EraseVectors(t.Rows)
	}
	return t.Points
}

func (t *table) len() int { return t.points().Len() }

// vectors says that every column became numbers.
func (t *table) vectors() bool { return t.How == nil || t.How.Vectors() }

// object is the first column that became no numbers.
func (t *table) object() data.ColumnCode {
	i := slices.IndexFunc(t.Enc.Columns, func(c data.ColumnCode) bool { return c.Object() })
	return t.Enc.Columns[i]
}

// width says how much of a row is compared: "4 features", "2 features and a column of graphs".
func (t *table) width() string {
	var parts []string
	if t.Enc.Dim > 0 || t.vectors() {
		parts = append(parts, plural(t.Enc.Dim, "feature"))
	}
	for i := range t.Enc.Columns {
		if c := &t.Enc.Columns[i]; c.Object() {
			parts = append(parts, withArticle(c.Kind))
		}
	}
	return joined(parts)
}

// encode makes points of some columns. text is the kernel that was asked for, empty for none: it
// says what columns have to be.
func (t *table) encode(columns []string, o *exploreOptions, flag, text string) error {
	how, err := o.Encoding.options()
	if err != nil {
		return err
	}
	if o.Encoding.Text == "auto" {
		how.Text = "" // as the texts are written: words, or strings of signs
	}
	d, err := subset(t.Data, columns)
	if err != nil {
		return err
	}
	if t.How, d, err = tune.Compare(d, text, how); err != nil {
		return encodeError(flag, err)
	}
	t.Enc = t.How.Encoder
	return t.take(d, o)
}

// encodeError is a fault of the data, or of the kernel's text.
func encodeError(flag string, err error) error {
	if _, ok := asSpec(err); ok {
		return kernelError(flag, err)
	}
	return inputError(err)
}

// take makes points of the rows of a data set that has the columns of the encoder.
func (t *table) take(d *data.Dataset, o *exploreOptions) error {
	if t.vectors() {
		x, rows, err := o.Input.encode(d, t.Enc)
		if err != nil {
			return err
		}
		t.Rows, t.Points, t.Kept = rows, data.EraseVectors(rows), x.Kept
	} else {
		x, err := t.Enc.Transform(d)
		if err != nil {
			return inputError(err)
		}
		if t.Points, err = t.How.Rows(x); err != nil {
			return inputError(err)
		}
		t.Kept = x.Kept
	}
	if t.len() == 0 {
		return usage("%s: no rows are left", t.Name)
	}
	return nil
}

// chooseKernel is the kernel asked for, or the default of the rows.
func (a *App) chooseKernel(ctx context.Context, o *exploreOptions, need need, t *table) (kernel.Kernel[any], error) {
	return a.kernelOr(ctx, "--kernel", o, need, t.Name, t)
}

// kernelOr is the kernel that the table was encoded for. Where none was asked for it is a Gaussian
// as wide as the median distance or, of rows with columns of objects, what mercer fit would try
// first.
func (a *App) kernelOr(
	ctx context.Context, flag string, o *exploreOptions, need need, name string, t *table,
) (kernel.Kernel[any], error) {
	k, err := t.How.Kernel()
	switch {
	case err != nil:
		return nil, kernelError(flag, err)
	case k == nil && t.vectors():
		width, err := kernel.WidthMedian(t.Rows)
		if err != nil {
			return nil, lookError(name, err)
		}
		return kernel.OnVectors(kernel.Gaussian{Lengthscale: width}), nil
	case k == nil:
		k, err := t.likeliest(o.Seed)
		return k, lookError(name, err)
	}
	if unused := t.How.Unused(); len(unused) > 0 {
		a.warn(o, fmt.Sprintf("%s compares numbers alone: %s not used", flag, strings.Join(unused, ", ")))
	}
	if k, err = t.learn(ctx, flag, k, o.Threads); err != nil {
		return nil, err
	}
	if err := kernel.Check(k, t.points()); err != nil {
		return nil, usage("%s: %w", flag, err)
	}
	if v, ok := kernel.Typed[kernel.Vec](k); ok && t.vectors() {
		return a.vettedVectors(ctx, flag, o, need, v, t.Rows)
	}
	return a.vetted(ctx, flag, o, need, k, t.points(), func(how gram.How) (kernel.Kernel[any], gram.PSD, error) {
		r, err := gram.RepairKernel(ctx, k, t.points(), how, gram.Options{Threads: o.par()})
		if err != nil {
			return nil, gram.PSD{}, err
		}
		return r, r.Before, nil
	})
}

// likeliest is the kernel that nobody asked for.
func (t *table) likeliest(seed uint64) (kernel.Kernel[any], error) {
	return t.How.Likeliest(data.Gather(t.points(), t.byValue()), seed)
}

// byValue is the rows in the order of their values, not of the file. What is drawn of them in that
// order, or fitted to them, is the same whichever way they stand: a test that permutes rows then
// keeps its level with the kernel that was found.
func (t *table) byValue() []int {
	keys, order := make([]string, t.len()), make([]int, t.len())
	for i := range keys {
		order[i] = i
		for j := range t.Enc.Columns {
			if c, err := t.Data.Column(t.Enc.Columns[j].Name); err == nil {
				keys[i] += c.String(t.Kept[i]) + "\x00"
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
	return order
}

// kernelName is the kernel as the person wrote it, or as it was chosen.
func (t *table) kernelName(o *exploreOptions, k kernel.Kernel[any]) string {
	if o.Kernel != "" {
		return o.Kernel
	}
	if g, ok := kernel.Concrete(k).(kernel.Gaussian); ok {
		return fmt.Sprintf("gaussian(lengthscale=%s), the median distance", fourDigits(g.Lengthscale))
	}
	if text := t.kernelText(k); text != "" {
		return text + ", chosen by the kinds of columns"
	}
	return "the default kernel"
}

// kernelText is a kernel in the language that --kernel reads, with few digits; empty where it has
// none.
func (t *table) kernelText(k kernel.Kernel[any]) string {
	if t.How == nil {
		return ""
	}
	text, err := t.How.Text(k)
	if err != nil {
		return ""
	}
	return spec.Rounded(text)
}
