package tune

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Fitted is a model with how it came about. Exactly one of Model and Custom is set.
type Fitted struct {
	Learner string
	Kernel  kernel.Kernel[any] // with the parameters found, where the learner finds them
	Params  map[string]float64 // the learner's
	Task    data.Task
	Rows    int // fitted on: fewer than given where the search was stopped
	Classes []string
	Model   learn.Model[any] // a learn.Regressor, or a learn.Classifier whose labels are indices of Classes
	Custom  Predictor

	classes int
	use     *learn.Learner // that fitted it, where it is not the one in the table
}

// fitOne fits a learner at one setting.
func fitOne(ctx context.Context, s *space, set learn.Settings, p learn.Problem[any]) (*Fitted, error) {
	var err error
	if set.Kernel, err = fittedTo(ctx, set.Kernel, p, set.Threads); err != nil {
		return nil, err
	}
	out := &Fitted{Learner: s.Learner, Kernel: set.Kernel, Params: set.Params, Task: p.Task, Rows: p.Len(),
		Classes: p.Classes, classes: p.ClassCount(), use: s.Use}
	if s.Custom != nil {
		out.Custom, err = s.Custom.Fit(ctx, set.Kernel, set.Params, p)
	} else {
		out.Model, err = s.entry.Fit(ctx, set, p)
	}
	if err != nil {
		return nil, err
	}
	if k, ok := out.Model.(interface{ Kernel() kernel.Kernel[any] }); ok {
		out.Kernel = k.Kernel()
	}
	return out, nil
}

// fittedTo is a kernel that is fitted to the rows of a problem, where it is one that has to be; any
// other is itself.
func fittedTo(
	ctx context.Context, k kernel.Kernel[any], p learn.Problem[any], threads int,
) (kernel.Kernel[any], error) {
	return kernel.Learn(ctx, k, kernel.Examples{Points: p.Points, Targets: p.Y, Classes: p.ClassCount(),
		Weights: p.FitWeights(), Threads: threads})
}

// settings is what a fit of a cell is told.
func (e *engine) settings(
	s *space, k kernel.Kernel[any], params map[string]float64, threads int, proba bool,
) learn.Settings {
	return learn.Settings{Kernel: k, Params: params, Hold: s.hold, NoIntercept: s.NoIntercept, Proba: proba, Tol: e.tol,
		Resources: learn.Resources{Threads: threads, Bytes: e.bytes, Device: e.device}}
}

// PredictAll asks the model for all it can say about points.
func (f *Fitted) PredictAll(ctx context.Context, x data.Points[any]) (learn.Predictions, error) {
	if f.Custom != nil {
		return f.Custom.PredictAll(ctx, x)
	}
	return learn.PredictAll(ctx, f.Model, f.classes, x)
}

// known is all that the model can say about points, beside what is known of them.
func (f *Fitted) known(ctx context.Context, test learn.Problem[any]) (learn.Predictions, error) {
	if f.Custom == nil {
		return learn.PredictKnown(ctx, f.Model, f.classes, test)
	}
	p, err := f.Custom.PredictAll(ctx, test.Points)
	return test.Complete(f.classes, p), err
}
