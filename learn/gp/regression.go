package gp

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
)

// Regression is Gaussian process regression,
//
//	y = f(x) + b + ε,  f ~ GP(0, k),  ε ~ N(0, σ² + vᵢ),
//
// whose posterior mean is Σ αᵢ k(xᵢ, ·) + b with (K + σ²I + diag v)α = y - b. The
// parameters θ of the kernel and the noise variance σ² are those that maximise the
// log marginal likelihood
//
//	log p(y|θ, σ²) = -½(y-b)ᵀα - ½ log det(K + σ²I + diag v) - n/2·log 2π,
//
// unless they are fixed (Rasmussen and Williams 2006, chapters 2 and 5). The certificate of a fit
// is the norm of its gradient by the logarithms of the parameters. A length-scale for each
// coordinate is kernel.ARD.
type Regression[T any] struct {
	Kernel kernel.Kernel[T]
	Noise  float64 // σ²: where the search starts, or the value when fixed; 0 means a tenth of the variance of the targets

	NoNoise    bool      // σ² = 0: interpolate
	FixedNoise bool      // keep σ² as given
	PointNoise []float64 // vᵢ ≥ 0, noise variance known for each point, beside σ²; nil means 0
	// Weights wᵢ ≥ 0 say how many rows a row counts as; nil means 1. A row of weight w has the
	// noise (σ² + v)/w, and the evidence is that of w rows with its value.
	Weights []float64

	Mean    float64 // b
	FitMean bool    // find b too, by generalised least squares

	HyperOptions
	learn.Resources
}

// Fit learns from points and their values.
func (g Regression[T]) Fit(ctx context.Context, x data.Points[T], y []float64) (*Regressor[T], error) {
	m, err := g.open().fit(ctx, data.Erase(x), y)
	if err != nil {
		return nil, fmt.Errorf("gp: %w", err)
	}
	return newRegressor(typed[T](m.f), m), nil
}

// regression is a Regression of points that have lost their type.
type regression Regression[any]

func (g Regression[T]) open() *regression {
	return &regression{
		Kernel: kernel.Erase(g.Kernel), Noise: g.Noise, NoNoise: g.NoNoise, FixedNoise: g.FixedNoise,
		PointNoise: g.PointNoise, Weights: g.Weights, Mean: g.Mean, FitMean: g.FitMean,
		HyperOptions: g.HyperOptions, Resources: g.Resources,
	}
}

// typed gives the points of a function their type back. Its kernel has the parameters that a search
// has found, and so is another than that of the learner.
func typed[T any](f *rkhs.Func[any]) *rkhs.Func[T] {
	k, _ := kernel.Typed[T](f.Kernel)
	return rkhs.Typed(k, f)
}

func (g *regression) fit(ctx context.Context, x data.Points[any], y []float64) (*posterior, error) {
	start := time.Now()
	x, columns, err := g.weighty(x, y)
	if err != nil {
		return nil, err
	}
	p, err := g.problem(x, columns[0])
	if err != nil {
		return nil, err
	}
	m, err := fitting.Heed(ctx, func() (*posterior, error) {
		s, report, err := g.climb(ctx, p, start)
		if err != nil {
			return nil, err
		}
		return newPosterior(p, s, report)
	})
	return m, fitting.Explain(ctx, err, g.Kernel, p.x, g.Resources)
}

// problem checks the input and takes a copy.
func (g *regression) problem(x data.Points[any], y []float64) (*gpProblem, error) {
	if err := fitting.CheckTargets(x, y); err != nil {
		return nil, err
	}
	if err := kernel.Check(g.Kernel, x); err != nil {
		return nil, err
	}
	var err error
	if g.Resources, err = g.Resources.WithDefaults(); err != nil {
		return nil, err
	}
	if g.HyperOptions, err = g.HyperOptions.withDefaults(); err != nil {
		return nil, err
	}
	switch {
	case !(g.Noise >= 0) || math.IsInf(g.Noise, 0):
		return nil, fmt.Errorf("Noise is %g; give a variance, 0 or more", g.Noise)
	case g.NoNoise && g.Noise != 0:
		return nil, fmt.Errorf("Noise is %g, but NoNoise is set", g.Noise)
	case math.IsNaN(g.Mean) || math.IsInf(g.Mean, 0):
		return nil, fmt.Errorf("Mean is %g; give a finite number", g.Mean)
	case g.PointNoise != nil && len(g.PointNoise) != len(y):
		return nil, fmt.Errorf("%d points but %d noise variances", len(y), len(g.PointNoise))
	}
	for i, v := range g.PointNoise {
		if !(v >= 0) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("noise variance of row %d is %g; give a finite number, 0 or more", i, v)
		}
	}
	if g.Weights != nil && len(g.Weights) != len(y) {
		return nil, fmt.Errorf("%d points but %d sample weights", len(y), len(g.Weights))
	}
	if g.NoNoise {
		g.FixedNoise = true
	} else if g.Noise == 0 {
		g.Noise = 0.1 * spread(y, g.Weights)
	}
	p := &gpProblem{
		Resources: g.Resources, x: data.OwnSubset(x, par.Indices(0, len(y))), y: slices.Clone(y),
		own: slices.Clone(g.PointNoise), weights: slices.Clone(g.Weights), mean: g.Mean, fitMean: g.FitMean,
	}
	if g.Device == nil { // else what has no room on the device is seen when that is known
		return p, p.afford(3)
	}
	return p, nil
}

// spread is the variance of y, each as often as its weight says; 1 for constant targets, whose
// scale says nothing.
func spread(y, weights []float64) float64 {
	mean, v, total := 0.0, 0.0, float64(len(y))
	weight := func(int) float64 { return 1 }
	if weights != nil {
		weight, total = func(i int) float64 { return weights[i] }, fitting.Sum(weights)
	}
	for i, t := range y {
		mean += weight(i) * t / total
	}
	for i, t := range y {
		v += weight(i) * (t - mean) * (t - mean) / total
	}
	if !(v > constant*constant*mean*mean) || math.IsInf(v, 0) {
		return 1
	}
	return v
}

// constant is the deviation as a share of the mean up to which targets are one number: weighted sums
// of a number that is not a power of two are not quite itself.
const constant = 1e-13

// coordinates lists the parameters of the kernel and the noise, and what of
// them is searched.
func (g *regression) coordinates() (params []kernel.Param, coords []coordinate, err error) {
	params = kernel.Params(g.Kernel)
	if coords, err = g.kernelCoordinates(params); err != nil {
		return nil, nil, err
	}
	noise := kernel.Param{Name: "noise", Value: g.Noise, Domain: kernel.Domain{High: math.Inf(1), OpenLow: true,
		LogScale: true}}
	if !g.FixedNoise {
		c := newCoordinate(len(params), noise)
		c.low = math.Log(g.Noise * 1e-8)
		coords = append(coords, c)
	}
	return append(params, noise), coords, nil
}

// climb finds the parameters, and the posterior at them.
func (g *regression) climb(ctx context.Context, p *gpProblem, start time.Time) (*gpState, learn.Report, error) {
	report := learn.Report{Learner: "gp", Converged: true, Certified: "gradient norm of the log marginal likelihood",
		Bytes: 24 * int64(len(p.y)) * int64(len(p.y))}
	params, coords, err := g.coordinates()
	if err == nil {
		err = p.afford(1)
	}
	if err != nil {
		return nil, report, err
	}
	theta := make([]float64, len(params))
	for i, v := range params {
		theta[i] = v.Value
	}
	last := len(theta) - 1
	k := g.Kernel
	if len(coords) > 0 {
		var fault error
		wanted := searched(coords, last)
		found, err := g.search(ctx, theta, coords, g.Trace, func(theta, grad []float64) float64 {
			value, _, err := p.evaluate(ctx, withParams(g.Kernel, theta[:last]), theta[last], grad, wanted)
			if err != nil {
				fault = err
				clear(grad)
				return math.Inf(-1)
			}
			return value
		})
		if err != nil {
			if fault != nil && ctx.Err() == nil {
				err = fmt.Errorf("%w (last: %w)", err, fault)
			}
			return nil, report, err
		}
		theta = found.theta
		k = withParams(g.Kernel, theta[:last])
		report.Iterations, report.Certificate, report.Converged = found.iterations, found.gradient, found.converged
		for _, i := range found.atBound {
			report.Warnings = append(report.Warnings, fmt.Sprintf("%s ended at the bound %.3g of the search", params[i].Name,
				theta[i]))
		}
		if !found.converged {
			report.Warnings = append(report.Warnings,
				fmt.Sprintf("the search for hyper-parameters stopped at %d iterations; allow more of them", g.MaxIterations))
		}
	}
	s, err := p.solve(ctx, k, theta[last])
	if err == nil {
		err = p.home(ctx, s)
	}
	if err != nil {
		return nil, report, err
	}
	if s.jitter > 0 {
		report.Warnings = append(report.Warnings,
			fmt.Sprintf("added %.3g to the diagonal to make the covariance matrix positive definite", s.jitter))
	}
	report.Warnings = append(append(report.Warnings, fitting.Doubts(ctx, k, p.x, g.Resources)...), p.Device.Notes()...)
	report.Objective, report.Elapsed = -s.value, time.Since(start)
	report.Notes = append(report.Notes,
		fmt.Sprintf("noise variance %.4g (standard deviation %.4g), log marginal likelihood %.6g", theta[last],
			math.Sqrt(theta[last]), s.value))
	return s, report, nil
}

// Evidence is the log marginal likelihood of a process with its derivatives.
type Evidence struct {
	LogMarginal float64
	Kernel      []float64 // derivatives by the parameters of the kernel, in the order of kernel.Params
	Noise       float64   // derivative by the noise variance
	Jitter      float64   // what had to be added to the diagonal
}

// Evidence computes the log marginal likelihood of the targets at the
// hyper-parameters as given, without fitting any.
func (g Regression[T]) Evidence(ctx context.Context, x data.Points[T], y []float64) (Evidence, error) {
	e, err := g.open().evidence(ctx, data.Erase(x), y)
	if err != nil {
		return Evidence{}, fmt.Errorf("gp: %w", err)
	}
	return e, nil
}

func (g *regression) evidence(ctx context.Context, x data.Points[any], y []float64) (Evidence, error) {
	x, columns, err := g.weighty(x, y)
	if err != nil {
		return Evidence{}, err
	}
	p, err := g.problem(x, columns[0])
	if err != nil {
		return Evidence{}, err
	}
	return fitting.Heed(ctx, func() (Evidence, error) {
		grad := make([]float64, len(kernel.Params(g.Kernel))+1)
		value, jitter, err := p.evaluate(ctx, g.Kernel, g.Noise, grad, nil)
		if err != nil {
			return Evidence{}, err
		}
		last := len(grad) - 1
		return Evidence{LogMarginal: value, Kernel: grad[:last], Noise: grad[last], Jitter: jitter}, nil
	})
}
