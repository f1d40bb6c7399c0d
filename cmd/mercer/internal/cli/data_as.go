package cli

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/model"
)

// dataAs is data for the rows as a model sees them.
func (a *App) dataAs(ctx context.Context, o *dataOptions, in load.Options) error {
	if o.Target != "" {
		return usage("--target: the model of --as knows its target; leave one of the two out")
	}
	d, err := a.readAs(ctx, o, in, o.Convert != "" && o.format() == "libsvm")
	if err != nil {
		return err
	}
	return a.showData(ctx, d, o)
}

// readAs reads a data set as a model sees it: the features that its encoder makes of the columns,
// and the answers where they are there, classes by the numbers that LIBSVM's files have for them
// when asked.
func (a *App) readAs(ctx context.Context, o *dataOptions, in load.Options, numbered bool) (*data.Dataset, error) {
	m, err := loadModel(o.As)
	if err != nil {
		return nil, err
	}
	enc := m.Info().Encoder
	if enc == nil {
		return nil, usage("--as: %s has no encoding of columns: its features are the numbers of a file as they are", o.As)
	}
	in.NoTarget, in.Readings = true, enc.Readings()
	d, err := a.read(ctx, o.Data, in)
	if err != nil {
		return nil, err
	}
	x, err := enc.Transform(d)
	if err != nil {
		return nil, inputErrorFor(err, true)
	}
	out := &data.Dataset{Name: d.Name}
	if x.Sparse != nil {
		out.Sparse = x.Sparse
	} else {
		for j, name := range enc.Names() {
			values := make([]float64, x.Len())
			for i := range values {
				values[i] = x.Dense.At(i)[j]
			}
			out.Columns = append(out.Columns, data.NumberColumn(name, values))
		}
	}
	if target, err := d.Column(m.Target()); m.Target() != "" && err == nil {
		answers := target.Gather(x.Kept)
		if numbered && m.Task().Classification() {
			if answers, err = classNumbers(m, d.Name, answers); err != nil {
				return nil, err
			}
		}
		out.Columns = append(out.Columns, answers)
		out.Target = answers.Name
	}
	return out, nil
}

// classNumbers is classes as an exported model calls them.
func classNumbers(m *model.Model, name string, answers data.Column) (data.Column, error) {
	number := map[string]float64{}
	for c, l := range m.LIBSVMLabels() {
		number[m.Classes()[c]] = float64(l)
	}
	values := make([]float64, answers.Len())
	for i := range values {
		v, known := number[answers.String(i)]
		if !known {
			return answers, usage("%s: row %d: class %q was not there when the model was fitted (its classes: %s)", name, i+1,
				answers.String(i), joinSome(m.Classes()))
		}
		values[i] = v
	}
	return data.NumberColumn(answers.Name, values), nil
}
