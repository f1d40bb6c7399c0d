package online

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// Fit goes Passes times through the points, as Observe would, and returns what was
// learnt, so that the online learner takes the place of any other. y is ±1 for Hinge and
// LogisticLoss (for labels see NormaClassifier) and may be nil for Novelty.
func (c Norma[T]) Fit(ctx context.Context, x data.Points[T], y []float64) (*Regressor[T], error) {
	start := time.Now()
	if c.Loss == Novelty && y == nil && x != nil {
		y = make([]float64, x.Len())
	}
	weights, err := fitting.CheckRegression(c.Kernel, x, y, c.Weights)
	if err != nil {
		return nil, fmt.Errorf("norma: %w", err)
	}
	own, y := data.Own(x), slices.Clone(y)
	m, err := fitting.Heed(ctx, func() (*Regressor[T], error) {
		o, beta, born, err := c.run(ctx, own, y, weights)
		if err != nil {
			return nil, err
		}
		report := o.Model().Report()
		report.Warnings = append(report.Warnings, fitting.Doubts(ctx, c.Kernel, own, c.Resources)...)
		report.Elapsed = time.Since(start)
		f, support := fitting.Expansion(c.Kernel, own, [][]float64{beta}, []float64{o.bias()})
		return &Regressor[T]{*learn.NewExpansionRegressor(f, support, report),
			newGoing(o.c, []State[T]{o.s}, [][]int{born}, support)}, fitting.FiniteCoefficients(f)
	})
	if err != nil {
		return nil, fmt.Errorf("norma: %w", err)
	}
	return m, nil
}

// bias is the constant of Decision.
func (o *Machine[T]) bias() float64 {
	if o.c.Loss == Novelty {
		return o.s.Bias - o.s.Rho
	}
	return o.s.Bias
}

// run observes the points in order and adds the terms up by point; born is the example that the
// last term of each came with, 0 where it has none.
func (c Norma[T]) run(
	ctx context.Context, x data.Points[T], y, weights []float64,
) (_ *Machine[T], beta []float64, born []int, _ error) {
	start, n := time.Now(), x.Len()
	o, err := c.Start()
	if err != nil {
		return nil, nil, nil, err
	}
	c, o.ctx = o.c, ctx
	// Beside the kernel's values: vectors of the points, the order of examples, and the terms.
	terms := n * c.Passes
	for _, most := range []int{c.Budget, c.Truncate} {
		if most > 0 {
			terms = min(terms, most+1)
		}
	}
	small := 24*int64(n) + 8*int64(n)*int64(c.Passes) + 32*int64(terms)
	if small >= c.Bytes {
		return nil, nil, nil, &learn.OverBudget{Learner: "norma", Points: n, Needs: small, Budget: c.Bytes,
			Instead: "give it more memory, or Observe a stream with a Budget of terms"}
	}
	for i, v := range y {
		if err := c.checkTarget(v); err != nil {
			return nil, nil, nil, fmt.Errorf("row %d: %w", i, err)
		}
	}
	// Examples come again in every pass, and every term is at one of them: their kernel values are
	// made once, by columns.
	g, err := gram.New(ctx, c.Kernel, x, gram.Options{Bytes: c.Bytes - small, Threads: c.Threads, ByColumn: true})
	if err != nil {
		return nil, nil, nil, err
	}
	o.held = min(8*int64(n)*int64(n), c.Bytes-small) + small
	column := make([]float64, n)
	g.Diag(column)
	for i, v := range column {
		if err := checkSelf(v); err != nil {
			return nil, nil, nil, fmt.Errorf("row %d: %w", i, err)
		}
	}
	var shown []int // the point of each example that was learnt from
	for pass := range c.Passes {
		order := par.Indices(0, n)
		if c.Shuffle {
			order = rand.New(rand.NewPCG(c.Seed, uint64(pass))).Perm(n)
		}
		for _, i := range order {
			if err := ctx.Err(); err != nil {
				return nil, nil, nil, err
			}
			if weights[i] == 0 {
				continue
			}
			g.Column(column, i)
			f := 0.0
			for a, born := range o.s.Born {
				f += o.s.Coef[a] * column[shown[born-1]]
			}
			if _, err := o.learn(x.At(i), o.s.Scale*f+o.s.Bias, y[i], weights[i]); err != nil {
				return nil, nil, nil, fmt.Errorf("row %d: %w", i, err)
			}
			shown = append(shown, i)
		}
		loss := o.s.Loss / float64(max(o.s.Step, 1))
		c.Trace.Report(trace.Step{Iteration: pass + 1, Objective: loss, Residual: loss, Elapsed: time.Since(start)})
	}
	beta, born = make([]float64, n), make([]int, n)
	for a, at := range o.s.Born {
		beta[shown[at-1]] += o.s.Scale * o.s.Coef[a]
		born[shown[at-1]] = at
	}
	o.ctx = nil
	return o, beta, born, nil
}

// NormaClassification is Norma for labels: Hinge or LogisticLoss, more than two
// classes one against the rest. The decision values of LogisticLoss are log odds.
type NormaClassification[T any, L cmp.Ordered] struct {
	Balance      learn.Balance // weights of the classes ClassWeights does not name
	ClassWeights map[L]float64 // weight of a class, times that of the point
	Norma[T]
}

// Fit learns from points and their labels.
func (c NormaClassification[T, L]) Fit(
	ctx context.Context, x data.Points[T], y []L,
) (_ *NormaClassifier[T, L], err error) {
	defer fault.Name("norma classifier", &err)
	start := time.Now()
	labels, weights, err := fitting.CheckClassification(c.Kernel, x, y, c.Balance, c.ClassWeights, c.Weights)
	if err == nil && c.Loss != Hinge && c.Loss != LogisticLoss {
		err = fmt.Errorf("Loss is %v; labels take Hinge or LogisticLoss", c.Loss)
	}
	if err != nil {
		return nil, err
	}
	own := data.Own(x)
	return fitting.Heed(ctx, func() (*NormaClassifier[T, L], error) { return c.fit(ctx, own, labels, weights, start) })
}

func (c NormaClassification[T, L]) fit(
	ctx context.Context, x data.Points[T], labels learn.Labels[L], weights []float64, start time.Time,
) (*NormaClassifier[T, L], error) {
	var report learn.Report
	var beta [][]float64
	var bias []float64
	tasks := labels.Tasks(learn.OneVsRest)
	var states []State[T]
	var births [][]int
	for t, task := range tasks {
		o, b, born, err := c.run(ctx, x, task.Targets(), weights)
		if err != nil {
			return nil, err
		}
		c.Norma = o.c // with its defaults
		states, births = append(states, o.s), append(births, born)
		beta, bias = append(beta, b), append(bias, o.bias())
		r := o.Model().Report()
		if t == 0 {
			report = r
			report.Learner = "norma classifier (" + c.Loss.String() + ")"
			continue
		}
		report.Iterations += r.Iterations
		report.Objective += r.Objective
		report.Certificate = math.Max(report.Certificate, r.Certificate)
		report.Warnings = append(report.Warnings, r.Warnings...)
	}
	report.Warnings = append(report.Warnings, fitting.Doubts(ctx, c.Kernel, x, c.Resources)...)
	report.Elapsed = time.Since(start)
	f, support := fitting.Expansion(c.Kernel, x, beta, bias)
	m := &NormaClassifier[T, L]{*learn.NewLogOddsClassifier(f, labels.Classes, support, report), c.Loss == LogisticLoss,
		newGoing(c.Norma, states, births, support)}
	return m, fitting.FiniteCoefficients(f)
}

// NormaClassifier is a fitted NormaClassification. It has probabilities where the loss is
// LogisticLoss.
type NormaClassifier[T any, L cmp.Ordered] struct {
	learn.LogOddsClassifier[T, L]
	logOdds bool
	going   *going[T]
}

// HasProba says whether decision values are log odds: not those of Hinge.
func (m *NormaClassifier[T, L]) HasProba() bool { return m.logOdds }

// Proba returns the probability of each class, a row for each point.
func (m *NormaClassifier[T, L]) Proba(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.Matrix(x, len(m.Classes()), func(dst *mat.Dense) error { return m.ProbaTo(ctx, dst, x) })
}

// ProbaTo writes the probabilities of point i to row i of dst.
func (m *NormaClassifier[T, L]) ProbaTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	if !m.logOdds {
		return fmt.Errorf("norma: %w: the decision values of the hinge loss are no log odds; use LogisticLoss",
			learn.ErrNoProba)
	}
	return m.LogOddsClassifier.ProbaTo(ctx, dst, x)
}
