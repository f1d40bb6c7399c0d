package smooth

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/smoothing"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/learn"
)

// NadarayaWatson is kernel regression: the mean of p(t|x) when p(x, t) is the
// kernel density estimate of the pairs,
//
//	y(x) = Σ tₙ·k(x, xₙ),  k(x, xₙ) = g(x - xₙ)/Σₘ g(x - xₘ)
//
// (Nadaraya 1964, Watson 1964). It is also the answer to a question about noisy
// inputs: the function that minimises ½ Σₙ ∫ (y(xₙ + ξ) - tₙ)² ν(ξ) dξ, where each
// input was observed with noise of density ν, is this one with g = ν (Webb 1994,
// Bishop 1995). A bandwidth can therefore be read as how far inputs are off.
//
// Without Bandwidth or Bandwidths the bandwidth is a multiple of the columns'
// standard deviations chosen by leave-one-out cross-validation, for which
//
//	tᵢ - y₋ᵢ(xᵢ) = (tᵢ - y(xᵢ))/(1 - k(xᵢ, xᵢ))
//
// makes one fit enough. Robust takes the bandwidth that would be best for Gaussian data instead,
//
//	h = √(hₓhₜ),  hₓ = (4/3n)^{1/5}·1.4826·median|x - median(x)|, and hₜ so from the targets
//
// (K. P. Murphy, Machine Learning, 2012, §14.7.4; after Bowman and Azzalini 1997).
type NadarayaWatson struct {
	Smoother   density.Smoother
	Product    bool
	Bandwidth  float64
	Bandwidths []float64
	// of one column: h = √(hₓhₜ) for input and target alike, by the robust rule, in place of
	// cross-validation
	Robust          bool
	TargetBandwidth float64   // hₜ of the conditional density; 0 means the robust rule on the leave-one-out residuals
	Weights         []float64 // nil means equal
	Threads         int
}

// NadarayaWatsonModel is a fitted NadarayaWatson.
type NadarayaWatsonModel struct {
	sum       *smoothing.Sum
	metric    smoothing.Metric
	targets   []float64 // by place
	width     float64   // hₜ
	residuals []float64 // leave-one-out, by row
	freedom   float64
	threads   int
	report    learn.Report
}

// Fit stores the points and settles the bandwidths.
func (c NadarayaWatson) Fit(ctx context.Context, x data.Points[[]float64], y []float64) (*NadarayaWatsonModel, error) {
	m, err := c.fit(ctx, x, y)
	if err != nil {
		return nil, fmt.Errorf("nadaraya-watson: %w", err)
	}
	return m, nil
}

func (c NadarayaWatson) fit(ctx context.Context, x data.Points[[]float64], t []float64) (*NadarayaWatsonModel, error) {
	start := time.Now()
	points, err := apply.OwnPoints(x)
	if err != nil {
		return nil, err
	}
	if t, err = apply.OwnTargets(t, points.Rows); err != nil {
		return nil, err
	}
	weights, err := apply.OwnWeights(c.Weights, points.Rows)
	if err != nil {
		return nil, err
	}
	switch {
	case !c.Smoother.Valid():
		return nil, fmt.Errorf("there is no smoothing kernel %v", c.Smoother)
	case !(c.TargetBandwidth >= 0) || math.IsInf(c.TargetBandwidth, 1):
		return nil, fmt.Errorf("TargetBandwidth is %g; give a positive number", c.TargetBandwidth)
	}
	metric, ok, err := smoothing.GivenBandwidth(c.Bandwidth, c.Bandwidths, nil, points.Cols)
	if err != nil {
		return nil, err
	}
	switch {
	case ok && c.Robust:
		return nil, errors.New("a bandwidth is given, and Robust asks for another; leave one of the two out")
	case c.Robust:
		if c.Bandwidth, err = robustWidth(points, t, weights); err == nil {
			metric, _, err = smoothing.GivenBandwidth(c.Bandwidth, nil, nil, points.Cols)
		}
		if c.TargetBandwidth == 0 {
			c.TargetBandwidth = c.Bandwidth
		}
	case !ok:
		metric, err = c.crossValidate(ctx, points, t, weights)
	}
	if err != nil {
		return nil, err
	}
	m := c.model(points, t, weights, metric)
	if err := m.leaveOneOut(ctx); err != nil {
		return nil, err
	}
	if m.width = c.TargetBandwidth; m.width == 0 {
		m.width = residualWidth(m.residuals)
	}
	m.report = learn.Report{Learner: "nadaraya-watson", Converged: true, Elapsed: time.Since(start)}
	return m, nil
}

// robustWidth is √(hₓhₜ).
func robustWidth(points linalg.Matrix[float64], t, weights []float64) (float64, error) {
	if points.Cols != 1 {
		return 0, fmt.Errorf("the robust rule is of one column, and there are %d; leave it out for cross-validation",
			points.Cols)
	}
	x := make([]float64, points.Rows)
	for i := range x {
		x[i] = points.At(i, 0)
	}
	h := math.Pow(4/(3*smoothing.EffectiveSize(weights, len(x))), 0.2)
	a, b := 1.4826*smoothing.MedianDeviation(x, weights), 1.4826*smoothing.MedianDeviation(t, weights)
	if !(a > 0 && b > 0) {
		return 0, errors.New("more than half of the inputs, or of the targets, are the same: their median absolute " +
			"deviation is zero; give a bandwidth")
	}
	return h * math.Sqrt(a*b), nil
}

// model prepares the weighted sums for a bandwidth.
func (c NadarayaWatson) model(
	points linalg.Matrix[float64], t, weights []float64, metric smoothing.Metric,
) *NadarayaWatsonModel {
	z := points.Clone()
	metric.Divide(z)
	return c.scaled(z, t, weights, metric)
}

// scaled is model for inputs that were divided by the bandwidth.
func (c NadarayaWatson) scaled(
	z linalg.Matrix[float64], t, weights []float64, metric smoothing.Metric,
) *NadarayaWatsonModel {
	m := &NadarayaWatsonModel{metric: metric, threads: c.Threads,
		sum: smoothing.NewSum(smoothing.Kernel(c.Smoother), c.Product, z, weights, nil)}
	m.targets = make([]float64, len(t))
	for p, i := range m.sum.Tree.Index {
		m.targets[p] = t[i]
	}
	return m
}

// crossValidate minimises the mean squared leave-one-out residual.
func (c NadarayaWatson) crossValidate(
	ctx context.Context, points linalg.Matrix[float64], t, weights []float64,
) (smoothing.Metric, error) {
	if points.Rows < 3 {
		return smoothing.Metric{}, errors.New("cross-validation needs at least three points; give a bandwidth")
	}
	base := make([]float64, points.Cols)
	col := make([]float64, points.Rows)
	for j := range base {
		for i := range col {
			col[i] = points.At(i, j)
		}
		if base[j] = smoothing.Spread(col, weights); !(base[j] > 0) {
			return smoothing.Metric{}, &fault.Column{Index: j,
				Said: fmt.Sprintf("is constant (%g): no bandwidth follows from it; leave it out, or give a bandwidth", col[0])}
		}
	}
	scaled := func(f float64) smoothing.Metric {
		m := smoothing.Metric{Widths: make([]float64, len(base))}
		for j, b := range base {
			m.Widths[j] = f * b
		}
		return m
	}
	n, d := float64(points.Rows), float64(points.Cols)
	middle := math.Pow(n, -1/(d+4)) * smoothing.Kernel(c.Smoother).Canonical(points.Cols, c.Product)
	factor, _ := smoothing.MinimiseLog(ctx, middle/64, middle*16, 40, func(f float64) float64 {
		m := c.model(points, t, weights, scaled(f))
		if m.leaveOneOut(ctx) != nil {
			return math.Inf(1)
		}
		s := 0.0
		for i, r := range m.residuals {
			if math.IsNaN(r) {
				return math.Inf(1) // a point that no other reaches
			}
			s += smoothing.Share(weights, i, len(t)) * r * r
		}
		return s
	})
	return scaled(factor), ctx.Err()
}

// residualWidth is the notes' robust rule for the residuals, or their spread
// where the rule gives zero.
func residualWidth(r []float64) float64 {
	var kept []float64
	for _, v := range r {
		if !math.IsNaN(v) {
			kept = append(kept, v)
		}
	}
	if len(kept) < 2 {
		return 1
	}
	normal := math.Pow(4/(3*float64(len(kept))), 0.2)
	if h := 1.4826 * smoothing.MedianDeviation(kept, nil) * normal; h > 0 {
		return h
	}
	if h := smoothing.Spread(kept, nil) * normal; h > 0 {
		return h
	}
	return 1
}
