package gp

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/blas/blas64"
)

// Laplace is Gaussian process regression whose observations are not normal around f + b: counts, or
// values with outliers. The posterior of f is replaced by the Gaussian at its mode (Laplace's
// approximation); the parameters of the kernel, b and the scale of Student's noise maximise the
// marginal likelihood under it. Student's likelihood is not log-concave: where Newton's steps do
// not lead up, those of the EM algorithm are taken, which do.
type Laplace struct {
	Kernel     kernel.Kernel[any]
	Likelihood Likelihood
	Scale      float64 // σ of Student: where the search starts; 0 means 0.3 of the deviation of the targets
	FixedScale bool    // keep σ as given
	DF         float64 // ν > 2 of Student; 0 means 4

	Mean    float64   // b, the level of f; of counts that of their logarithm
	FitMean bool      // find b, too, from Mean or, where that is 0, from the level of the targets
	Weights []float64 // wᵢ ≥ 0: how many rows a row counts as; nil means 1

	HyperOptions
	learn.Resources
}

// laplaceProblem is a Laplace on memory of its own.
type laplaceProblem struct {
	Laplace
	x    data.Points[any]
	y    []float64
	like likelihood
}

func (l Laplace) problem(x data.Points[any], y []float64) (*laplaceProblem, error) {
	if err := fitting.CheckTargets(x, y); err != nil {
		return nil, err
	}
	if err := kernel.Check(l.Kernel, x); err != nil {
		return nil, err
	}
	var err error
	if l.Resources, err = l.Resources.WithDefaults(); err != nil {
		return nil, err
	}
	if l.HyperOptions, err = l.HyperOptions.withDefaults(); err != nil {
		return nil, err
	}
	if l.DF == 0 {
		l.DF = 4
	}
	switch {
	case l.Likelihood != Poisson && l.Likelihood != Student:
		return nil, fmt.Errorf("Likelihood is %d; give Poisson or Student", int(l.Likelihood))
	case !(l.DF > 2) || math.IsInf(l.DF, 0):
		return nil, fmt.Errorf("DF is %g; give more than 2 degrees of freedom, below which there is no variance", l.DF)
	case !(l.Scale >= 0) || math.IsInf(l.Scale, 0):
		return nil, fmt.Errorf("Scale is %g; give a positive number", l.Scale)
	case math.IsNaN(l.Mean) || math.IsInf(l.Mean, 0):
		return nil, fmt.Errorf("Mean is %g; give a finite number", l.Mean)
	case l.Weights != nil && len(l.Weights) != len(y):
		return nil, fmt.Errorf("%d points but %d sample weights", len(y), len(l.Weights))
	}
	g := regression{Weights: l.Weights}
	x, columns, err := g.weighty(x, slices.Clone(y))
	if err != nil {
		return nil, err
	}
	p := &laplaceProblem{Laplace: l, x: data.OwnSubset(x, par.Indices(0, x.Len())), y: columns[0]}
	p.Weights = g.Weights
	if p.Scale == 0 {
		p.Scale = 0.3 * math.Sqrt(spread(p.y, p.Weights))
	}
	p.like = likelihood{kind: p.Likelihood, scale: p.Scale, df: p.DF}
	for i, v := range y { // of all rows, so that a message counts them as they were given
		if err := p.like.check(i, v); err != nil {
			return nil, err
		}
	}
	if p.FitMean && p.Mean == 0 {
		p.Mean = learn.Mean(p.y, p.Weights)
		if p.Likelihood == Poisson {
			p.Mean = math.Log(math.Max(p.Mean, 0.1/float64(len(p.y))))
		}
	}
	n := int64(len(p.y))
	if need := 8 * 7 * n * n; need > p.Bytes {
		return nil, &learn.OverBudget{Learner: "gp", Points: int(n), Needs: need, Budget: p.Bytes,
			Instead: "give it more memory, or take fewer points"}
	}
	return p, nil
}

// mode approximates the posterior at parameters.
func (p *laplaceProblem) mode(ctx context.Context, k kernel.Kernel[any], mean, scale float64) (*mode, error) {
	n := p.x.Len()
	gram := linalg.New[float64](n, n)
	kernel.FillSym(p.Threads, blas64.General(gram), kernel.Prepare(ctx, k, p.x, p.x))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	like := p.like
	like.scale = scale
	return newMode(ctx, p.Threads, like, gram, p.y, p.Weights, mean)
}

// Evidence is the approximate log marginal likelihood of the targets at the parameters as given,
// with its derivatives; Noise is that by log σ of Student's.
func (l Laplace) Evidence(ctx context.Context, x data.Points[any], y []float64) (Evidence, error) {
	l.FitMean = false
	p, err := l.problem(x, y)
	if err != nil {
		return Evidence{}, fmt.Errorf("gp: %w", err)
	}
	e, err := fitting.Heed(ctx, func() (Evidence, error) {
		m, err := p.mode(ctx, p.Kernel, p.Mean, p.Scale)
		if err != nil {
			return Evidence{}, err
		}
		w, _, byScale, err := m.slopes(ctx)
		e := Evidence{LogMarginal: m.value, Kernel: make([]float64, len(kernel.Params(p.Kernel))), Noise: byScale,
			Jitter: m.jitter}
		if err == nil && len(e.Kernel) > 0 {
			err = kernel.ParamGradDot(ctx, p.Kernel, e.Kernel, nil, linalg.Dense(w), p.x, p.x)
		}
		return e, err
	})
	if err != nil {
		return Evidence{}, fmt.Errorf("gp: %w", err)
	}
	return e, nil
}

// Fit learns from points and their values.
func (l Laplace) Fit(ctx context.Context, x data.Points[any], y []float64) (*LaplaceRegressor, error) {
	start := time.Now()
	p, err := l.problem(x, y)
	if err != nil {
		return nil, fmt.Errorf("gp: %w", err)
	}
	m, err := fitting.Heed(ctx, func() (*LaplaceRegressor, error) { return p.fit(ctx, start) })
	if err != nil {
		return nil, fmt.Errorf("gp: %w", fitting.Explain(ctx, err, l.Kernel, p.x, l.Resources))
	}
	return m, nil
}

// leastScale is the least σ of Student's noise as a share of where the search starts: a thousandth of
// the deviation of the targets, which is that of normal noise, too.
var leastScale = math.Sqrt(1e-5)

// fit finds kernel parameters, then b and σ where they are free, and the posterior there.
func (p *laplaceProblem) fit(ctx context.Context, start time.Time) (*LaplaceRegressor, error) {
	n := int64(len(p.y))
	report := learn.Report{Learner: "gp " + p.Likelihood.String(), Certified: "gradient at the mode of the posterior",
		Bytes: 8 * 7 * n * n}
	params := kernel.Params(p.Kernel)
	coords, err := p.kernelCoordinates(params)
	if err != nil {
		return nil, err
	}
	last := len(params)
	theta := append(kernel.Values(p.Kernel), p.Mean, p.Scale)
	if p.FitMean {
		reach := 10 * math.Sqrt(spread(p.y, p.Weights))
		if p.Likelihood == Poisson {
			reach = 20
		}
		coords = append(coords, coordinate{at: last, low: p.Mean - reach, high: p.Mean + reach})
	}
	if p.Likelihood == Student && !p.FixedScale {
		c := newCoordinate(last+1, kernel.Param{Name: "scale", Value: p.Scale,
			Domain: kernel.Domain{High: math.Inf(1), OpenLow: true, LogScale: true}})
		c.low = math.Log(p.Scale * leastScale) // of rows that f goes through the evidence grows without end
		coords = append(coords, c)
	}
	if len(coords) > 0 {
		var fault error
		wanted := searched(coords, last)
		found, err := p.search(ctx, theta, coords, p.Trace, func(theta, grad []float64) float64 {
			value, err := p.evaluate(ctx, theta, grad, wanted)
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
			return nil, err
		}
		theta, report.Iterations = found.theta, found.iterations
		for _, i := range found.atBound {
			name := "the level"
			if i < last {
				name = params[i].Name
			} else if i > last {
				name = "the scale of the noise"
			}
			report.Warnings = append(report.Warnings, fmt.Sprintf("%s ended at the bound %.3g of the search", name, theta[i]))
		}
		if !found.converged {
			report.Warnings = append(report.Warnings,
				fmt.Sprintf("the search for hyper-parameters stopped at %d iterations; allow more of them", p.MaxIterations))
		}
	}
	k := withParams(p.Kernel, theta[:last])
	m, err := p.mode(ctx, k, theta[last], theta[last+1])
	if err != nil {
		return nil, err
	}
	if report.Iterations == 0 {
		report.Iterations = m.steps
	}
	if report.Certificate, report.Converged = m.norm, m.norm <= 1e-6; !report.Converged {
		report.Warnings = append(report.Warnings,
			fmt.Sprintf("the search for the mode of the posterior stopped after %d steps with a gradient of %.2g of its size",
				m.steps, m.norm))
	}
	report.Warnings = append(report.Warnings, fitting.Doubts(ctx, k, p.x, p.Resources)...)
	report.Objective, report.Elapsed = -m.value, time.Since(start)
	note := fmt.Sprintf("%v likelihood, log marginal likelihood %.6g by Laplace's approximation", p.Likelihood, m.value)
	if p.Likelihood == Student {
		note = fmt.Sprintf("student likelihood of scale %.4g with %g degrees of freedom, log marginal likelihood %.6g by "+
			"Laplace's approximation", m.like.scale, m.like.df, m.value)
	}
	report.Notes = append(report.Notes, note)
	return newLaplaceModel(ctx, p, k, m, report)
}

// evaluate is the evidence and its derivatives by all parameters.
func (p *laplaceProblem) evaluate(ctx context.Context, theta, grad []float64, wanted []bool) (float64, error) {
	last := len(wanted)
	k := withParams(p.Kernel, theta[:last])
	m, err := p.mode(ctx, k, theta[last], theta[last+1])
	if err != nil {
		return 0, err
	}
	if m.norm > 1e-4 {
		return 0, fmt.Errorf("the search for the mode of the posterior stopped after %d steps with a gradient of %.2g "+
			"of its size", m.steps, m.norm)
	}
	w, byMean, byScale, err := m.slopes(ctx)
	if err != nil {
		return 0, err
	}
	if slices.Contains(wanted, true) {
		if err := kernel.ParamGradDot(ctx, k, grad[:last], wanted, linalg.Dense(w), p.x, p.x); err != nil {
			return 0, err
		}
	}
	grad[last], grad[last+1] = byMean, byScale/theta[last+1]
	return m.value, nil
}
