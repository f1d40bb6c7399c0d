package sparse

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/internal/learn/sigmoid"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// RVMClassification is the relevance vector machine for classification (Tipping
// 2001), p(y = 1|x) = σ(Σⱼ wⱼ k(xⱼ, x) + b) with wⱼ ~ N(0, 1/αⱼ) and α at a maximum of
// the evidence, the posterior of w being approximated by a Gaussian at its
// mode. α is climbed one at a time (Tipping and Faul 2003). More than two
// classes are told apart one against the rest.
type RVMClassification[T any, L cmp.Ordered] struct {
	Kernel      kernel.Kernel[T]
	NoIntercept bool // leave b out

	Balance      learn.Balance // weights of the classes ClassWeights does not name
	ClassWeights map[L]float64 // weight of a class in the log likelihood
	Weights      []float64     // weight of a point; nil means 1

	Tol           float64 // gain of log evidence below which to stop; 0 means 1e-4
	MaxIterations int     // changes of an α for each class; 0 means 2000

	learn.Resources
}

// Fit learns from points and their labels.
func (c RVMClassification[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (_ *RVMClassifier[T, L], err error) {
	defer fault.Name("rvm classifier", &err)
	own := &rvmClassification{
		Kernel: kernel.Erase(c.Kernel), NoIntercept: c.NoIntercept, Tol: c.Tol, MaxIterations: c.MaxIterations,
		Resources: c.Resources,
	}
	points := data.Erase(x)
	labels, weights, err := fitting.CheckClassification(own.Kernel, points, y, c.Balance, c.ClassWeights, c.Weights)
	if err != nil {
		return nil, err
	}
	said := func(code int) string { return fmt.Sprint(labels.Classes[code]) }
	found, err := own.fit(ctx, points, fitting.Codes(labels), weights, said)
	if err != nil {
		return nil, err
	}
	f := rkhs.Typed(c.Kernel, found.f).Prepare()
	found.f = rkhs.Erase(f) // what is made ready for its centres is for both
	base := learn.NewExpansionClassifier(f, labels.Classes, found.support, found.report)
	return &RVMClassifier[T, L]{*base, found}, nil
}

// rvmClassification is an RVMClassification of points and labels that have lost their types.
type rvmClassification RVMClassification[any, int]

// rvmClasses is an RVMClassifier of points that have lost their type.
type rvmClasses struct {
	f         *rkhs.Func[any]
	support   []int
	report    learn.Report
	posterior []rvmPosterior
}

// fit learns from codes; said is how a class is called in warnings.
func (c *rvmClassification) fit(
	ctx context.Context, x data.Points[any], labels learn.Labels[int], weights []float64, said func(code int) string,
) (*rvmClasses, error) {
	start := time.Now()
	if err := fitting.SetOrDefault("Tol", &c.Tol, 1e-4); err != nil {
		return nil, err
	}
	if err := fitting.SetOrDefaultInt("MaxIterations", &c.MaxIterations, 2000); err != nil {
		return nil, err
	}
	var err error
	if c.Resources, err = c.Resources.WithDefaults(); err != nil {
		return nil, err
	}
	own := data.Own(x)
	return fitting.Heed(ctx, func() (*rvmClasses, error) { return c.climb(ctx, own, labels, weights, said, start) })
}

func (c *rvmClassification) climb(
	ctx context.Context, x data.Points[any], labels learn.Labels[int], weights []float64,
	said func(code int) string, start time.Time,
) (*rvmClasses, error) {
	n := x.Len()
	basis, err := rvmBasis(ctx, c.Kernel, x, c.Resources, !c.NoIntercept)
	if err != nil {
		return nil, err
	}
	m := &rvmClasses{}
	report := learn.Report{Learner: "rvm classifier", Certified: "gain of log evidence by the best change",
		Converged: true, Bytes: 8 * int64(len(basis.Data))}
	var beta [][]float64
	var bias []float64
	for _, t := range labels.Tasks(learn.OneVsRest) {
		b := &bernoulliRelevance{relevance: newRelevance(basis), threads: c.Threads, sign: t.Targets(), weight: weights}
		stop, err := b.maximise(ctx, c.Tol, c.MaxIterations, c.Trace)
		if err != nil {
			return nil, err
		}
		report.Iterations += stop.steps
		report.Objective -= b.log
		report.Certificate = math.Max(report.Certificate, stop.gain)
		if !stop.converged {
			report.Converged = false
			report.Warnings = append(report.Warnings, fmt.Sprintf(
				"class %s: stopped after %d changes with one more expected to add %.2g to the log evidence",
				said(t.Plus), stop.steps, stop.gain))
		}
		p := b.posterior(n)
		row := make([]float64, n)
		bias = append(bias, p.spread(row))
		beta, m.posterior = append(beta, row), append(m.posterior, p)
	}
	report.Elapsed = time.Since(start)
	m.f, m.support = fitting.Expansion(c.Kernel, x, beta, bias)
	m.report = report
	return m, nil
}

// RVMClassifier is a fitted RVMClassification. Support lists the points that
// are relevance vectors of any class.
type RVMClassifier[T any, L cmp.Ordered] struct {
	learn.ExpansionClassifier[T, L]
	of *rvmClasses
}

// Variance returns the posterior variance of each decision value, a row for each point.
func (m *RVMClassifier[T, L]) Variance(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.Matrix(x, len(m.of.posterior), func(dst *mat.Dense) error { return m.VarianceTo(ctx, dst, x) })
}

// VarianceTo writes the variances of the decision values of point i to row i of dst.
func (m *RVMClassifier[T, L]) VarianceTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	return m.of.variance(ctx, dst, data.Erase(x))
}

func (m *rvmClasses) variance(ctx context.Context, dst *mat.Dense, x data.Points[any]) error {
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	n, f := x.Len(), m.f
	if err := apply.CheckDims(dst, n, len(m.posterior)); err != nil || n == 0 {
		return err
	}
	if err := apply.Check(ctx, f.Kernel, f.Centers, x); err != nil {
		return err
	}
	k := linalg.New[float64](n, f.Centers.Len())
	kernel.Fill(0, blas64.General(k), f.Tiles(ctx, x))
	at := placesOf(m.support)
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
	return ctx.Err()
}

// HasProba is true.
func (m *RVMClassifier[T, L]) HasProba() bool { return true }

// Proba returns the probability of each class, a row for each point: σ(f/√(1 + πv/8)),
// v being the variance of the decision value f (MacKay 1992), and for more than two classes
// these, one against the rest, divided by their sum.
func (m *RVMClassifier[T, L]) Proba(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.Matrix(x, len(m.Classes()), func(dst *mat.Dense) error { return m.ProbaTo(ctx, dst, x) })
}

// ProbaTo writes the probabilities of point i to row i of dst.
func (m *RVMClassifier[T, L]) ProbaTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	v, err := m.Variance(ctx, x)
	if err != nil {
		return err
	}
	row := -1 // rows are asked for in order
	return learn.ProbaFrom(ctx, m, dst, x, func(p, f []float64) {
		row++
		if len(p) == 2 {
			p[1] = moderated(f[0], v.At(row, 0))
			p[0] = moderated(-f[0], v.At(row, 0))
			return
		}
		for o := range p {
			p[o] = math.Max(moderated(f[o], v.At(row, o)), 1e-300)
		}
		total := fitting.Sum(p)
		for o := range p {
			p[o] /= total
		}
	})
}

func moderated(f, v float64) float64 { return sigmoid.Of(f / math.Sqrt(1+math.Pi*v/8)) }

// Predict returns the most probable label of each point, so that Predict and Proba never disagree.
func (m *RVMClassifier[T, L]) Predict(ctx context.Context, x data.Points[T]) ([]L, error) {
	return apply.Slice(x, func(dst []L) error { return m.PredictTo(ctx, dst, x) })
}

// PredictTo writes the most probable label of point i to dst[i].
func (m *RVMClassifier[T, L]) PredictTo(ctx context.Context, dst []L, x data.Points[T]) error {
	if len(m.of.posterior) == 1 {
		return m.ExpansionClassifier.PredictTo(ctx, dst, x)
	}
	return learn.PredictMostProbable(ctx, m, dst, x)
}
