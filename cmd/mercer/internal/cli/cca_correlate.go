package cli

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/project"
	"gonum.org/v1/gonum/mat"
)

// correlated is what kernel CCA finds.
type correlated struct {
	data   string
	sides  []*side
	names  [][]string // the columns of each view
	model  *project.CCAModel
	scores []*mat.Dense // the functions' values, by view
	how    string       // how κ came about
	held   float64      // correlation on rows left out; NaN: not known
	p      float64      // NaN: not asked for
}

func (c *correlated) rows() int { return c.sides[0].len() }

// correlate chooses κ, fits, and tests.
func (a *App) correlate(ctx context.Context, o *ccaOptions, c *correlated) error {
	var views []project.View
	for _, s := range c.sides {
		views, c.names = append(views, project.NewView(s.Kernel, s.points())), append(c.names, s.Columns)
	}
	method := project.CCA{Components: o.Components, Kappa: o.Kappa, Seed: o.Seed, Threads: o.par()}
	if err := a.chooseKappa(ctx, o, c, &method, views); err != nil {
		return err
	}
	done := a.busy(&o.exploreOptions, "correlating")
	m, err := method.Fit(ctx, views...)
	done()
	if err != nil {
		return err
	}
	c.model = m
	for i := range c.sides {
		c.scores = append(c.scores, m.Scores(i))
	}
	if o.Permutations == 0 {
		return nil
	}
	a.doubtSides(&o.exploreOptions, c.sides, "mercer test independence --null shift")
	done = a.busy(&o.exploreOptions, "permuting")
	t, err := method.Test(ctx, o.Permutations, views...)
	done()
	if err != nil {
		return err
	}
	c.p = t.P
	return nil
}

// chooseKappa sets κ by cross-validation, where it is not given and there are rows enough.
func (a *App) chooseKappa(
	ctx context.Context, o *ccaOptions, c *correlated, method *project.CCA, views []project.View,
) error {
	n := c.rows()
	switch {
	case o.Kappa != 0:
		c.how = "as asked"
		return nil
	case o.Folds == 0 || n < 2*o.Folds:
		c.how = "1% of the trace"
		return nil
	}
	var kappas []float64
	for e := -4.0; e <= 0; e += 0.5 {
		kappas = append(kappas, float64(n)*math.Pow(10, e))
	}
	done := a.busy(&o.exploreOptions, "choosing κ")
	choice, err := method.ChooseKappa(ctx, kappas, o.Folds, views...)
	done()
	if err != nil {
		return err
	}
	method.Kappa = choice.Best
	c.held = choice.Scores[slices.Index(choice.Kappas, choice.Best)]
	c.how = fmt.Sprintf("by %d-fold cross-validation", o.Folds)
	return nil
}

// saveCCA writes the functions with one encoder for the columns of all views: the features of a
// view follow those of the view before.
func (a *App) saveCCA(o *ccaOptions, d *data.Dataset, c *correlated) error {
	if o.Save == "" {
		return nil
	}
	enc, fitted, err := c.together()
	if err != nil {
		return lookError(d.Name, err)
	}
	var names []string
	for i, n := range c.names {
		names = append(names, strings.TrimSuffix(model.CCAName(i, len(c.names), 0), "_1")+": "+strings.Join(n, ", "))
	}
	return a.save(&o.exploreOptions, d, enc, c.rows(), fitted,
		model.Info{Notes: map[string]string{"columns of views": strings.Join(names, "; ")}})
}

// drawPair plots the first pair of functions against each other.
func (a *App) drawPair(o *ccaOptions, c *correlated) error {
	f, err := plot.Scatter("function of "+namesOf(c.names[0]), "function of "+namesOf(c.names[1]),
		"the first pair of canonical functions", c.sides[0].groups(matColumn(c.scores[0], 0), matColumn(c.scores[1], 0))...)
	if err != nil {
		return err
	}
	f.LegendTitle(c.sides[0].labelName())
	return a.writePlot(f, &o.plotOptions, "First pair of canonical functions of "+titleName(c.sides[0].Name))
}

// columns is the functions' values at every row.
func (c *correlated) columns(o *ccaOptions) (columns []data.Column) {
	for j := range c.model.Components() {
		for i, s := range c.scores {
			columns = append(columns, data.NumberColumn(fmt.Sprintf("%s_%d", o.viewName(i), j+1), matColumn(s, j)))
		}
	}
	return columns
}

// meanCorrelation is that of component j between every two views.
func meanCorrelation(scores []*mat.Dense, j int) float64 {
	sum, pairs := 0.0, 0.0
	for a := range scores {
		for b := range a {
			sum += correlation(matColumn(scores[a], j), matColumn(scores[b], j))
			pairs++
		}
	}
	return sum / pairs
}

// correlation is Pearson's.
func correlation(x, y []float64) float64 {
	n := float64(len(x))
	mx, my := 0.0, 0.0
	for i := range x {
		mx, my = mx+x[i]/n, my+y[i]/n
	}
	xx, yy, xy := 0.0, 0.0, 0.0
	for i := range x {
		xx, yy, xy = xx+(x[i]-mx)*(x[i]-mx), yy+(y[i]-my)*(y[i]-my), xy+(x[i]-mx)*(y[i]-my)
	}
	return xy / math.Sqrt(xx*yy)
}
