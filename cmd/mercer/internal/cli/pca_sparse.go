package cli

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/project"
	"gonum.org/v1/gonum/mat"
)

// checkPoints refuses --points where components are not of rows, or asks for what they have not.
func (o *pcaOptions) checkPoints() error {
	switch {
	case o.Points == 0:
		return nil
	case o.Points < 0:
		return usage("--points: %d; give 1 or more", o.Points)
	case o.Method != "pca":
		return usage("--points: for principal components; leave --method %s out", o.Method)
	case o.Denoise != "":
		return usage("--points, --denoise: rows are rebuilt from all points of a component; give one of the two")
	}
	return nil
}

// sparsePCA keeps few rows of each component, draws, writes and tells.
func (a *App) sparsePCA(ctx context.Context, o *pcaOptions, t *table, of project.PCA[any]) error {
	if o.Points > t.len() {
		return usage("--points: %d, but %s has %s; give %d or fewer", o.Points, t.Name, plural(t.len(), "row"), t.len())
	}
	trace, done := a.meter(&o.exploreOptions, "projecting", 0)
	of.Trace = trace
	m, err := project.SparsePCA[any]{PCA: of, Points: o.Points}.Fit(ctx, t.points())
	done()
	if err != nil {
		return lookError(t.Name, err)
	}
	shown, scores := t, (*mat.Dense)(nil)
	if o.Project != "" {
		shown, scores, err = a.projectRows(ctx, o, t, m.Transform)
	} else {
		scores, err = m.Transform(ctx, t.points())
	}
	if err != nil {
		return lookError(t.Name, err)
	}
	if o.Plot != "" {
		if m.Components() < 2 {
			return usage("--plot: the data have one component only")
		}
		f, err := plot.Scatter("component 1", "component 2",
			fmt.Sprintf("scores on the first two components of %s, of %s each", shown.Name, plural(o.Points, "row")),
			shown.groups(matColumn(scores, 0), matColumn(scores, 1))...)
		if err != nil {
			return err
		}
		if err := a.writePlot(f, &o.plotOptions, "Sparse kernel principal components of "+titleName(shown.Name)); err != nil {
			return err
		}
	}
	if o.Output != "" {
		if err := a.writeColumns(o.Output, append(scoreColumns("component", scores), shown.labelColumn()...)...); err != nil {
			return err
		}
	}
	if err := a.save(&o.exploreOptions, t.Data, t.Enc, t.len(), m, model.Info{}); err != nil {
		return err
	}
	return a.tellSparse(o, t, of.Kernel, m)
}

// scoreColumns are the columns of a matrix, numbered from 1.
func scoreColumns(name string, scores *mat.Dense) []data.Column {
	_, n := scores.Dims()
	out := make([]data.Column, n)
	for j := range out {
		out[j] = data.NumberColumn(fmt.Sprintf("%s_%d", name, j+1), matColumn(scores, j))
	}
	return out
}

// tellSparse says it in words, or as JSON.
func (a *App) tellSparse(o *pcaOptions, t *table, k kernel.Kernel[any], m *project.SparsePCAModel[any]) error {
	name, warnings := t.kernelName(&o.exploreOptions, k), m.Report().Warnings
	if o.JSON {
		return a.outcome(map[string]any{"data": t.Name, "rows": t.len(), "features": t.Enc.Dim,
			"kernel": t.typedKernel(&o.exploreOptions, k), "points": o.Points,
			"variance": m.Variance(), "total_variance": m.TotalVariance(), "alignment": m.Alignment(),
			"warnings": append([]string{}, warnings...)})
	}
	w := a.say(&o.exploreOptions)
	fmt.Fprintf(w, "sparse kernel PCA of %s: %s, %s, %s; %s of each component\n", t.Name, plural(t.len(), "row"),
		t.width(), name, plural(o.Points, "row"))
	if t.Noted != "" {
		fmt.Fprintln(w, t.Noted)
	}
	fmt.Fprintf(w, "component   variance   cosine of the angle with the whole one\n")
	for j, v := range m.Variance() {
		fmt.Fprintf(w, "%9d %10s   %.4f\n", j+1, fourDigits(v), m.Alignment()[j])
	}
	for _, s := range warnings {
		fmt.Fprintln(w, "note:", s)
	}
	a.tellWritten(&o.exploreOptions)
	return nil
}
