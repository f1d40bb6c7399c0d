package learn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// RVMClassifier is the relevance vector machine for classification (Tipping
// 2001), p(y = 1|x) = σ(Σⱼ wⱼ k(xⱼ, x) + b) with wⱼ ~ N(0, 1/αⱼ) and α at a maximum of
// the evidence, the posterior of w being approximated by a Gaussian at its
// mode. α is climbed one at a time (Tipping and Faul 2003). More than two
// classes are told apart one against the rest.
type RVMClassifier[T any, L cmp.Ordered] struct {
	Kernel      kernel.Kernel[T]
	NoIntercept bool // leave b out

	Balance       Balance       // weights of the classes ClassWeights does not name
	ClassWeights  map[L]float64 // weight of a class in the log likelihood
	SampleWeights []float64     // weight of a point; nil means 1

	Tol           float64 // gain of log evidence below which to stop; 0 means 1e-4
	MaxIterations int     // changes of an α for each class; 0 means 2000

	Resources
}

// Fit learns from points and their labels.
func (c RVMClassifier[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (*RVMClassifierModel[T, L], error) {
	start := time.Now()
	labels, weights, err := c.check(x, y)
	if err != nil {
		return nil, fmt.Errorf("rvm classifier: %w", err)
	}
	own := data.Own(x)
	m, err := heeding(ctx, func() (*RVMClassifierModel[T, L], error) { return c.fit(ctx, own, labels, weights) })
	if err != nil {
		return nil, fmt.Errorf("rvm classifier: %w", err)
	}
	m.report.Elapsed = time.Since(start)
	return m, nil
}

func (c *RVMClassifier[T, L]) check(x data.Points[T], y []L) (Labels[L], []float64, error) {
	labels, weights, err := checkClassification(c.Kernel, x, y, c.Balance, c.ClassWeights, c.SampleWeights)
	if err != nil {
		return labels, nil, err
	}
	if err := setOrDefault("Tol", &c.Tol, 1e-4); err != nil {
		return labels, nil, err
	}
	if err := setOrDefaultInt("MaxIterations", &c.MaxIterations, 2000); err != nil {
		return labels, nil, err
	}
	c.Resources, err = c.Resources.withDefaults()
	return labels, weights, err
}

func (c RVMClassifier[T, L]) fit(ctx context.Context, x data.Points[T], labels Labels[L], weights []float64) (*RVMClassifierModel[T, L], error) {
	n := x.Len()
	basis, err := rvmBasis(ctx, c.Kernel, x, c.Resources, !c.NoIntercept)
	if err != nil {
		return nil, err
	}
	m := &RVMClassifierModel[T, L]{}
	m.classes = labels.Classes
	m.report = Report{Learner: "rvm classifier", Certified: "gain of log evidence by the best change", Converged: true, Bytes: 8 * int64(len(basis.Data))}
	var beta [][]float64
	var bias []float64
	for _, t := range labels.Tasks(OneVsRest) {
		b := &bernoulliRelevance{relevance: newRelevance(basis), threads: c.Threads, sign: t.Targets(), weight: weights}
		stop, err := b.maximise(ctx, c.Tol, c.MaxIterations, c.Trace)
		if err != nil {
			return nil, err
		}
		m.report.Iterations += stop.steps
		m.report.Objective -= b.log
		m.report.Certificate = math.Max(m.report.Certificate, stop.gain)
		if !stop.converged {
			m.report.Converged = false
			m.report.Warnings = append(m.report.Warnings, fmt.Sprintf("class %v: stopped after %d changes with one more expected to add %.2g to the log evidence", labels.Classes[t.Plus], stop.steps, stop.gain))
		}
		p := b.posterior(n)
		row := make([]float64, n)
		bias = append(bias, p.spread(row))
		beta, m.posterior = append(beta, row), append(m.posterior, p)
	}
	m.f, m.support = expansionOf(c.Kernel, x, beta, bias)
	return m, nil
}

// RVMClassifierModel is a fitted RVMClassifier. Support lists the points that
// are relevance vectors of any class.
type RVMClassifierModel[T any, L cmp.Ordered] struct {
	ExpansionClassifier[T, L]
	posterior []rvmPosterior
}

// Variance writes the posterior variance of each decision value into dst, or
// into a new matrix when dst is nil.
func (m *RVMClassifierModel[T, L]) Variance(dst *mat.Dense, x data.Points[T]) *mat.Dense {
	n := x.Len()
	if n == 0 {
		return dst
	}
	if dst == nil {
		dst = mat.NewDense(n, len(m.posterior), nil)
	}
	k := linalg.New[float64](n, m.f.Centers.Len())
	kernel.Fill(0, k, kernel.Prepare(m.f.Kernel, x, m.f.Centers))
	at := make(map[int]int, len(m.support))
	for a, i := range m.support {
		at[i] = a
	}
	column := make([]float64, n)
	for o, p := range m.posterior {
		own := linalg.New[float64](n, len(p.index))
		for r := range n {
			for a, i := range p.index {
				own.Set(r, a, k.At(r, at[i]))
			}
		}
		p.variances(column, own)
		dst.SetCol(o, column)
	}
	return dst
}

// Proba writes the probability of each class, a row for each point: σ(f/√(1 + πv/8)),
// v being the variance of the decision value f (MacKay 1992), and for more than two classes
// these, one against the rest, divided by their sum.
func (m *RVMClassifierModel[T, L]) Proba(dst *mat.Dense, x data.Points[T]) *mat.Dense {
	n := x.Len()
	if n == 0 {
		return dst
	}
	if dst == nil {
		dst = mat.NewDense(n, len(m.classes), nil)
	}
	f, v := m.Decision(nil, x), m.Variance(nil, x)
	for i := range n {
		row := dst.RawRowView(i)
		if len(m.classes) == 2 {
			row[1] = moderated(f.At(i, 0), v.At(i, 0))
			row[0] = moderated(-f.At(i, 0), v.At(i, 0))
			continue
		}
		for o := range row {
			row[o] = math.Max(moderated(f.At(i, o), v.At(i, o)), 1e-300)
		}
		total := sumOf(row)
		for o := range row {
			row[o] /= total
		}
	}
	return dst
}

func moderated(f, v float64) float64 { return logistic(f / math.Sqrt(1+math.Pi*v/8)) }

// Predict returns the most probable label of each point, in dst when it is long
// enough, so that Predict and Proba never disagree.
func (m *RVMClassifierModel[T, L]) Predict(dst []L, x data.Points[T]) []L {
	if len(m.classes) == 2 {
		return m.ExpansionClassifier.Predict(dst, x)
	}
	code := make([]int, x.Len())
	if p := m.Proba(nil, x); p != nil {
		for i := range code {
			code[i] = ArgMax(p.RawRowView(i))
		}
	}
	return decode(dst, m.classes, code)
}
