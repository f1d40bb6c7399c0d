// Package savedtest checks that a model comes back from plain data as it was.
package savedtest

import (
	"context"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// RoundTrip restores a model from its plain data and wants the same predictions, probabilities and
// deviations to the bit; with another number of classes the data are to be refused. L is what the
// model predicts.
func RoundTrip[L comparable, T any](
	t testing.TB, what string, m learn.Saver[T], restore learn.Restorer[T], x data.Points[T],
) {
	t.Helper()
	type predictor interface {
		Predict(ctx context.Context, x data.Points[T]) ([]L, error)
	}
	back := modeltest.Must(restore(m.Saved()))(t)
	if got, want := modeltest.Predict(t, back.(predictor), x), modeltest.Predict(t, m.(predictor), x); !slices.Equal(got,
		want) {
		t.Errorf("%s: predictions %v, of the model that was saved %v", what, got, want)
	}
	if p, ok := m.(learn.Probabilistic[T]); ok {
		q, ok := back.(learn.Probabilistic[T])
		if has := ok && q.HasProba(); has != p.HasProba() || has &&
			!mat.Equal(modeltest.Proba(t, p, x), modeltest.Proba(t, q, x)) {
			t.Errorf("%s: other probabilities", what)
		}
	}
	if p, ok := m.(learn.Uncertain[T]); ok && !slices.Equal(modeltest.Std(t, p, x),
		modeltest.Std(t, back.(learn.Uncertain[T]), x)) {
		t.Errorf("%s: other deviations", what)
	}
	s := m.Saved()
	s.Classes += 5
	if _, err := restore(s); err == nil {
		t.Errorf("%s: restored with %d classes", what, s.Classes)
	}
}
