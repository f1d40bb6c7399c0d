package learn

import (
	"context"
	"errors"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Report says how a fit went.
type Report struct {
	Learner     string
	Iterations  int
	Objective   float64
	Certificate float64 // what the stopping rule measured at the end
	Certified   string  // what Certificate is: "KKT violation", "duality gap", "relative residual" …
	Converged   bool
	Elapsed     time.Duration
	Bytes       int64 // peak memory of the big arrays
	Warnings    []string
	// what else is known of the fit: the noise that a process found, the bound on the mistakes of a
	// perceptron
	Notes []string
}

// Model is what every fitted learner offers, so that model selection, model
// files and servers treat them alike.
type Model[T any] interface {
	// Func is the decision or regression function.
	Func() *rkhs.Func[T]
	Report() Report
}

// Regressor is a model that predicts a number.
type Regressor[T any] interface {
	Model[T]
	// Predict returns a value for each point.
	Predict(ctx context.Context, x data.Points[T]) ([]float64, error)
	// PredictTo writes the value of point i to dst[i].
	PredictTo(ctx context.Context, dst []float64, x data.Points[T]) error
}

// Classifier is a model that predicts a label.
type Classifier[T, L any] interface {
	Model[T]
	// Classes lists the labels in increasing order.
	Classes() []L
	// Predict returns a label for each point.
	Predict(ctx context.Context, x data.Points[T]) ([]L, error)
	// PredictTo writes the label of point i to dst[i].
	PredictTo(ctx context.Context, dst []L, x data.Points[T]) error
	// Decision returns the decision values, a row for each point.
	Decision(ctx context.Context, x data.Points[T]) (*mat.Dense, error)
	// DecisionTo writes the decision values of point i to row i of dst, which has Decisions
	// columns.
	DecisionTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error
	// Decisions is the number of decision values of a point.
	Decisions() int
}

// Probabilistic is a classifier that may know class probabilities.
type Probabilistic[T any] interface {
	// HasProba says whether the model was fitted with probabilities.
	HasProba() bool
	// Proba returns a row of class probabilities for each point, in the order of Classes;
	// ErrNoProba where the model was fitted without them.
	Proba(ctx context.Context, x data.Points[T]) (*mat.Dense, error)
	// ProbaTo writes them to row i of dst.
	ProbaTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error
}

// Updatable is a model that goes on learning, one point after another.
type Updatable[T any] interface {
	Model[T]
	// Updatable says whether it knows all that it takes to go on: a model of an old file may not.
	Updatable() bool
	// Update learns from further points in their order: y is their values, or for a classifier the
	// places of their labels among Classes; weights may be nil. It returns the model that knows
	// them, too, and what it said of each before it learnt from it. The model itself stays as it
	// is.
	Update(ctx context.Context, x data.Points[T], y, weights []float64) (next Model[T], before []float64, err error)
}

// ErrNoProba is wrapped by the error of a model that was asked for probabilities it was fitted
// without.
var ErrNoProba = errors.New("the model was fitted without probabilities")

// Uncertain is a regressor that knows how far off its values may be.
type Uncertain[T any] interface {
	// Std returns the standard deviation of the function at each point, without the noise of an
	// observation.
	Std(ctx context.Context, x data.Points[T]) ([]float64, error)
	// StdTo writes that of point i to dst[i].
	StdTo(ctx context.Context, dst []float64, x data.Points[T]) error
	// ObservationStd returns the standard deviation of a new observation at each point, its noise
	// included: what an interval for what will be seen there is made of.
	ObservationStd(ctx context.Context, x data.Points[T]) ([]float64, error)
	// ObservationStdTo writes that of point i to dst[i].
	ObservationStdTo(ctx context.Context, dst []float64, x data.Points[T]) error
}
