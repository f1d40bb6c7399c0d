package cli

import (
	"context"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// planeSide is the number of places along each axis of a plane.
const planeSide = 120

// plane asks a model of two numeric columns about a grid, row by row.
func plane(
	ctx context.Context, d *data.Dataset, x, y *data.Column, m *model.Model,
) (xs, ys []float64, pred *model.Prediction, err error) {
	xs, ys = spread(x, planeSide), spread(y, planeSide)
	var gx, gy []float64
	for _, b := range ys {
		for _, a := range xs {
			gx, gy = append(gx, a), append(gy, b)
		}
	}
	pred, err = m.Predict(ctx, &data.Dataset{Name: d.Name, Columns: []data.Column{data.NumberColumn(x.Name, gx),
		data.NumberColumn(y.Name, gy)}}, model.Want{})
	return xs, ys, pred, err
}

// shownRows is how many of the held-out rows stand in a plane.
const shownRows = 600

// regions shows what class a model predicts where.
func (p *reportPage) regions(
	ctx context.Context, d *data.Dataset, x, y *data.Column, r *tune.AutoResult, m *model.Model,
) error {
	xs, ys, pred, err := plane(ctx, d, x, y, m)
	if err != nil {
		return err
	}
	g := plot.Regions{XName: x.Name, YName: y.Name, Xs: xs, Ys: ys, Names: r.Classes}
	for i := range planeSide {
		g.Class = append(g.Class, pred.Codes[i*planeSide:(i+1)*planeSide])
	}
	t := r.TestPredictions
	for i, row := range t.Rows[:min(len(t.Rows), shownRows)] {
		g.PX, g.PY, g.PClass = append(g.PX, x.Numbers[row]), append(g.PY, y.Numbers[row]), append(g.PClass, int(t.Truth[i]))
	}
	f, err := g.Figure()
	return p.add("Decision regions", "What the model predicts where, with the held-out rows.", f, err)
}

// surface shows what quantity a model predicts where.
func (p *reportPage) surface(
	ctx context.Context, d *data.Dataset, x, y *data.Column, r *tune.AutoResult, m *model.Model,
) error {
	xs, ys, pred, err := plane(ctx, d, x, y, m)
	if err != nil {
		return err
	}
	g := plot.Field{XName: x.Name, YName: y.Name, Alt: "predicted " + d.Target, Xs: xs, Ys: ys}
	for i := range planeSide {
		g.Values = append(g.Values, pred.Values[i*planeSide:(i+1)*planeSide])
	}
	g.Of = d.Target
	g.BlankFar(x.Numbers, y.Numbers)
	var held plot.Group
	for _, row := range r.TestPredictions.Rows[:min(len(r.TestPredictions.Rows), shownRows)] {
		held.X, held.Y = append(held.X, x.Numbers[row]), append(held.Y, y.Numbers[row])
	}
	g.Groups = []plot.Group{held}
	f, err := g.Figure()
	return p.add("The fitted surface",
		"What the model predicts where, darker is more; rings are the held-out rows. It is blank far from all rows.", f, err)
}
