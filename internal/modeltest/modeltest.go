// Package modeltest asks fitted models in tests: each function calls the method of its name with
// the test's own context and ends the test on an error, so that a test may write an answer where it
// uses it. What is expected to fail is asked by the method itself.
//
// The models are anything with such a method, of any package: the type arguments follow from the
// method.
package modeltest

import (
	"context"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// Must returns v, and ends the test where err is not nil:
//
//	m := modeltest.Must(learner.Fit(ctx, x, y))(t)
func Must[V any](v V, err error) func(testing.TB) V {
	return func(t testing.TB) V {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Predict returns what m predicts for the points: numbers, labels or anything else.
func Predict[R, T any](t testing.TB, m interface {
	Predict(ctx context.Context, x data.Points[T]) ([]R, error)
}, x data.Points[T]) []R {
	t.Helper()
	return Must(m.Predict(t.Context(), x))(t)
}

// PredictMulti returns all outputs of m, a row for each point.
func PredictMulti[T any](t testing.TB, m interface {
	PredictMulti(ctx context.Context, x data.Points[T]) (*mat.Dense, error)
}, x data.Points[T]) *mat.Dense {
	t.Helper()
	return Must(m.PredictMulti(t.Context(), x))(t)
}

// Decision returns the decision values, a row for each point.
func Decision[T any](t testing.TB, m interface {
	Decision(ctx context.Context, x data.Points[T]) (*mat.Dense, error)
}, x data.Points[T]) *mat.Dense {
	t.Helper()
	return Must(m.Decision(t.Context(), x))(t)
}

// Proba returns the class probabilities, a row for each point.
func Proba[T any](t testing.TB, m interface {
	Proba(ctx context.Context, x data.Points[T]) (*mat.Dense, error)
}, x data.Points[T]) *mat.Dense {
	t.Helper()
	return Must(m.Proba(t.Context(), x))(t)
}

// Votes returns the votes for each class, a row for each point.
func Votes[T any](t testing.TB, m interface {
	Votes(ctx context.Context, x data.Points[T]) (*mat.Dense, error)
}, x data.Points[T]) *mat.Dense {
	t.Helper()
	return Must(m.Votes(t.Context(), x))(t)
}

// Variance returns the variances: a number for each point, or a row for each where the model has
// several outputs.
func Variance[V, T any](t testing.TB, m interface {
	Variance(ctx context.Context, x data.Points[T]) (V, error)
}, x data.Points[T]) V {
	t.Helper()
	return Must(m.Variance(t.Context(), x))(t)
}

// Std returns the standard deviation at each point.
func Std[T any](t testing.TB, m interface {
	Std(ctx context.Context, x data.Points[T]) ([]float64, error)
}, x data.Points[T]) []float64 {
	t.Helper()
	return Must(m.Std(t.Context(), x))(t)
}

// Covariance returns the covariance of the function between the points.
func Covariance[T any](t testing.TB, m interface {
	Covariance(ctx context.Context, x data.Points[T]) (*mat.Dense, error)
}, x data.Points[T]) *mat.Dense {
	t.Helper()
	return Must(m.Covariance(t.Context(), x))(t)
}
