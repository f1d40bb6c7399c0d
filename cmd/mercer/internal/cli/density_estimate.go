package cli

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// estimate fits what --method names.
func (o *densityOptions) estimate(ctx context.Context, a *App, t *table, columns []string) (*estimate, error) {
	switch o.Method {
	case "knn":
		return o.estimateKNN(ctx, t)
	case "mixture":
		return o.estimateMixture(ctx, a, t)
	}
	return o.estimateKDE(ctx, a, t, columns)
}

// estimateKNN is a density by nearest neighbours.
func (o *densityOptions) estimateKNN(ctx context.Context, t *table) (*estimate, error) {
	e := &estimate{facts: map[string]any{}}
	m, err := density.KNN{K: o.Near, Threads: o.Threads}.Fit(ctx, t.Rows)
	if err != nil {
		return nil, err
	}
	e.fitted, e.again = m, func(ctx context.Context, x data.Points[[]float64]) (density.Estimate, error) {
		return density.KNN{K: min(m.K(), x.Len()), Threads: o.Threads}.Fit(ctx, x)
	}
	e.about = []string{fmt.Sprintf("about %d neighbours; it does not integrate to one", m.K())}
	e.log = m.LogDensity
	return e, nil
}

// estimateMixture is a mixture of Gaussians, of as many as asked for or as BIC chooses.
func (o *densityOptions) estimateMixture(ctx context.Context, a *App, t *table) (*estimate, error) {
	e := &estimate{facts: map[string]any{}}
	trace, done := a.meter(&o.exploreOptions, "fitting", 0)
	defer done()
	c := density.Mixture{Components: o.Components, Seed: o.Seed, Threads: o.Threads, Trace: trace}
	var m *density.MixtureModel
	var err error
	how := "as asked"
	if o.Components > 0 {
		m, err = c.Fit(ctx, t.Rows)
	} else {
		how = "lowest BIC"
		m, err = density.SelectMixture(ctx, c, t.Rows, min(9, t.Rows.Len()))
	}
	if err != nil {
		return nil, err
	}
	for _, w := range reportWarnings(m.Report()) {
		a.warn(&o.exploreOptions, w)
	}
	e.fitted, e.again = m, func(ctx context.Context, x data.Points[[]float64]) (density.Estimate, error) {
		return density.Mixture{Components: min(m.Components(), x.Len()), Seed: o.Seed, Threads: o.Threads}.Fit(ctx, x)
	}
	e.about = []string{fmt.Sprintf("%s (%s), log-likelihood %s, BIC %s, seed %d", plural(m.Components(), "component"), how,
		fourDigits(m.LogLikelihood()), fourDigits(m.BIC()), o.Seed)}
	var means [][]float64
	for k := range m.Components() {
		e.about = append(e.about, fmt.Sprintf("  %4.1f%% around %s", 100*m.Proportions()[k], numbers(m.Mean(k))))
		means = append(means, m.Mean(k))
	}
	e.facts["components"], e.facts["weights"], e.facts["means"], e.facts["bic"],
		e.facts["log_likelihood"] = m.Components(), m.Proportions(), means, m.BIC(), m.LogLikelihood()
	e.log = m.LogDensity
	return e, nil
}

// estimateKDE is a sum of kernels, of the bandwidth asked for or by --rule.
func (o *densityOptions) estimateKDE(ctx context.Context, a *App, t *table, columns []string) (*estimate, error) {
	e := &estimate{facts: map[string]any{}}
	k, err := o.smoother(density.Gaussian)
	if err != nil {
		return nil, err
	}
	c := density.KDE{Smoother: k, Bandwidth: o.Bandwidth, Adaptive: o.Adaptive, Threads: o.Threads, Device: o.device}
	how := "as asked"
	switch {
	case o.Full:
		c.BandwidthMatrix = scottMatrix(t)
		how = "full matrix; these are the roots of its diagonal"
	case o.Bandwidth == 0:
		c.Rule = rules[slices.Index(ruleNames(), o.Rule)].rule
		how = "rule: " + o.Rule
	}
	if o.Adaptive > 0 {
		how += fmt.Sprintf("; adapted to the density, exponent %g", o.Adaptive)
	}
	if c.Lower, c.Upper, err = o.bounds(columns); err != nil {
		return nil, err
	}
	done := a.busy(&o.exploreOptions, "choosing the bandwidth")
	m, err := c.Fit(ctx, t.Rows)
	done()
	if err != nil {
		return nil, err
	}
	e.fitted, e.again = m, func(ctx context.Context, x data.Points[[]float64]) (density.Estimate, error) {
		same := c // of the width that was settled
		if same.BandwidthMatrix == nil {
			same.Bandwidth, same.Bandwidths = 0, m.Bandwidths()
		}
		return same.Fit(ctx, x)
	}
	h := m.BandwidthMatrix()
	widths := make([]float64, len(columns))
	for j := range widths {
		widths[j] = math.Sqrt(h.At(j, j))
	}
	e.about = []string{fmt.Sprintf("%s kernel, bandwidth %s (%s)", k, numbers(widths), how)}
	e.facts["kernel"], e.facts["bandwidths"], e.facts["rule"] = k.String(), widths, how
	e.draw = func(ctx context.Context, n int) (*mat.Dense, error) { return m.Sample(ctx, n, o.Seed) }
	e.log = m.LogDensity
	return e, nil
}

// heldFolds is how many parts of the rows are judged by a fit to the others, where a density is
// saved.
const heldFolds = 10

// saveDensity writes the density with what tells which rows are rare.
func (a *App) saveDensity(ctx context.Context, o *densityOptions, t *table, e *estimate) error {
	if o.Save == "" {
		return nil
	}
	done := a.busy(&o.exploreOptions, "judging rows by a fit to others")
	held, err := density.HeldOut(ctx, t.Rows, heldFolds, o.Seed, e.again)
	done()
	if err != nil {
		return err
	}
	return a.save(&o.exploreOptions, t.Data, t.Enc, t.Rows.Len(), rkhs.ErasePlainer(e.fitted),
		model.Info{HeldDensity: held})
}
