package spec

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
)

// ParseRows reads a kernel on the rows of a table,
//
//	gaussian() on price,age + 0.5*ssk(k=4) on title
//
// A kernel on vectors without "on" sees all features; one on objects the only column of its kind.
// Of two columns of text the second has a note for each letter of the first (mixing.Noted). The
// error is an *Error.
func ParseRows(s mixed.Schema, text string) (kernel.Kernel[mixed.Row], error) {
	e, err := Parse(text)
	if err != nil {
		return nil, err
	}
	k, err := (&builder{source: text, table: rowsOf{s}}).read(e)
	if err != nil {
		return nil, err
	}
	typed, _ := kernel.Retyped[mixed.Row](k)
	return typed, nil
}

// FormatRows prints a kernel on the rows of a table so that ParseRows gives it back.
func FormatRows(s mixed.Schema, k kernel.Kernel[mixed.Row]) (string, error) {
	return rowsOf{s}.catalogue().format(mixing.Erase(k))
}

// ParseFeatures reads a kernel on the features of a table whose columns are named with "on".
func ParseFeatures(s mixed.Schema, text string) (kernel.Kernel[vec], error) {
	e, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return typedVectors((&builder{source: text, catalogue: Vectors(), table: featuresOf{s}}).read(e))
}

// ObjectKernel is a kernel on the columns of one kind, as the command line lists it.
type ObjectKernel struct {
	On         data.Kind
	Name       string
	Formula    string
	Params     []Parameter
	Properties kernel.Properties // of its first sample
}

// ObjectKernels lists the kernels on columns that become no features, kind by kind.
func ObjectKernels() []ObjectKernel {
	var out []ObjectKernel
	for _, o := range kindsOfObjects {
		out = append(out, o.describe()...)
	}
	return out
}

// objects is the language of the kernels on one kind of object.
type objects struct {
	kind      data.Kind
	catalogue func() Catalogue
}

// kindsOfObjects are all kinds of column that become no features.
var kindsOfObjects = []objects{
	{data.Text, Strings},
	{data.Sequence, Series},
	{data.Tree, Trees},
	{data.Set, Sets},
	{data.Fuzzy, FuzzySets},
	{data.Ranking, Rankings},
	{data.Bag, Bags},
	{data.Graph, Graphs},
	{data.Histogram, Histograms},
	{data.Distribution, Distributions},
}

// names of the leaves; the algebra is that of rows.
func (o objects) names() []string {
	var out []string
	for _, e := range o.catalogue() {
		out = append(out, e.Name)
	}
	return out
}

func (o objects) describe() []ObjectKernel {
	var out []ObjectKernel
	for _, e := range o.catalogue() {
		k, err := ParseWith(o.catalogue(), e.Samples[0])
		if err != nil {
			continue
		}
		out = append(out, ObjectKernel{o.kind, e.Name, e.Formula, e.Params, kernel.PropertiesOf(k)})
	}
	return out
}

func (o objects) build(source string, e Expr, c mixed.Column) (kernel.Kernel[any], *Error) {
	k, err := (&builder{source: source, catalogue: o.catalogue()}).kernel(e)
	if err != nil {
		return nil, err
	}
	return mixing.Erase(mixing.OnErased(c, k)), nil
}

// printObject prints a kernel on a column of objects.
func printObject(k kernel.Kernel[any]) (Expr, bool, error) {
	on, ok := kernel.Concrete(k).(kernel.PullbackOf[mixed.Row, any])
	if !ok || on.Name == "" {
		return nil, false, nil
	}
	var first error
	for _, o := range kindsOfObjects { // a leaf is of one of them
		e, err := o.catalogue().expr(on.Kernel)
		if err == nil {
			return On{Kernel: e, Columns: []string{on.Name}}, true, nil
		}
		first = cmp.Or(first, err)
	}
	return nil, false, first
}

// rowsOf is the language of a table with columns of objects.
type rowsOf struct{ mixed.Schema }

// on builds the kernel in the language of the columns' kind.
func (t rowsOf) on(b *builder, e On) (kernel.Kernel[any], *Error) {
	first, err := findColumn(b, t.Schema, e, e.Columns[0])
	if err != nil {
		return nil, err
	}
	if first.Object < 0 {
		k, err := featuresOn(b.source, t.Schema, e)
		if err != nil {
			return nil, err
		}
		return t.features(b, e, k)
	}
	if len(e.Columns) == 2 && first.Kind == data.Text {
		return t.onNoted(b, e, first)
	}
	if len(e.Columns) > 1 {
		return nil, b.errorAt(e, fmt.Sprintf("column %q is %s, which stands alone", first.Name, first.Kind),
			"write a kernel for each such column, with + or * between them")
	}
	for _, o := range kindsOfObjects {
		if o.kind == first.Kind {
			return o.build(b.source, e.Kernel, first)
		}
	}
	return nil, b.errorAt(e, fmt.Sprintf("there are no kernels on %s", first.Kind), "")
}

// onNoted is a kernel on strings whose letters have the notes of a second column.
func (t rowsOf) onNoted(b *builder, e On, letters mixed.Column) (kernel.Kernel[any], *Error) {
	notes, err := findColumn(b, t.Schema, e, e.Columns[1])
	if err != nil {
		return nil, err
	}
	if notes.Object < 0 || notes.Kind != data.Text {
		return nil, b.errorAt(e,
			fmt.Sprintf("column %q is text, which stands alone or with notes of its letters, also text, and %q is %s",
				letters.Name, notes.Name, notes.Kind), "write a kernel for each column, with + or * between them")
	}
	k, err := (&builder{source: b.source, catalogue: Strings()}).kernel(e.Kernel)
	if err != nil {
		return nil, err
	}
	typed, _ := kernel.Retyped[string](k)
	return mixing.Erase(mixing.OnNoted(letters, notes, typed)), nil
}

// leaf is a kernel that names no columns: on all features, or on the only column of its kind.
func (t rowsOf) leaf(b *builder, c Call) (kernel.Kernel[any], *Error, bool) {
	if _, ok := Vectors().of(c); ok {
		k, err := (&builder{source: b.source, catalogue: Vectors(), table: featuresOf(t)}).kernel(c)
		if err != nil {
			return nil, err, true
		}
		out, err := t.features(b, c, k)
		return out, err, true
	}
	known := false
	for _, o := range kindsOfObjects {
		if _, ok := o.catalogue().of(c); ok {
			known = true
			var fits []mixed.Column
			for _, column := range t.Objects() {
				if column.Kind == o.kind {
					fits = append(fits, column)
				}
			}
			switch len(fits) {
			case 0:
				continue
			case 1:
				k, err := o.build(b.source, c, fits[0])
				return k, err, true
			}
			return nil, b.errorAt(c, fmt.Sprintf("%s is a kernel on %s, and there are %d such columns", c.Name, o.kind,
				len(fits)), fmt.Sprintf("say on which: %s on %s", Format(c), fits[0].Name)), true
		}
	}
	if known {
		return nil, b.errorAt(c, fmt.Sprintf("there is no column for %s to compare", c.Name), "kinds of columns: "+t.kinds()),
			true
	}
	if _, ok := Vectors().find(c.Name); ok { // of no model that there is: it says so
		k, err := (&builder{source: b.source, catalogue: Vectors()}).kernel(c)
		return k, err, true
	}
	return nil, nil, false
}

func (t rowsOf) kinds() string {
	var out []string
	for _, c := range t.Columns {
		out = append(out, c.Name+" "+c.Kind.String())
	}
	return strings.Join(out, ", ")
}

// NotesIn is, of each column whose letters are notes in a kernel on rows, the column of the letters
// that they are notes of: neither can be put together with the other of another row.
func NotesIn(s mixed.Schema, text string) map[string]string {
	k, err := ParseRows(s, text)
	if err != nil {
		return nil
	}
	out := map[string]string{}
	var walk func(kernel.Kernel[mixed.Row])
	walk = func(k kernel.Kernel[mixed.Row]) {
		if noted, ok := k.(mixing.Noted); ok {
			out[noted.Columns()[1]] = noted.Columns()[0]
		}
		for _, part := range kernel.Parts(k) {
			walk(part)
		}
	}
	walk(k)
	return out
}

func (t rowsOf) features(b *builder, e Expr, k kernel.Kernel[any]) (kernel.Kernel[any], *Error) {
	if t.Dim == 0 {
		return nil, b.errorAt(e, "the table has no columns of numbers or categories", "kinds of columns: "+t.kinds())
	}
	typed, _ := kernel.Retyped[vec](k)
	out, err := t.Features(typed)
	if err != nil {
		return nil, b.errorAt(e, err.Error(), "")
	}
	return mixing.Erase(out), nil
}

func (t rowsOf) names() []string {
	out := Vectors().Names()
	for _, o := range kindsOfObjects {
		out = append(out, o.names()...)
	}
	return out
}

// catalogue prints kernels on rows.
func (t rowsOf) catalogue() Catalogue {
	return Catalogue{{
		Name: "on", Formula: "k on columns of a table",
		print: func(_ Catalogue, k kernel.Kernel[any]) (Expr, bool, error) {
			row, ok := kernel.Typed[mixed.Row](k)
			if !ok {
				return nil, false, nil
			}
			if v, ok := mixing.FeatureKernel(row); ok {
				e, err := t.featureText(v)
				return e, true, err
			}
			if noted, ok := row.(mixing.Noted); ok {
				e, err := Strings().expr(kernel.Erase(noted.Kernel))
				return On{Kernel: e, Columns: noted.Columns()}, true, err
			}
			return printObject(k)
		},
	}}
}

// featureText prints a kernel on features, with the names of the columns where it is of some.
func (t rowsOf) featureText(k kernel.Kernel[vec]) (Expr, error) {
	if on, ok := k.(kernel.OnColumns); ok {
		if names, ok := t.NamesOf(on.Columns); ok {
			e, err := Vectors().expr(kernel.OnVectors(on.Kernel))
			return On{Kernel: e, Columns: names}, err
		}
	}
	e, err := Vectors().expr(kernel.OnVectors(k))
	if _, leaf := e.(Call); err != nil || leaf {
		return e, err
	}
	// A tree of kernels on all features: named, so that it is read as one.
	var names []string
	for _, c := range t.Columns {
		if c.Width > 0 && c.Name != "" {
			names = append(names, c.Name)
		}
	}
	if names == nil {
		return e, nil
	}
	return On{Kernel: e, Columns: names}, nil
}

// featuresOf is the language of a table of features alone.
type featuresOf struct{ mixed.Schema }

func (t featuresOf) on(b *builder, e On) (kernel.Kernel[any], *Error) {
	return featuresOn(b.source, t.Schema, e)
}

// leaf knows kernels on objects well enough to say that there are none.
func (t featuresOf) leaf(b *builder, c Call) (kernel.Kernel[any], *Error, bool) {
	if !comparesObjects(c) {
		return nil, nil, false
	}
	return nil, b.errorAt(c, fmt.Sprintf("there is no column for %s to compare", c.Name), "kinds of columns: "+
		rowsOf(t).kinds()), true
}

func (featuresOf) names() []string { return nil }

// featuresOn is a kernel on the features of named columns.
func featuresOn(source string, s mixed.Schema, e On) (kernel.Kernel[any], *Error) {
	b := &builder{source: source, catalogue: Vectors()}
	for _, name := range e.Columns {
		c, err := findColumn(b, s, e, name)
		if err != nil {
			return nil, err
		}
		if c.Object >= 0 {
			return nil, b.errorAt(e, fmt.Sprintf("column %q is %s, which has no features", c.Name, c.Kind),
				"write a kernel for each such column, with + or * between them")
		}
	}
	k, err := b.kernel(e.Kernel)
	if err != nil {
		return nil, err
	}
	columns, _ := s.Select(e.Columns)
	typed, _ := kernel.Retyped[vec](k)
	return kernel.OnVectors(kernel.OnColumns{Kernel: typed, Columns: columns}), nil
}

// findColumn finds a column of the table that is named in e.
func findColumn(b *builder, s mixed.Schema, e On, name string) (mixed.Column, *Error) {
	if c, ok := s.Column(name); ok {
		return c, nil
	}
	var names []string
	for _, c := range s.Columns {
		names = append(names, c.Name)
	}
	hint := didYouMean(name, names)
	if hint == "" {
		hint = "columns: " + strings.Join(names, ", ")
	}
	return mixed.Column{}, b.errorAt(e, fmt.Sprintf("no column %q to learn from", name), hint)
}
