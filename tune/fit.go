package tune

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Fitted is a model with how it came about. Exactly one of Model and Custom is set.
type Fitted[T any] struct {
	Learner string
	Kernel  kernel.Kernel[T]   // with the parameters found, where the learner finds them
	Params  map[string]float64 // the learner's
	Task    data.Task
	Rows    int // fitted on: fewer than given where the search was stopped
	Classes []string
	Model   learn.Model[T] // a learn.Regressor, or a learn.Classifier whose labels are indices of Classes
	Custom  Predictor[T]

	classes int
	use     *learn.Learner[T] // that fitted it, where it is not the one in the table
}

// fitOne fits a learner at one setting.
func fitOne[T any](ctx context.Context, s *space[T], set learn.Settings[T], p learn.Problem[T]) (*Fitted[T], error) {
	out := &Fitted[T]{Learner: s.Learner, Kernel: set.Kernel, Params: set.Params, Task: p.Task, Rows: p.Len(), Classes: p.Classes, classes: p.ClassCount(), use: s.Use}
	var err error
	if s.Custom != nil {
		out.Custom, err = s.Custom.Fit(ctx, set.Kernel, set.Params, p)
	} else {
		out.Model, err = s.entry.Fit(ctx, set, p)
	}
	if err != nil {
		return nil, err
	}
	if k, ok := out.Model.(interface{ Kernel() kernel.Kernel[T] }); ok {
		out.Kernel = k.Kernel()
	}
	return out, nil
}

// settings is what a fit of a cell is told.
func (e *engine[T]) settings(s *space[T], k kernel.Kernel[T], params map[string]float64, threads int, proba bool) learn.Settings[T] {
	return learn.Settings[T]{Kernel: k, Params: params, NoIntercept: s.NoIntercept, Proba: proba, Tol: e.tol,
		Resources: learn.Resources{Threads: threads, Bytes: e.bytes, Device: e.device}}
}

// PredictAll asks the model for all it can say about points.
func (f *Fitted[T]) PredictAll(ctx context.Context, x data.Points[T]) (learn.Predictions, error) {
	if f.Custom != nil {
		return f.Custom.PredictAll(ctx, x)
	}
	return learn.PredictAll(ctx, f.Model, f.classes, x)
}

// known is all that the model can say about points, beside what is known of them.
func (f *Fitted[T]) known(ctx context.Context, test learn.Problem[T]) (learn.Predictions, error) {
	if f.Custom == nil {
		return learn.PredictKnown(ctx, f.Model, f.classes, test)
	}
	p, err := f.Custom.PredictAll(ctx, test.Points)
	return test.Complete(f.classes, p), err
}
