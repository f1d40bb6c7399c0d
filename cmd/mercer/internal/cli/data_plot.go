package cli

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/project"
)

// A picture shows so many rows (of more, every so many), of so many features.
const (
	mostDrawn    = 3000
	mostFeatures = 5000
)

// dataFigure shows the rows of a set: one numeric feature against the target,
// two as a plane, more by their first two principal components; classes in their
// colours, a numeric target as shades.
func dataFigure(ctx context.Context, d *data.Dataset) (*plot.Figure, error) {
	if step := (d.Len() + mostDrawn - 1) / mostDrawn; step > 1 {
		var some []int
		for i := 0; i < d.Len(); i += step {
			some = append(some, i)
		}
		d = d.Gather(some)
	}
	enc, err := data.FitEncoder(d, data.EncoderOptions{Missing: "mean", Text: "tfidf",
		Scaling: "standardize"})
	if err != nil {
		return nil, inputError(err)
	}
	x, err := enc.Transform(d)
	if err != nil {
		return nil, inputError(err)
	}
	names, labels := coloursOf(d)
	alt := "the rows of " + d.Name
	draw := func(xName, yName string, px, py []float64) (*plot.Figure, error) {
		if target, err := d.Column(d.Target); err == nil && target.Kind == data.Numeric && len(names) == 1 &&
			names[0] == "" && isQuantity(target) {
			return plot.Shaded(xName, yName, alt, d.Target, px, py, target.Numbers)
		}
		f, err := plot.Scatter(xName, yName, alt, coloured(names, labels, px, py)...)
		if err == nil {
			f.LegendTitle(d.Target)
		}
		return f, err
	}
	features := d.Features()
	numeric := func(c *data.Column) bool { return c.Kind == data.Numeric && c.Missing() == 0 }
	switch {
	case len(features) == 1 && numeric(features[0]) && d.Sparse == nil:
		target, err := d.Column(d.Target)
		if err == nil && numeric(target) {
			return plot.Scatter(features[0].Name, d.Target, alt, plot.Group{X: features[0].Numbers, Y: target.Numbers})
		}
	case len(features) == 2 && numeric(features[0]) && numeric(features[1]) && d.Sparse == nil:
		return draw(features[0].Name, features[1].Name, features[0].Numbers, features[1].Numbers)
	}
	if x.Len() < 3 || enc.Dim < 2 {
		return nil, usage("--plot: %s: a picture needs three rows and two columns of numbers or categories", d.Name)
	}
	if enc.Dim > mostFeatures {
		return nil, usage("--plot: %s: %s features are too many for a picture of up to %s", d.Name, phrase.Thousands(enc.Dim),
			phrase.Thousands(mostFeatures))
	}
	m, err := project.PCA[kernel.Vec]{Kernel: kernel.Linear{}, Components: 2, Seed: 1}.Fit(ctx,
		data.Points[kernel.Vec](x.AsDense()))
	if err != nil {
		return nil, lookError(d.Name, err)
	}
	if m.Components() < 2 {
		return nil, usage("--plot: the rows of %s lie on a line, which makes no picture", d.Name)
	}
	axis := componentNames(m.ExplainedRatio())
	return draw(axis[0], axis[1], matColumn(m.Scores(), 0), matColumn(m.Scores(), 1))
}

// isQuantity says that a column is no class.
func isQuantity(c *data.Column) bool {
	task, _, err := data.InferTask(c)
	return err == nil && !task.Classification()
}

// coloured are the groups, or all rows as one where there are none.
func coloured(names, labels []string, x, y []float64) []plot.Group {
	if len(names) == 1 && names[0] == "" {
		return []plot.Group{{X: x, Y: y}}
	}
	return groupBy(names, labels, x, y)
}

// coloursOf names the group of each row, its class. Without classes all rows are one group.
func coloursOf(d *data.Dataset) (names, labels []string) {
	labels = make([]string, d.Len())
	target, err := d.Column(d.Target)
	if err != nil {
		return []string{""}, labels
	}
	switch task, _, err := data.InferTask(target); {
	case err != nil:
		return []string{""}, labels
	case task.Classification():
		for i := range labels {
			labels[i] = target.String(i)
		}
		names = slices.Compact(slices.Sorted(slices.Values(labels)))
		if len(names) > plot.MostGroups {
			return []string{""}, make([]string, d.Len())
		}
		return names, labels
	}
	return []string{""}, labels
}
