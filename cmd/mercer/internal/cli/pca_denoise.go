package cli

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/project"
	"github.com/mercer-ml/mercer/rkhs"
)

var preimagers = []string{"auto", "fixed-point", "learned", "gradient"}

// denoise writes every row of shown as the components alone would have it, in
// the units of its columns.
func (a *App) denoise(
	ctx context.Context, o *pcaOptions, t, shown *table, k kernel.Kernel[any], of *project.PCAModel[any],
) error {
	for _, c := range t.Enc.Columns {
		if c.Kind != data.Numeric || c.Indicator {
			return usage("--denoise: column %q is %s, which cannot be rebuilt from features: of a point in feature space only "+
				"numbers have a pre-image; choose numeric columns with --columns", c.Name, c.Kind)
		}
	}
	if t.Enc.SparseDim > 0 {
		return usage("--denoise: a LIBSVM file has no columns to write; convert it with: mercer data %s --convert FILE.csv",
			t.Name)
	}
	m, err := onVectors(of)
	if err != nil {
		return lookError(t.Name, err)
	}
	defer a.busy(&o.exploreOptions, "denoising")()
	p, err := o.preimager(ctx, t, k, m)
	if err != nil {
		return lookError(t.Name, err)
	}
	clean, err := project.Denoise(ctx, m, p, data.Points[kernel.Vec](shown.Rows))
	if err != nil {
		return lookError(shown.Name, err)
	}
	var columns []data.Column
	for _, c := range t.Enc.Columns {
		values := matColumn(clean, c.Offset)
		for i, v := range values {
			values[i] = c.Scale[0].Invert(v)
		}
		columns = append(columns, data.NumberColumn(c.Name, values))
	}
	return a.writeColumns(o.Denoise, append(columns, shown.labelColumn()...)...)
}

// preimager finds points from scores: by fixed point where the kernel knows
// only distances, else by a map learnt from the rows.
func (o *pcaOptions) preimager(
	ctx context.Context, t *table, k kernel.Kernel[any], m *project.PCAModel[kernel.Vec],
) (project.Preimager, error) {
	how := o.Preimage
	if how == "auto" {
		how = "learned"
		if kernel.PropertiesOf(k).Isotropic == kernel.Yes {
			how = "fixed-point"
		}
	}
	switch how {
	case "fixed-point":
		return project.FixedPoint{Model: m, Threads: o.par()}, nil
	case "gradient":
		return project.Gradient{Model: m, Threads: o.par()}, nil
	}
	l, err := project.MapLearner{Threads: o.par()}.Fit(ctx, m.Scores(), t.Rows)
	if err != nil {
		return nil, fmt.Errorf("--preimage learned: %w", err)
	}
	return l, nil
}

// onVectors is components of vectors with their type.
func onVectors(m *project.PCAModel[any]) (*project.PCAModel[kernel.Vec], error) {
	p, err := m.Plain()
	if err != nil {
		return nil, err
	}
	f, ok := rkhs.OnVectors(p.Funcs[0])
	if !ok {
		return nil, fmt.Errorf("the components are of no vectors")
	}
	v := new(project.PCAModel[kernel.Vec])
	return v, v.Restore(rkhs.Plain[kernel.Vec]{Kind: p.Kind, Funcs: []*rkhs.Func[kernel.Vec]{f}, Numbers: p.Numbers,
		Arrays: p.Arrays})
}
