package gp

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// FitMulti learns several targets at once, a column of y each: independent processes that share the
// kernel and the noise, each in units of the standard deviation s_t of its own target,
//
//	y_t = s_t·(f_t(x) + b_t + ε),  f_t ~ GP(0, k),  ε ~ N(0, σ²).
//
// The parameters maximise the sum of their log marginal likelihoods; all share one factorisation.
// Noise is σ², so a share of the variance of each target. Mean and PointNoise, which have the unit
// of one target, are refused.
func (g Regression[T]) FitMulti(ctx context.Context, x data.Points[T], y *mat.Dense) (*MultiRegressor[T], error) {
	m, err := g.open().fitMulti(ctx, data.Erase(x), y)
	if err != nil {
		return nil, fmt.Errorf("gp: %w", err)
	}
	return newMulti(typed[T](m.f), m), nil
}

func (g *regression) fitMulti(ctx context.Context, x data.Points[any], y *mat.Dense) (*posteriors, error) {
	start := time.Now()
	p, units, err := g.multiProblem(x, y)
	if err != nil {
		return nil, err
	}
	m, err := fitting.Heed(ctx, func() (*posteriors, error) {
		s, report, err := g.climb(ctx, p, start)
		if err != nil {
			return nil, err
		}
		for _, u := range units { // the density of y_t, not of y_t/s_t
			s.value -= p.rows() * math.Log(u)
		}
		report.Objective = -s.value
		report.Notes = []string{fmt.Sprintf("noise %.4g of the variance of each target, log marginal likelihood of all %.6g",
			s.noise, s.value)}
		return newPosteriors(p, s, units, report)
	})
	return m, fitting.Explain(ctx, err, g.Kernel, p.x, g.Resources)
}

// multiProblem takes each column in units of its own deviation.
func (g *regression) multiProblem(x data.Points[any], y *mat.Dense) (*gpProblem, []float64, error) {
	if x == nil || x.Len() == 0 || y == nil || y.IsEmpty() {
		return nil, nil, learn.ErrNoPoints
	}
	rows, targets := y.Dims()
	switch {
	case rows != x.Len():
		return nil, nil, fmt.Errorf("%d points but %d rows of targets", x.Len(), rows)
	case g.Mean != 0 || g.PointNoise != nil:
		return nil, nil, fmt.Errorf("Mean and PointNoise have the unit of one target, and there are %d; leave them out",
			targets)
	}
	units, columns := make([]float64, targets), make([][]float64, targets)
	for t := range columns {
		columns[t] = mat.Col(nil, t, y)
		if err := fitting.CheckTargets(x, columns[t]); err != nil {
			return nil, nil, fmt.Errorf("target %d: %w", t, err)
		}
	}
	x, columns, err := g.weighty(x, columns...)
	if err != nil {
		return nil, nil, err
	}
	for t := range columns {
		units[t] = math.Sqrt(spread(columns[t], g.Weights))
		for i := range columns[t] {
			columns[t][i] /= units[t]
		}
	}
	if g.Noise == 0 && !g.NoNoise {
		g.Noise = 0.1
	}
	p, err := g.problem(x, columns[0])
	if err != nil {
		return nil, nil, err
	}
	p.more = columns[1:]
	return p, units, nil
}

// MultiRegressor is a fitted Regression of several targets. Its function has an output for each of
// them; Of is the posterior of one.
type MultiRegressor[T any] struct {
	f  *rkhs.Func[T]
	of []*Regressor[T]
	*posteriors
}

// newMulti is the model of posteriors whose means are f.
func newMulti[T any](f *rkhs.Func[T], p *posteriors) *MultiRegressor[T] {
	m := &MultiRegressor[T]{f: f, posteriors: p}
	for t, of := range p.each {
		m.of = append(m.of, newRegressor(f.Output(t), of))
	}
	return m
}

// posteriors is a MultiRegressor of points that have lost their type.
type posteriors struct {
	f      *rkhs.Func[any]
	units  []float64
	each   []*posterior
	report learn.Report
}

func newPosteriors(p *gpProblem, s *gpState, units []float64, report learn.Report) (*posteriors, error) {
	each := append([]gpTarget{{s.alpha, s.mean}}, s.more...)
	coef := mat.NewDense(len(s.alpha), len(units), nil)
	f := &rkhs.Func[any]{Kernel: s.kernel, Centers: p.x, Coef: coef, Bias: make([]float64, len(units))}
	for t, u := range units {
		for i, a := range each[t].alpha {
			coef.Set(i, t, u*a)
		}
		f.Bias[t] = u * each[t].mean
	}
	if err := fitting.FiniteCoefficients(f); err != nil {
		return nil, err
	}
	m := &posteriors{f: f.Prepare(), units: units, report: report}
	half := halfOnes(p, s)
	ys := append([][]float64{p.y}, p.more...)
	for t, u := range units {
		own, state := *p, *s
		own.y, own.more, own.work = make([]float64, len(p.y)), nil, p.work
		for i, v := range ys[t] {
			own.y[i] = u * v
		}
		state.alpha, state.mean, state.more = each[t].alpha, each[t].mean, nil
		m.each = append(m.each, &posterior{p: &own, s: &state, half: half, unit: u, report: report})
	}
	return m, nil
}

// Func is the posterior means, an output for each target.
func (m *MultiRegressor[T]) Func() *rkhs.Func[T] { return m.f }

// Report says how the fit went; its objective is the negative log marginal likelihood of all
// targets.
func (m *posteriors) Report() learn.Report { return m.report }

// Kernel is the kernel with the parameters found; its values are in units of the variance of each
// target.
func (m *MultiRegressor[T]) Kernel() kernel.Kernel[T] { return m.f.Kernel }

// Noise is the noise variance found, as a share of the variance of each target.
func (m *posteriors) Noise() float64 { return m.each[0].s.noise }

// LogMarginal is the log marginal likelihood of all targets.
func (m *posteriors) LogMarginal() float64 { return m.each[0].s.value }

// Targets is the number of targets.
func (m *posteriors) Targets() int { return len(m.each) }

// Of is the posterior of one target, counted from 0: a *Regressor.
func (m *MultiRegressor[T]) Of(t int) learn.Model[T] { return m.of[t] }

// Unit is what the standard deviations of target t are, beside those of any other: they have the
// ratio of their units.
func (m *posteriors) Unit(t int) float64 { return m.units[t] }

// Predict returns the posterior mean of the first target at each point.
func (m *MultiRegressor[T]) Predict(ctx context.Context, x data.Points[T]) ([]float64, error) {
	return m.of[0].Predict(ctx, x)
}

// PredictTo writes the posterior mean of the first target at point i to dst[i].
func (m *MultiRegressor[T]) PredictTo(ctx context.Context, dst []float64, x data.Points[T]) error {
	return m.of[0].PredictTo(ctx, dst, x)
}

// PredictMulti returns the posterior means of all targets, a row for each point.
func (m *MultiRegressor[T]) PredictMulti(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.New(ctx, m.f, x)
}

// PredictMultiTo writes those of point i to row i of dst.
func (m *MultiRegressor[T]) PredictMultiTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	return apply.To(ctx, m.f, dst, x)
}

// Saved returns the model as plain data: that of one target, and the array "units".
func (m *MultiRegressor[T]) Saved() learn.Saved[T] {
	s := m.of[0].Saved()
	s.Learner, s.Func = "gp-multi", m.f
	s.Arrays["units"] = mat.NewDense(1, len(m.units), m.units)
	return s
}

func restoreMulti(s learn.Saved[any]) (learn.Model[any], error) {
	units, err := s.Array("units", 1, s.Func.Outputs())
	if err != nil {
		return nil, err
	}
	m := &MultiRegressor[any]{f: s.Func, posteriors: &posteriors{f: s.Func, units: units.RawRowView(0), report: s.Report}}
	for t, u := range m.units {
		if !(u > 0) {
			return nil, fmt.Errorf("unit %d is %g", t, u)
		}
		alone := s
		alone.Func = s.Func.Output(t)
		of, err := restoreRegressor(alone)
		if err != nil {
			return nil, err
		}
		one := of.(*Regressor[any])
		one.unit = u
		m.of, m.each = append(m.of, one), append(m.each, one.posterior)
	}
	if len(m.of) == 1 {
		return m.of[0], nil
	}
	return m, nil
}
