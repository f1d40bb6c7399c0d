package logistic

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/internal/learn/sigmoid"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Ordinal learns grades: labels in an order, such as marks from 1 to 5. One function f places a
// point on a line, and thresholds θ₁ < … < θ_{K-1} cut the line into the grades (proportional odds,
// P. McCullagh 1980): with σ(t) = 1/(1 + e^{-t})
//
//	P(y ≤ k | x) = σ(θ_k - f(x)),
//	minimise over f, θ   -Σ wᵢ log(σ(θ_{yᵢ} - f(xᵢ)) - σ(θ_{yᵢ-1} - f(xᵢ))) + (λ/2)‖f‖².
//
// It is convex in f and θ together, and by the representer theorem f is a sum over the points, so
// that any kernel will do. Neighbouring grades share what is learnt of them, which classes do not,
// and no distance between grades is assumed, which a regression on their numbers does. The
// certificate is the norm of the gradient in the RKHS and in θ, relative to that at f = 0.
type Ordinal[T any, L cmp.Ordered] struct {
	Kernel   kernel.Kernel[T]
	Lambda   float64 // λ > 0; 0 means 1
	PerPoint bool    // λ stands for n·λ: the loss is a mean, not a sum

	Balance      learn.Balance // weights of the grades ClassWeights does not name
	ClassWeights map[L]float64 // weight of a grade
	Weights      []float64     // weight of a point; nil means 1

	Tol           float64 // relative gradient norm to reach; 0 means 1e-8
	MaxIterations int     // Newton steps; 0 means 200

	learn.Resources
}

// Fit learns from points and their grades, which are in the order of their labels.
func (c Ordinal[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (_ *OrdinalClassifier[T, L], err error) {
	defer fault.Name("ordinal", &err)
	start := time.Now()
	labels, weights, err := fitting.CheckClassification(c.Kernel, x, y, c.Balance, c.ClassWeights, c.Weights)
	if err == nil {
		err = cmp.Or(fitting.SetOrDefault("Lambda", &c.Lambda, 1), fitting.SetOrDefault("Tol", &c.Tol, 1e-8),
			fitting.SetOrDefaultInt("MaxIterations", &c.MaxIterations, 200))
	}
	if err == nil {
		c.Resources, err = c.Resources.WithDefaults()
	}
	if err != nil {
		return nil, err
	}
	if c.PerPoint {
		c.Lambda *= counting(len(y), weights)
	}
	moved := fitting.MoveToMean(c.Kernel, data.Own(x))
	m, err := fitting.Heed(ctx, func() (*OrdinalClassifier[T, L],
		error) {
		return c.fit(ctx, moved, labels, weights, start)
	})
	if err != nil {
		return nil, fitting.Explain(ctx, err, c.Kernel, moved.Points, c.Resources)
	}
	return m, nil
}

func (c Ordinal[T, L]) fit(
	ctx context.Context, moved fitting.Moved[T], labels learn.Labels[L], weights []float64, start time.Time,
) (*OrdinalClassifier[T, L], error) {
	x := moved.Points
	n := int64(x.Len())
	bytes := 24 * n * n
	if bytes > c.Bytes {
		return nil, &learn.OverBudget{Learner: "ordinal", Points: x.Len(), Needs: bytes, Budget: c.Bytes,
			Instead: "raise Bytes or take fewer points"}
	}
	g, err := gram.New(ctx, c.Kernel, x, gram.Options{Layout: gram.Full, Threads: c.Threads, Bytes: c.Bytes})
	if err != nil {
		return nil, err
	}
	risk := &ordinalRisk{k: linalg.Matrix[float64](g.(gram.Dense).RawMatrix()), lambda: c.Lambda, code: labels.Code,
		weight: weights, grades: len(labels.Classes), threads: c.Threads}
	s, err := risk.newton(ctx, c.Tol, c.MaxIterations, c.Trace)
	if err != nil {
		return nil, err
	}
	// The first threshold is the intercept: f - θ₁ is above 0 where the lowest grade is the less
	// likely one.
	f := &rkhs.Func[T]{Kernel: c.Kernel, Centers: x, Coef: mat.NewDense(x.Len(), 1, s.alpha), Bias: []float64{-s.theta[0]}}
	f = moved.Back(f)
	cuts := make([]float64, len(s.theta))
	for k, v := range s.theta {
		cuts[k] = v - s.theta[0]
	}
	report := learn.Report{
		Learner: "ordinal", Iterations: s.steps, Objective: s.value, Certificate: s.certificate,
		Certified: "relative gradient norm",
		Converged: s.certificate <= c.Tol, Bytes: bytes, Warnings: fitting.Doubts(ctx, c.Kernel, x, c.Resources),
		Elapsed: time.Since(start),
	}
	if !report.Converged {
		report.Warnings = append(report.Warnings, fmt.Sprintf("gradient norm %.2g is above the tolerance %.2g after %d steps",
			s.certificate, c.Tol, s.steps))
	}
	return &OrdinalClassifier[T, L]{*learn.NewExpansionClassifier(f, labels.Classes, nil, report), cuts},
		fitting.FiniteCoefficients(f)
}

// OrdinalClassifier is a fitted Ordinal. Its function is f - θ₁, one output whatever the number of
// grades; a point has the grade in whose stretch of the line it lies, which is the median of its
// distribution: no other has a smaller expected distance, in grades, from the truth.
type OrdinalClassifier[T any, L cmp.Ordered] struct {
	learn.ExpansionClassifier[T, L]
	cuts []float64 // θ_k - θ₁, increasing, the first 0
}

// Thresholds is where the function passes from one grade to the next: the first is 0, as they are
// counted from θ₁.
func (m *OrdinalClassifier[T, L]) Thresholds() []float64 { return slices.Clone(m.cuts) }

// Predict returns the grade of each point.
func (m *OrdinalClassifier[T, L]) Predict(ctx context.Context, x data.Points[T]) ([]L, error) {
	return apply.Slice(x, func(dst []L) error { return m.PredictTo(ctx, dst, x) })
}

// PredictTo writes the grade of point i to dst[i].
func (m *OrdinalClassifier[T, L]) PredictTo(ctx context.Context, dst []L, x data.Points[T]) error {
	return learn.PredictFrom(ctx, m, dst, x, func(f []float64) int {
		grade, _ := slices.BinarySearch(m.cuts, f[0])
		return grade
	})
}

// HasProba is true.
func (m *OrdinalClassifier[T, L]) HasProba() bool { return true }

// Proba returns the probability of each grade (a column, in the order of Classes), a row for each
// point.
func (m *OrdinalClassifier[T, L]) Proba(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.Matrix(x, len(m.cuts)+1, func(dst *mat.Dense) error { return m.ProbaTo(ctx, dst, x) })
}

// ProbaTo writes the probabilities of point i to row i of dst.
func (m *OrdinalClassifier[T, L]) ProbaTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	return learn.ProbaFrom(ctx, m, dst, x, func(p, f []float64) { gradeChances(p, m.cuts, f[0]) })
}

// ClassScores is the log probability of each grade.
func (m *OrdinalClassifier[T, L]) ClassScores(score, decision []float64) {
	gradeChances(score, m.cuts, decision[0])
	for k, p := range score {
		score[k] = math.Log(max(p, math.SmallestNonzeroFloat64))
	}
}

// gradeChances writes the probability of each grade at a place on the line, by
//
//	σ(b) - σ(a) = σ(b)·σ(-a)·(1 - e^{a-b}),
//
// which loses no digits far out.
func gradeChances(p, cuts []float64, f float64) {
	for k := range p {
		v := 1.0
		if k < len(cuts) {
			v *= sigmoid.Of(cuts[k] - f)
		}
		if k > 0 {
			v *= sigmoid.Of(f - cuts[k-1])
		}
		if k > 0 && k < len(cuts) {
			v *= -math.Expm1(cuts[k-1] - cuts[k])
		}
		p[k] = v
	}
}

// Saved returns the model as plain data; the array "thresholds" is where the grades meet.
func (m *OrdinalClassifier[T, L]) Saved() learn.Saved[T] {
	s := m.ExpansionClassifier.Saved()
	s.Learner, s.Arrays = "ordinal", map[string]*mat.Dense{"thresholds": mat.NewDense(1, len(m.cuts),
		slices.Clone(m.cuts))}
	return s
}

func restoreOrdinal[T any](s learn.Saved[T]) (learn.Model[T], error) {
	if err := cmp.Or(s.CheckCount(), s.CheckOutputs(1)); err != nil {
		return nil, err
	}
	a, err := s.Array("thresholds", 1, s.Classes-1)
	if err != nil {
		return nil, err
	}
	cuts := slices.Clone(a.RawRowView(0))
	if cuts[0] != 0 || !slices.IsSorted(cuts) {
		return nil, fmt.Errorf("thresholds %v do not increase from 0", cuts)
	}
	return &OrdinalClassifier[T, int]{*learn.NewExpansionClassifier(s.Func, s.Codes(), nil, s.Report), cuts}, nil
}
