// Package learn holds the supervised learners. Each is a configuration with
// documented zero values; Fit returns an immutable model around an rkhs.Func.
package learn

import (
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/rkhs"
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
	// Predict returns a value for each point, in dst when it is long enough.
	Predict(dst []float64, x data.Points[T]) []float64
}

// Classifier is a model that predicts a label.
type Classifier[T, L any] interface {
	Model[T]
	// Classes lists the labels in increasing order.
	Classes() []L
	// Predict returns a label for each point, in dst when it is long enough.
	Predict(dst []L, x data.Points[T]) []L
}
