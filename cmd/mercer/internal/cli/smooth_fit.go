package cli

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/rkhs"
	"github.com/mercer-ml/mercer/smooth"
)

// evaluate gives a smoother's values at points, and the band around them.
type evaluate func(ctx context.Context, x data.Points[[]float64]) (y, low, high []float64, err error)

// curve is a fitted smoother: value and band at points.
type curve struct {
	at       evaluate
	about    string
	facts    map[string]any
	warnings []string
	fitted   rkhs.Plainer[kernel.Vec]
}

func (o *smoothOptions) fit(ctx context.Context, x data.DenseRows, y []float64) (*curve, error) {
	c := &curve{facts: map[string]any{"method": o.Method, "level": o.Level}}
	switch o.Method {
	case "local":
		return c, o.fitLocal(ctx, c, x, y)
	case "mixture":
		return c, o.fitMixture(ctx, c, x, y)
	}
	k, err := o.smoother(density.Gaussian)
	if err != nil {
		return nil, err
	}
	m, err := smooth.NadarayaWatson{Smoother: k, Bandwidth: o.Bandwidth, Robust: o.Rule == "robust",
		Threads: o.Threads}.Fit(ctx, x, y)
	if err != nil {
		return nil, err
	}
	error2, count := 0.0, 0
	for _, r := range m.Residuals() {
		if !math.IsNaN(r) {
			error2, count = error2+r*r, count+1
		}
	}
	rmse := math.Sqrt(error2 / float64(max(count, 1)))
	c.warnings = reportWarnings(m.Report())
	how := "chosen by leave-one-out cross-validation"
	switch {
	case o.Bandwidth > 0:
		how = "as asked"
	case o.Rule == "robust":
		how = "by the robust rule"
	}
	c.about = fmt.Sprintf("%s kernel, bandwidth %s (%s)\nleave-one-out error %s (rmse), %s effective parameters\nband: "+
		"%g%% of observations", k, numbers(m.Bandwidths()), how, fourDigits(rmse), fourDigits(m.Freedom()), 100*o.Level)
	c.facts["kernel"], c.facts["bandwidths"], c.facts["loo_rmse"], c.facts["parameters"] = k.String(), m.Bandwidths(),
		rmse, m.Freedom()
	c.at, c.fitted = o.observed(m), m
	return c, nil
}

// conditional is a smoother that knows the distribution of the target.
type conditional interface {
	Predict(ctx context.Context, x data.Points[[]float64]) ([]float64, error)
	Conditional(ctx context.Context, x data.Points[[]float64]) ([]smooth.Conditional, error)
}

// observed is the value of m with a band that holds the given share of
// observations; it is missing where the value is.
func (o *smoothOptions) observed(m conditional) evaluate {
	return func(ctx context.Context, x data.Points[[]float64]) (y, low, high []float64, err error) {
		if y, err = m.Predict(ctx, x); err != nil {
			return
		}
		given, err := m.Conditional(ctx, x)
		if err != nil {
			return
		}
		low, high = make([]float64, len(y)), make([]float64, len(y))
		for i, p := range given {
			if math.IsNaN(y[i]) {
				low[i], high[i] = math.NaN(), math.NaN()
				continue
			}
			low[i], high[i] = p.Quantile((1-o.Level)/2), p.Quantile((1+o.Level)/2)
		}
		return
	}
}

func (o *smoothOptions) fitMixture(ctx context.Context, c *curve, x data.DenseRows, y []float64) error {
	mix := density.Mixture{Components: o.Components, Seed: o.Seed, Threads: o.Threads}
	how := "as asked"
	if o.Components == 0 {
		how = "lowest BIC"
		joint := linalg.New[float64](x.Len(), x.Dim()+1)
		for i := range x.Len() {
			row := joint.Row(i)
			row[copy(row, x.At(i))] = y[i]
		}
		best, err := density.SelectMixture(ctx, mix, data.RowsOf(joint), min(9, x.Len()))
		if err != nil {
			return err
		}
		mix.Components = best.Components()
	}
	m, err := smooth.MixtureRegression{Mixture: mix}.Fit(ctx, x, y)
	if err != nil {
		return err
	}
	c.warnings = reportWarnings(m.Report())
	c.about = fmt.Sprintf("%s (%s), BIC %s, seed %d\nband: %g%% of observations", plural(mix.Components, "component"), how,
		fourDigits(m.Joint().BIC()), o.Seed, 100*o.Level)
	c.facts["components"], c.facts["bic"] = mix.Components, m.Joint().BIC()
	c.at, c.fitted = o.observed(m), m
	return nil
}

func (o *smoothOptions) fitLocal(ctx context.Context, c *curve, x data.DenseRows, y []float64) error {
	k, err := o.smoother(density.TriCube)
	if err != nil {
		return err
	}
	l := smooth.LocalRegression{Smoother: k, Degree: o.Degree, Robust: o.Robust, Threads: o.Threads}
	how := fmt.Sprintf("span %g", o.Span)
	if o.Bandwidth > 0 {
		l.Bandwidth = o.Bandwidth
		how = "bandwidth " + fourDigits(o.Bandwidth)
	} else {
		l.Span = o.Span
		if x.Dim() > 1 { // nearness in several inputs needs a common size
			s, err := data.FitScaler("standardize", x)
			if err != nil {
				return err
			}
			for _, c := range s.Columns {
				l.Scales = append(l.Scales, 1/c.Factor)
			}
		}
	}
	m, err := l.Fit(ctx, x, y)
	if err != nil {
		return err
	}
	c.warnings = reportWarnings(m.Report())
	c.about = fmt.Sprintf("%s kernel, %s, degree %d, robust rounds: %d\nresidual standard error %s, %s effective "+
		"parameters\nband: %g%% confidence of the curve, pointwise", k, how, o.Degree, o.Robust, fourDigits(m.Sigma()),
		fourDigits(m.Freedom()), 100*o.Level)
	c.facts["kernel"], c.facts["degree"], c.facts["robust"], c.facts["sigma"], c.facts["parameters"] = k.String(),
		o.Degree, o.Robust, m.Sigma(), m.Freedom()
	c.fitted = m
	c.at = func(ctx context.Context, x data.Points[[]float64]) (y, low, high []float64, err error) {
		bands, err := m.Bands(ctx, x, o.Level)
		if err != nil {
			return
		}
		for _, b := range bands {
			y, low, high = append(y, b.Mean), append(low, b.Lower), append(high, b.Upper)
		}
		return
	}
	return nil
}

// saveCurve writes the curve with an encoder of its inputs alone.
func (a *App) saveCurve(o *smoothOptions, t *table, inputs []string, c *curve) error {
	if o.Save == "" {
		return nil
	}
	own, err := plainTable(t.Data.Gather(t.Kept), inputs, &o.exploreOptions)
	if err != nil {
		return err
	}
	return a.save(&o.exploreOptions, t.Data, own.Enc, t.Rows.Len(), rkhs.ErasePlainer(c.fitted),
		model.Info{Notes: map[string]string{"smooths": o.Target + " over " + strings.Join(inputs, ", ")}})
}
