package learn

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/learn/sigmoid"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// ExpansionRegressor is a fitted regression that is nothing but its function
// f(x) = Σ αᵢ k(cᵢ, x) + b and the training points it kept.
type ExpansionRegressor[T any] struct {
	f       *rkhs.Func[T]
	support []int
	report  Report
}

// NewExpansionRegressor makes the model of a function. support lists the training points that are
// its centres, in increasing order; nil where they are none.
func NewExpansionRegressor[T any](f *rkhs.Func[T], support []int, r Report) *ExpansionRegressor[T] {
	return &ExpansionRegressor[T]{f: f.Prepare(), support: support, report: r}
}

// Func is the regression function.
func (m *ExpansionRegressor[T]) Func() *rkhs.Func[T] { return m.f }

// Report says how the fit went.
func (m *ExpansionRegressor[T]) Report() Report { return m.report }

// WithReport is the same model with another report.
func (m *ExpansionRegressor[T]) WithReport(r Report) *ExpansionRegressor[T] {
	return &ExpansionRegressor[T]{m.f, m.support, r}
}

// Support lists the training points the function retains, in increasing order;
// nil where the centres are not training points.
func (m *ExpansionRegressor[T]) Support() []int { return slices.Clone(m.support) }

// Predict returns the first output of the function at each point.
func (m *ExpansionRegressor[T]) Predict(ctx context.Context, x data.Points[T]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.PredictTo(ctx, dst, x) })
}

// PredictTo writes the first output of the function at point i to dst[i].
func (m *ExpansionRegressor[T]) PredictTo(ctx context.Context, dst []float64, x data.Points[T]) error {
	if m.f.Outputs() == 1 {
		return apply.Column(ctx, m.f, dst, x)
	}
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	if err := apply.CheckLen(len(dst), x.Len()); err != nil {
		return err
	}
	return apply.With(len(dst), m.f.Outputs(), func(all *mat.Dense) error {
		if err := apply.To(ctx, m.f, all, x); err != nil {
			return err
		}
		for i := range dst {
			dst[i] = all.At(i, 0)
		}
		return nil
	})
}

// ExpansionClassifier is a fitted classifier that is nothing but its decision
// function and the training points it kept: one output for two classes,
// positive for the larger label, else one for each class in order, of which
// the largest wins.
type ExpansionClassifier[T any, L cmp.Ordered] struct {
	f       *rkhs.Func[T]
	classes []L
	support []int
	report  Report
}

// NewExpansionClassifier makes the model of a decision function; see NewExpansionRegressor.
func NewExpansionClassifier[T any, L cmp.Ordered](
	f *rkhs.Func[T], classes []L, support []int, r Report,
) *ExpansionClassifier[T, L] {
	return &ExpansionClassifier[T, L]{f: f.Prepare(), classes: classes, support: support, report: r}
}

// Func is the decision function.
func (m *ExpansionClassifier[T, L]) Func() *rkhs.Func[T] { return m.f }

// Report says how the fit went.
func (m *ExpansionClassifier[T, L]) Report() Report { return m.report }

// WithReport is the same model with another report.
func (m *ExpansionClassifier[T, L]) WithReport(r Report) *ExpansionClassifier[T, L] {
	return &ExpansionClassifier[T, L]{m.f, m.classes, m.support, r}
}

// Classes lists the labels in increasing order.
func (m *ExpansionClassifier[T, L]) Classes() []L { return slices.Clone(m.classes) }

// Support lists the training points that any output retains, in increasing
// order; nil where the centres are not training points.
func (m *ExpansionClassifier[T, L]) Support() []int { return slices.Clone(m.support) }

// Decisions is 1 for two classes, else their number.
func (m *ExpansionClassifier[T, L]) Decisions() int { return m.f.Outputs() }

// Decision returns the decision values, a row for each point.
func (m *ExpansionClassifier[T, L]) Decision(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.New(ctx, m.f, x)
}

// DecisionTo writes the decision values of point i to row i of dst.
func (m *ExpansionClassifier[T, L]) DecisionTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	return apply.To(ctx, m.f, dst, x)
}

// Predict returns the label of each point.
func (m *ExpansionClassifier[T, L]) Predict(ctx context.Context, x data.Points[T]) ([]L, error) {
	return apply.Slice(x, func(dst []L) error { return m.PredictTo(ctx, dst, x) })
}

// PredictTo writes the label of point i to dst[i].
func (m *ExpansionClassifier[T, L]) PredictTo(ctx context.Context, dst []L, x data.Points[T]) error {
	return PredictFrom(ctx, m, dst, x, DecideOneVsRest)
}

// PredictFrom writes labels that follow from decision values: decide has the class code of a row of
// them. It is what the PredictTo of a classifier of one's own may call.
func PredictFrom[T, L any](
	ctx context.Context, m Classifier[T, L], dst []L, x data.Points[T], decide func(decision []float64) int,
) error {
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	if err := apply.CheckLen(len(dst), x.Len()); err != nil {
		return err
	}
	return apply.With(len(dst), m.Decisions(), func(d *mat.Dense) error {
		if err := m.DecisionTo(ctx, d, x); err != nil {
			return err
		}
		classes := labelsOf(m)
		for i := range dst {
			dst[i] = classes[decide(d.RawRowView(i))]
		}
		return nil
	})
}

// labelsOf is the labels of a classifier, its own where it lends them: nobody writes to them.
func labelsOf[T, L any](m Classifier[T, L]) []L {
	if own, ok := m.(interface{ labels() []L }); ok {
		return own.labels()
	}
	return m.Classes()
}

func (m *ExpansionClassifier[T, L]) labels() []L { return m.classes }
func (m *LinearClassifier[T, L]) labels() []L    { return m.classes }

// PredictMostProbable writes the most probable label of each point.
func PredictMostProbable[T, L any](ctx context.Context, m interface {
	Classifier[T, L]
	Probabilistic[T]
}, dst []L, x data.Points[T]) error {
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	if err := apply.CheckLen(len(dst), x.Len()); err != nil {
		return err
	}
	classes := labelsOf(m)
	return apply.With(len(dst), len(classes), func(p *mat.Dense) error {
		if err := m.ProbaTo(ctx, p, x); err != nil {
			return err
		}
		for i := range dst {
			dst[i] = classes[ArgMax(p.RawRowView(i))]
		}
		return nil
	})
}

// ProbaFrom writes probabilities that follow from decision values: to turns a row of them into
// a row of probabilities.
func ProbaFrom[T, L any](
	ctx context.Context, m Classifier[T, L], dst *mat.Dense, x data.Points[T], to func(proba, decision []float64),
) error {
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	if err := apply.CheckDims(dst, x.Len(), len(labelsOf(m))); err != nil || x.Len() == 0 {
		return err
	}
	return apply.With(x.Len(), m.Decisions(), func(d *mat.Dense) error {
		if err := m.DecisionTo(ctx, d, x); err != nil {
			return err
		}
		for i := range x.Len() {
			to(dst.RawRowView(i), d.RawRowView(i))
		}
		return nil
	})
}

// LogOddsClassifier is an ExpansionClassifier whose decision values are log odds, so that it has
// probabilities: their logistic function, for more than two classes divided by the sum over the
// classes, each having been told apart from the rest.
type LogOddsClassifier[T any, L cmp.Ordered] struct {
	ExpansionClassifier[T, L]
}

// NewLogOddsClassifier makes the model of a function of log odds; see NewExpansionRegressor.
func NewLogOddsClassifier[T any, L cmp.Ordered](
	f *rkhs.Func[T], classes []L, support []int, r Report,
) *LogOddsClassifier[T, L] {
	return &LogOddsClassifier[T, L]{*NewExpansionClassifier(f, classes, support, r)}
}

// HasProba is true.
func (m *LogOddsClassifier[T, L]) HasProba() bool { return true }

// Proba returns a row of class probabilities for each point.
func (m *LogOddsClassifier[T, L]) Proba(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.Matrix(x, len(m.classes), func(dst *mat.Dense) error { return m.ProbaTo(ctx, dst, x) })
}

// ProbaTo writes the class probabilities of point i to row i of dst.
func (m *LogOddsClassifier[T, L]) ProbaTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	return ProbaFrom(ctx, m, dst, x, func(p, f []float64) {
		if len(p) == 2 {
			p[0], p[1] = sigmoid.Of(-f[0]), sigmoid.Of(f[0])
			return
		}
		total := 0.0
		for o := range p {
			p[o] = math.Max(sigmoid.Of(f[o]), 1e-300)
			total += p[o]
		}
		for o := range p {
			p[o] /= total
		}
	})
}
