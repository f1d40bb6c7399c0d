package logistic

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/internal/learn/sigmoid"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Method names a way to minimise the logistic loss.
type Method int

const (
	// Auto is Newton for two classes and up to some thousand
	// points, or for few explicit features on their weights; else Truncated.
	Auto Method = iota
	// Newton is Newton's method (iteratively reweighted least squares) with a
	// Cholesky factorisation in every step; two classes.
	Newton
	// Truncated is Newton's method with steps by conjugate gradients, which
	// needs only products with K; any number of classes and points.
	Truncated
)

// Regression is kernel logistic regression. For two classes, y = ±1, it is
//
//	minimise over f, b   Σ wᵢ log(1 + e^{-yᵢ(f(xᵢ)+b)}) + (λ/2)‖f‖²,
//
// for more, one function for each class,
//
//	minimise   Σ wᵢ (log Σ_c e^{f_c(xᵢ)+b_c} - f_{yᵢ}(xᵢ) - b_{yᵢ}) + (λ/2) Σ_c ‖f_c‖².
//
// Both are convex; Newton's method with a line search reaches the minimum from
// anywhere. The certificate is the norm of the gradient in the RKHS, relative to that at
// f = 0. The probabilities are those of the model itself, and calibrated on
// average: with an intercept the expected count of each class is the weight it has in the
// training set.
type Regression[T any, L cmp.Ordered] struct {
	Kernel    kernel.Kernel[T]
	Lambda    float64 // λ > 0; 0 means 1. It is 1/C of other tools
	PerPoint  bool    // λ stands for n·λ: the loss is a mean, not a sum
	Intercept bool    // fit b, without penalty; else b = 0

	Balance      learn.Balance // weights of the classes ClassWeights does not name
	ClassWeights map[L]float64 // weight of a class
	Weights      []float64     // weight of a point; nil means 1

	Method        Method
	Tol           float64 // relative gradient norm to reach; 0 means 1e-8
	MaxIterations int     // Newton steps; 0 means 200

	learn.Resources
}

// exactNewtonUpTo is the number of points up to which Auto factorises.
const exactNewtonUpTo = 2000

// Fit learns from points and their labels.
func (c Regression[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (*Classifier[T, L], error) {
	start := time.Now()
	labels, weights, err := c.check(x, y)
	if err != nil {
		return nil, fmt.Errorf("logistic: %w", err)
	}
	moved := fitting.Moved[T]{Points: x}
	if c.Intercept {
		moved = fitting.MoveToMean(c.Kernel, x)
	}
	m, err := fitting.Heed(ctx, func() (*Classifier[T, L], error) { return c.fit(ctx, moved, labels, weights, start) })
	if err != nil {
		return nil, fmt.Errorf("logistic: %w", fitting.Explain(ctx, err, c.Kernel, moved.Points, c.Resources))
	}
	return m, nil
}

// counting is how many of n rows have a say: a loss that is a mean is one over these.
func counting(n int, weights []float64) float64 {
	for _, w := range weights {
		if w == 0 {
			n--
		}
	}
	return float64(n)
}

func (c *Regression[T, L]) check(x data.Points[T], y []L) (learn.Labels[L], []float64, error) {
	labels, weights, err := fitting.CheckClassification(c.Kernel, x, y, c.Balance, c.ClassWeights, c.Weights)
	if err == nil {
		err = cmp.Or(fitting.SetOrDefault("Lambda", &c.Lambda, 1), fitting.SetOrDefault("Tol", &c.Tol, 1e-8),
			fitting.SetOrDefaultInt("MaxIterations", &c.MaxIterations, 200))
	}
	if err != nil {
		return labels, nil, err
	}
	if c.PerPoint {
		c.Lambda *= counting(len(y), weights)
	}
	c.Resources, err = c.Resources.WithDefaults()
	return labels, weights, err
}

func (c Regression[T, L]) fit(
	ctx context.Context, moved fitting.Moved[T], labels learn.Labels[L], weights []float64, start time.Time,
) (*Classifier[T, L], error) {
	x := moved.Points
	n, classes := int64(x.Len()), len(labels.Classes)
	features := fitting.ExplicitOf(c.Kernel, x)
	if features != nil && (int64(features.Dim) >= n || 8*n*int64(features.Dim) > c.Bytes) {
		features = nil
	}
	method := c.Method
	if method == Newton && classes > 2 {
		return nil, fmt.Errorf("Newton is for two classes, not %d; use Truncated", classes)
	}
	if method == Auto {
		method = Truncated
		if classes == 2 && features == nil && n <= exactNewtonUpTo && 24*n*n <= c.Bytes {
			method = Newton
		}
	}
	primal := c.Method == Auto && classes == 2 && features != nil && features.Dim <= primalUpTo &&
		16*n*int64(features.Dim) <= c.Bytes
	if primal && features.Linear {
		if m, err := c.fitWeights(ctx, moved, features, labels, weights, start); m != nil || err != nil {
			return m, err
		}
	}
	x = data.Own(x)
	var g gram.Accessor
	var err error
	bytes := int64(0)
	switch {
	case method == Newton:
		bytes = 24 * n * n
		if bytes > c.Bytes {
			return nil, &learn.OverBudget{Learner: "logistic", Points: x.Len(), Needs: bytes, Budget: c.Bytes,
				Instead: "use Truncated"}
		}
		g, err = gram.New(ctx, c.Kernel, x, gram.Options{Layout: gram.Full, Threads: c.Threads, Bytes: c.Bytes})
	case features != nil: // K = Φ·Φᵀ
		phi := linalg.New[float64](x.Len(), features.Dim)
		features.Fill(ctx, phi)
		bytes = 8 * n * int64(features.Dim)
		g = gram.FromFactor(linalg.Dense(phi), c.Threads)
	default:
		g, err = gram.New(ctx, c.Kernel, x, gram.Options{Threads: c.Threads, Bytes: c.Bytes})
		if bytes = 8 * n * n; bytes > c.Bytes {
			bytes = 0
		}
	}
	if err != nil {
		return nil, err
	}
	var means []float64
	if c.Intercept {
		centred, err := gram.Center(g)
		if err != nil {
			return nil, err
		}
		means, _ = centred.Means()
		if method == Newton {
			centred.Block(linalg.Dense(linalg.Matrix[float64](g.(gram.Dense).RawMatrix())), 0, 0)
		} else {
			g = centred
		}
	}
	risk := &logisticRisk{g: g, lambda: c.Lambda, code: labels.Code, weight: weights, outputs: 1, intercept: c.Intercept,
		unit: meanDiagonal(g) / c.Lambda}
	if !(risk.unit > 0) || math.IsInf(risk.unit, 0) {
		risk.unit = 1
	}
	if classes > 2 {
		risk.outputs = classes
	}
	var s *logisticSolution
	if method == Newton {
		s, err = risk.newton(ctx, linalg.Matrix[float64](g.(gram.Dense).RawMatrix()), c.Threads, c.Tol, c.MaxIterations,
			c.Trace)
	} else {
		if primal && !features.Linear {
			s, err = risk.primal(ctx, features, c.Threads, c.Tol, c.MaxIterations, c.Trace)
		}
		if s == nil && err == nil {
			s, err = risk.truncated(ctx, c.Tol, c.MaxIterations, c.Trace)
		}
	}
	if err != nil {
		return nil, err
	}
	if c.Intercept {
		s.uncentre(means)
	}
	f := &rkhs.Func[T]{Kernel: c.Kernel, Centers: x, Coef: mat.NewDense(x.Len(), risk.outputs, s.alpha)}
	if features != nil && features.Linear {
		f = linearFunc(f)
	}
	if c.Intercept {
		f.Bias = s.bias
		f = moved.Back(f)
	}
	return newClassifier(f, labels.Classes, true, c.report(ctx, x, s, bytes, start)), fitting.FiniteCoefficients(f)
}

// fitWeights finds the function of a linear kernel by its weights; nil where that does not get
// there.
func (c *Regression[T, L]) fitWeights(
	ctx context.Context, moved fitting.Moved[T], e *fitting.ExplicitFeatures, labels learn.Labels[L], weights []float64,
	start time.Time,
) (*Classifier[T, L], error) {
	p := newPrimalProblem(ctx, e, labels.Code, weights, c.Lambda, c.Intercept, c.Threads)
	at, first, steps, err := p.minimise(ctx, 0.1*c.Tol, c.Tol, c.MaxIterations, c.Trace)
	if err != nil || at == nil {
		return nil, err
	}
	s := &logisticSolution{value: at.value, steps: steps}
	if first > 0 {
		s.certificate = at.norm / first
	}
	if s.certificate > c.Tol {
		return nil, nil
	}
	f, err := fitting.PrimalFunc(ctx, c.Threads, c.Kernel, moved.Points, e, linalg.Matrix[float64]{},
		fitting.Column(at.u[:e.Dim]))
	if err != nil {
		return nil, err
	}
	if c.Intercept { // ⟨u, x - mean⟩ + b
		f.Bias = []float64{at.u[e.Dim] - simd.Dot(at.u[:e.Dim], p.mean[:e.Dim])}
		f = moved.Back(f)
	}
	return newClassifier(f, labels.Classes, true, c.report(ctx, moved.Points, s, 16*int64(len(p.x.Data)), start)),
		fitting.FiniteCoefficients(f)
}

// report says how a solution was found.
func (c *Regression[T, L]) report(
	ctx context.Context, x data.Points[T], s *logisticSolution, bytes int64, start time.Time,
) learn.Report {
	r := learn.Report{
		Learner: "logistic", Iterations: s.steps, Objective: s.value, Certificate: s.certificate,
		Certified: "relative gradient norm",
		Converged: s.certificate <= c.Tol, Bytes: bytes, Warnings: fitting.Doubts(ctx, c.Kernel, x, c.Resources),
	}
	if !r.Converged {
		r.Warnings = append(r.Warnings, fmt.Sprintf("gradient norm %.2g is above the tolerance %.2g after %d steps",
			s.certificate, c.Tol, s.steps))
	}
	r.Elapsed = time.Since(start)
	return r
}

// meanDiagonal is the mean of k(x, x).
func meanDiagonal(g gram.Gram) float64 {
	n, _ := g.Dims()
	d, mean := make([]float64, n), 0.0
	g.Diag(d)
	for _, v := range d {
		mean += v / float64(n)
	}
	return mean
}

// linearFunc gathers an expansion of the linear kernel into one centre for each
// output: Σ αᵢ⟨xᵢ, x⟩ = ⟨Σ αᵢxᵢ, x⟩.
func linearFunc[T any](f *rkhs.Func[T]) *rkhs.Func[T] {
	points, ok := data.VectorsOf(f.Centers)
	if !ok {
		return f // of no vectors: it stays a sum over its centres
	}
	m := f.Outputs()
	w, coef := linalg.New[float64](m, len(points.At(0))), linalg.New[float64](m, m)
	for i := range points.Len() {
		for c := range m {
			a := f.Coef.At(i, c)
			for j, v := range points.At(i) {
				w.Row(c)[j] += a * v
			}
		}
	}
	for c := range m {
		coef.Set(c, c, 1)
	}
	return &rkhs.Func[T]{Kernel: f.Kernel, Centers: data.FromVectors[T](data.RowsOf(w)), Coef: linalg.Dense(coef)}
}

// Classifier is a fitted Regression or L1. Its function is the log odds of the larger label for two
// classes, else a score for each class in order.
type Classifier[T any, L cmp.Ordered] struct {
	learn.ExpansionClassifier[T, L]
	softmax bool // more than two classes are one model, not one against the rest
}

// NewClassifier is the model of log odds of the larger of two labels, or of a score for each of
// more classes of one model, found elsewhere.
func NewClassifier[T any, L cmp.Ordered](f *rkhs.Func[T], classes []L, r learn.Report) *Classifier[T, L] {
	return newClassifier(f, classes, true, r)
}

func newClassifier[T any, L cmp.Ordered](f *rkhs.Func[T], classes []L, softmax bool, r learn.Report) *Classifier[T, L] {
	return &Classifier[T, L]{*learn.NewExpansionClassifier(f, classes, nil, r), softmax}
}

// HasProba is true.
func (m *Classifier[T, L]) HasProba() bool { return true }

// Proba returns the probability of each class (a column, in the order of
// Classes), a row for each point.
func (m *Classifier[T, L]) Proba(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.Matrix(x, len(m.Classes()), func(dst *mat.Dense) error { return m.ProbaTo(ctx, dst, x) })
}

// ProbaTo writes the probabilities of point i to row i of dst.
func (m *Classifier[T, L]) ProbaTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	return learn.ProbaFrom(ctx, m, dst, x, func(p, f []float64) {
		switch {
		case len(f) == 1:
			p[0], p[1] = sigmoid.Of(-f[0]), sigmoid.Of(f[0])
		case m.softmax:
			z := sigmoid.LogSumExp(f)
			for c, v := range f {
				p[c] = math.Exp(v - z)
			}
		default: // one against the rest, scaled to sum to 1
			sum := 0.0
			for c, v := range f {
				p[c] = sigmoid.Of(v)
				sum += p[c]
			}
			for c := range f {
				p[c] /= sum
			}
		}
	})
}
