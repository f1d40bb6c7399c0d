package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// pictured is the learner that stands for its family on the page of it, and a built-in set: of one
// column with a quantity, or of two with classes.
var pictured = []struct{ page, learner, set string }{
	{"features", "features", "mcycle"}, {"fisher", "fisher", "spirals"}, {"forest", "forest", "mcycle"},
	{"gp", "gp", "mcycle"},
	{"logistic", "logistic", "spirals"}, {"neighbours", "knn", "mcycle"}, {"nystrom", "nystrom", "mcycle"},
	{"online", "perceptron", "spirals"},
	{"rbf", "rbf", "mcycle"}, {"ridge", "ridge", "mcycle"}, {"sparse-gp", "sgpr", "mcycle"}, {"sparse", "rvm", "mcycle"},
	{"spline", "spline", "mcycle"}, {"svm", "svm", "spirals"},
}

// drawLearners draws a picture for the page of each family of learners: what `mercer fit` finds.
func drawLearners(ctx context.Context, folder string) error {
	for _, p := range pictured {
		d, err := data.Builtin(p.set, 1)
		if err != nil {
			return err
		}
		if d.Target == "" {
			d.Target = d.Columns[len(d.Columns)-1].Name
		}
		r, err := tune.Auto(ctx, d, tune.AutoOptions{Learners: []string{p.learner}, Budget: time.Minute, Seed: 1})
		if err != nil {
			return fmt.Errorf("%s: %w", p.learner, err)
		}
		m, err := r.Model(model.Info{})
		if err != nil {
			return fmt.Errorf("%s: %w", p.learner, err)
		}
		f, err := learnt(ctx, d, m)
		if err != nil {
			return fmt.Errorf("%s: %w", p.learner, err)
		}
		f.LegendBeside()
		f.Resize(0)
		if err := write(f, filepath.Join(folder, "learners-"+p.page+".png")); err != nil {
			return err
		}
	}
	return nil
}

// learnt is the curve over one column, or the regions of the classes over two.
func learnt(ctx context.Context, d *data.Dataset, m *model.Model) (*plot.Figure, error) {
	columns := d.Features()
	over := func(v []float64, count int) []float64 {
		low, high := slices.Min(v), slices.Max(v)
		out := make([]float64, count)
		for i := range out {
			out[i] = low + (high-low)*(1.08*float64(i)/float64(count-1)-0.04)
		}
		return out
	}
	x := columns[0]
	target, err := d.Column(d.Target)
	if err != nil {
		return nil, err
	}
	if len(columns) == 1 {
		xs := over(x.Numbers, 400)
		want := model.Want{}
		if m.CheckInterval(0.9) == nil {
			want.Interval = 0.9
		}
		p, err := m.Predict(ctx, &data.Dataset{Columns: []data.Column{data.NumberColumn(x.Name, xs)}}, want)
		if err != nil {
			return nil, err
		}
		return plot.FitCurve(x.Name, d.Target, x.Numbers, target.Numbers,
			plot.Series{Name: m.Learner(), X: xs, Y: p.Values, Low: p.Low, High: p.High, Band: "90 % of new rows"})
	}
	y := columns[1]
	const side = 120
	xs, ys := over(x.Numbers, side), over(y.Numbers, side)
	var gx, gy []float64
	for _, b := range ys {
		for _, a := range xs {
			gx, gy = append(gx, a), append(gy, b)
		}
	}
	p, err := m.Predict(ctx, &data.Dataset{Columns: []data.Column{data.NumberColumn(x.Name, gx),
		data.NumberColumn(y.Name, gy)}}, model.Want{})
	if err != nil {
		return nil, err
	}
	g := plot.Regions{XName: x.Name, YName: y.Name, Xs: xs, Ys: ys, Names: m.Classes(), PX: x.Numbers, PY: y.Numbers}
	for i := range side {
		g.Class = append(g.Class, p.Codes[i*side:(i+1)*side])
	}
	for i := range d.Len() {
		g.PClass = append(g.PClass, slices.Index(m.Classes(), target.String(i)))
	}
	return g.Figure()
}
