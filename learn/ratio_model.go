package learn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/learn/sigmoid"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Ratio is what models have in common that divide by the sum of kernel values at a point,
//
//	y_o(x) = Σⱼ βⱼₒ k(cⱼ, x) / Σⱼ vⱼ k(cⱼ, x) + b_o:
//
// kernel regression (Nadaraya 1964, Watson 1964) and networks on a normalised basis (Moody and
// Darken 1989). The outputs of its function are the numerators and, last, the denominator. Where
// that is 0, far from all centres, y_o is a constant that the model has for it.
type Ratio[T any] struct {
	f       *rkhs.Func[T]
	bias    []float64 // b
	far     []float64 // y where there is nothing near
	support []int
	report  Report
}

// NewRatio makes the common part of a function whose last output is the denominator. The function
// has no biases of its own.
func NewRatio[T any](f *rkhs.Func[T], bias, far []float64, support []int, r Report) Ratio[T] {
	return Ratio[T]{f.Prepare(), bias, far, support, r}
}

// Func has the numerators and the denominator: its value is not what Predict gives.
func (m *Ratio[T]) Func() *rkhs.Func[T] { return m.f }

// Report says how the fit went.
func (m *Ratio[T]) Report() Report { return m.report }

// Support lists the training points that are centres, in increasing order; nil where they are none.
func (m *Ratio[T]) Support() []int { return slices.Clone(m.support) }

// values writes y_o of point i to row i of dst.
func (m *Ratio[T]) values(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	outputs := len(m.bias)
	if err := apply.CheckDims(dst, x.Len(), outputs); err != nil || x.Len() == 0 {
		return err
	}
	return apply.With(x.Len(), outputs+1, func(all *mat.Dense) error {
		if err := apply.To(ctx, m.f, all, x); err != nil {
			return err
		}
		for i := range x.Len() {
			row := all.RawRowView(i)
			for o := range outputs {
				y := row[o] / row[outputs]
				if math.IsNaN(y) || math.IsInf(y, 0) {
					dst.Set(i, o, m.far[o])
				} else {
					dst.Set(i, o, y+m.bias[o])
				}
			}
		}
		return nil
	})
}

// saved is the model as plain data: the arrays "bias" and "far" are those of the ratios.
func (m *Ratio[T]) saved(classes int) Saved[T] {
	s := Saved[T]{Learner: savedName(m.report.Learner), Func: m.f, Classes: classes, Report: m.report,
		Arrays: supportArray(m.support)}
	if s.Arrays == nil {
		s.Arrays = map[string]*mat.Dense{}
	}
	s.Arrays["bias"], s.Arrays["far"] = mat.NewDense(1, len(m.bias), slices.Clone(m.bias)),
		mat.NewDense(1, len(m.far), slices.Clone(m.far))
	return s
}

// ratio is the common part of plain data with so many ratios.
func (s Saved[T]) ratio(outputs int) (Ratio[T], error) {
	var none Ratio[T]
	if err := s.CheckOutputs(outputs + 1); err != nil {
		return none, err
	}
	if s.Func.Bias != nil {
		return none, fmt.Errorf("biases of numerators")
	}
	bias, err := s.Array("bias", 1, outputs)
	if err != nil {
		return none, err
	}
	far, err := s.Array("far", 1, outputs)
	if err != nil {
		return none, err
	}
	support, err := s.support()
	return NewRatio(s.Func, bias.RawRowView(0), far.RawRowView(0), support, s.Report), err
}

// RatioRegressor is a Ratio that predicts a number.
type RatioRegressor[T any] struct{ Ratio[T] }

// Predict returns a value for each point.
func (m *RatioRegressor[T]) Predict(ctx context.Context, x data.Points[T]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.PredictTo(ctx, dst, x) })
}

// PredictTo writes the value of point i to dst[i].
func (m *RatioRegressor[T]) PredictTo(ctx context.Context, dst []float64, x data.Points[T]) error {
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	if err := apply.CheckLen(len(dst), x.Len()); err != nil || x.Len() == 0 {
		return err
	}
	return m.values(ctx, mat.NewDense(len(dst), 1, dst), x)
}

// Saved returns the model as plain data.
func (m *RatioRegressor[T]) Saved() Saved[T] { return m.saved(0) }

// RestoreRatio makes a RatioRegressor of plain data.
func RestoreRatio[T any](s Saved[T]) (Model[T], error) {
	if err := s.CheckValues(); err != nil {
		return nil, err
	}
	r, err := s.ratio(1)
	if err != nil {
		return nil, err
	}
	return &RatioRegressor[T]{r}, nil
}

// RatioClassifier is a Ratio that tells classes apart: its ratios are log odds, one for two classes
// and else one for each class against the rest, or, where Shares is set, shares of the classes.
type RatioClassifier[T any, L cmp.Ordered] struct {
	Ratio[T]
	Shares bool
	Labels []L // in increasing order
}

// Classes lists the labels in increasing order.
func (m *RatioClassifier[T, L]) Classes() []L { return slices.Clone(m.Labels) }

func (m *RatioClassifier[T, L]) labels() []L { return m.Labels }

// Decisions is 1 for two classes, else their number.
func (m *RatioClassifier[T, L]) Decisions() int {
	if len(m.Labels) == 2 {
		return 1
	}
	return len(m.Labels)
}

// Decision returns the decision values, a row for each point: log odds, or shares of the classes
// (of two the second less the first).
func (m *RatioClassifier[T, L]) Decision(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.Matrix(x, m.Decisions(), func(dst *mat.Dense) error { return m.DecisionTo(ctx, dst, x) })
}

// DecisionTo writes the decision values of point i to row i of dst.
func (m *RatioClassifier[T, L]) DecisionTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	if !m.Shares || len(m.Labels) > 2 {
		return m.values(ctx, dst, x)
	}
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	if err := apply.CheckDims(dst, x.Len(), 1); err != nil || x.Len() == 0 {
		return err
	}
	return apply.With(x.Len(), 2, func(both *mat.Dense) error {
		if err := m.values(ctx, both, x); err != nil {
			return err
		}
		for i := range x.Len() {
			dst.Set(i, 0, both.At(i, 1)-both.At(i, 0))
		}
		return nil
	})
}

// Predict returns a label for each point.
func (m *RatioClassifier[T, L]) Predict(ctx context.Context, x data.Points[T]) ([]L, error) {
	return apply.Slice(x, func(dst []L) error { return m.PredictTo(ctx, dst, x) })
}

// PredictTo writes the label of point i to dst[i].
func (m *RatioClassifier[T, L]) PredictTo(ctx context.Context, dst []L, x data.Points[T]) error {
	return PredictFrom(ctx, m, dst, x, DecideOneVsRest)
}

// HasProba is true.
func (m *RatioClassifier[T, L]) HasProba() bool { return true }

// Proba returns a row of class probabilities for each point.
func (m *RatioClassifier[T, L]) Proba(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.Matrix(x, len(m.Labels), func(dst *mat.Dense) error { return m.ProbaTo(ctx, dst, x) })
}

// ProbaTo writes the class probabilities of point i to row i of dst.
func (m *RatioClassifier[T, L]) ProbaTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	if m.Shares {
		return ProbaFrom(ctx, m, dst, x, shareProba)
	}
	return ProbaFrom(ctx, m, dst, x, logOddsProba)
}

// shareProba makes probabilities p of shares d: of two classes, of the second less the first.
func shareProba(p, d []float64) {
	if len(p) == 2 {
		p[1] = min(max((1+d[0])/2, 0), 1)
		p[0] = 1 - p[1]
		return
	}
	copy(p, d)
	toOne(p)
}

// logOddsProba makes probabilities p of log odds d, of each class against the rest.
func logOddsProba(p, d []float64) {
	if len(p) == 2 {
		p[0], p[1] = sigmoid.Of(-d[0]), sigmoid.Of(d[0])
		return
	}
	for c := range p {
		p[c] = sigmoid.Of(d[c])
	}
	toOne(p)
}

// toOne scales probabilities, each more than nothing, to sum to 1.
func toOne(p []float64) {
	total := 0.0
	for c := range p {
		p[c] = max(p[c], 1e-300)
		total += p[c]
	}
	for c := range p {
		p[c] /= total
	}
}

// Saved returns the model as plain data; the number "shares" is 1 where the ratios are shares.
func (m *RatioClassifier[T, L]) Saved() Saved[T] {
	s := m.saved(len(m.Labels))
	s.Numbers = map[string]float64{"shares": 0}
	if m.Shares {
		s.Numbers["shares"] = 1
	}
	return s
}

// RestoreRatioClassifier makes a RatioClassifier of plain data.
func RestoreRatioClassifier[T any](s Saved[T]) (Model[T], error) {
	if err := s.CheckCount(); err != nil {
		return nil, err
	}
	m := &RatioClassifier[T, int]{Shares: s.Numbers["shares"] != 0, Labels: s.Codes()}
	outputs := s.Classes
	if !m.Shares && outputs == 2 {
		outputs = 1
	}
	var err error
	if m.Ratio, err = s.ratio(outputs); err != nil {
		return nil, err
	}
	return m, nil
}
