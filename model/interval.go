package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
)

// ErrNoIntervals is wrapped by the error of a model that was asked for intervals it has nothing to
// make of.
var ErrNoIntervals = errors.New("the model has no intervals")

// IntervalError says that a model was fitted with too few rows held out for intervals of a level.
type IntervalError struct {
	Level float64
	Rows  int // held out
}

// Most is the highest level that the rows allow.
func (e *IntervalError) Most() float64 { return float64(e.Rows) / float64(e.Rows+1) }

func (e *IntervalError) Error() string {
	return fmt.Sprintf("an interval that holds %g of all observations takes more than the %d rows that were held out; "+
		"they are good for %.3g", e.Level, e.Rows, e.Most())
}

// HasIntervals says whether the model gives intervals: it has a distribution, or residuals of rows
// that were held out.
func (m *Model) HasIntervals() bool { return m.body.hasStd() || len(m.info.Residuals) > 0 }

// CheckInterval says whether the model can give intervals of a level: the error is an
// *IntervalError where it takes more rows than were held out, and wraps ErrNoIntervals where there
// are none.
func (m *Model) CheckInterval(level float64) error {
	_, err := m.intervalWidth(&Want{Interval: level})
	return err
}

// intervalWidth is half the width of the interval of prediction i, nil where none are asked for. It
// adds to what is wanted what it needs.
//
// It is the k-th smallest of n residuals on rows that were held out, k = ⌈(n+1)·level⌉: whatever
// the model, an interval so made holds a new observation with a probability of at least level, if
// it comes from where the held-out rows came from (split conformal prediction; Lei, G'Sell,
// Rinaldo, Tibshirani & Wasserman, JASA 113, 2018, theorem 2 and section 5.2). A model with a
// distribution of its own has wider intervals where it knows less: its residuals are in units of
// the standard deviation of an observation. Where too few rows were held out for the level, and for
// the mean, it takes the quantile of the normal distribution, which is what the model itself
// expects. A model of another distribution, such as counts, has its quantiles (distributed).
func (m *Model) intervalWidth(w *Want) (func(p *Prediction, i int) float64, error) {
	level := w.Interval
	switch {
	case level == 0 && !w.OfMean:
		return nil, nil
	case !(level > 0 && level < 1):
		return nil, fmt.Errorf("an interval for a share of %g; give a number between 0 and 1, as 0.9", level)
	case w.OfMean && !m.body.hasStd():
		return nil, fmt.Errorf("%w of the mean: %s has no distribution; a Gaussian process has", ErrNoIntervals, m.Learner())
	case !m.HasIntervals():
		return nil, fmt.Errorf("%w: it predicts classes, or no rows were held out when it was fitted", ErrNoIntervals)
	}
	n := len(m.info.Residuals)
	rank := int(math.Ceil(float64(n+1) * level * (1 - 1e-15))) // 0.9 is a little more than nine tenths
	half := math.Sqrt2 * math.Erfinv(level)
	switch {
	case rank <= n && !w.OfMean:
		half = m.info.Residuals[rank-1]
	case !m.body.hasStd():
		return nil, &IntervalError{level, n}
	}
	switch {
	case w.OfMean:
		w.Std = true
		return func(p *Prediction, i int) float64 { return half * p.Std[i] }, nil
	case m.body.hasStd():
		w.Std = true
		return func(p *Prediction, i int) float64 { return half * p.ObservationStd[i] }, nil
	}
	return func(*Prediction, int) float64 { return half }, nil
}

// distributed is a model whose observations have a distribution of their own, such as counts: its
// intervals are quantiles of that, and not symmetric.
type distributed interface {
	Interval(ctx context.Context, x data.Points[any], share float64, ofMean bool) (low, high []float64, err error)
}

// mostResiduals is how many residuals a model keeps: quantiles of more would differ by less than
// their own chance.
const mostResiduals = 1<<12 - 1

// ThinResiduals sorts absolute residuals for Info. Of many it keeps some, spread so that the k-th
// of n kept has the rank k/(n+1) that the conformal quantile asks for.
func ThinResiduals(residuals []float64) []float64 {
	sorted := slices.Clone(residuals)
	slices.Sort(sorted)
	n := len(sorted)
	if n <= mostResiduals {
		return sorted
	}
	out := make([]float64, mostResiduals)
	for k := range out {
		rank := int(math.Ceil(float64(k+1) * float64(n+1) / float64(mostResiduals+1)))
		out[k] = sorted[min(rank, n)-1]
	}
	return out
}

func checkResiduals(r []float64, classes int) error {
	if classes > 0 && len(r) > 0 {
		return fmt.Errorf("%d residuals of a model of %d classes", len(r), classes)
	}
	for i, v := range r {
		if !(v >= 0) || math.IsInf(v, 0) || i > 0 && v < r[i-1] {
			return fmt.Errorf("residual %d is %g; they are absolute, finite and increasing", i, v)
		}
	}
	return nil
}
