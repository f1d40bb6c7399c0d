package tune

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// outcome is what a search found, whatever the type of its points. AutoResult
// names no generic type, since a package that mentions one compiles every learner
// again (Go does not share instances between packages).
type outcome interface {
	predict(ctx context.Context, x *data.Encoded) (learn.Predictions, error)
	known(ctx context.Context, x *data.Encoded) (p learn.Predictions, answered []int, refused error)
	save(info model.Info) (*model.Model, error)
	residuals(ctx context.Context, x *data.Encoded, rows []int) ([][]float64, error)
	rows() int
	centers() int
	searched() int
	wide() bool
	heatMap(candidate int, x, y string) HeatMap
	spectrum(ctx context.Context, x *data.Encoded) (values []float64, alignment float64, err error)
	folds() []data.Fold
	refitScore(ctx context.Context, train, test *data.Encoded, groups []int) (known learn.Predictions, score float64,
		off [][]float64, err error)
	apart() *learn.Predictions
	refitOn(ctx context.Context, x *data.Encoded) error
	learningCurve(ctx context.Context, x *data.Encoded, groups []int, times []float64) (Curve, error)
}

// found is the outcome of a search on points of type T.
type found struct {
	*Result
	points   func(x *data.Encoded) (data.Points[any], error)
	positive string
	weights  []float64 // of classes, in fits
	target   *data.TargetMap
}

func (f found) predict(ctx context.Context, x *data.Encoded) (learn.Predictions, error) {
	points, err := f.points(x)
	if err != nil {
		return learn.Predictions{}, err
	}
	p, err := f.Model.PredictAll(ctx, points)
	return f.itself(p, nil), err
}

// itself is predictions as those of the target, where it was mapped.
func (f found) itself(p learn.Predictions, truth []float64) learn.Predictions {
	if f.target == nil {
		return p
	}
	return model.MapBack(p, f.target, truth)
}

// problem is encoded rows with their targets, mapped as for the fit.
func (f found) problem(x *data.Encoded) (learn.Problem[any], error) {
	points, err := f.points(x)
	y := x.Target
	if f.target != nil {
		y = f.target.ApplyAll(y)
	}
	return learn.Problem[any]{Points: points, Task: f.Model.Task, Y: y, More: x.More, Classes: f.Model.Classes,
		Positive: f.positive, Weights: x.Weights, ClassWeights: f.weights, Noise: x.Noise}, err
}

// known is predict of rows with known targets: of all that the model does not refuse, one by one
// where it refuses some (they lie outside the domain of its kernel, say), and why it refuses the
// first.
func (f found) known(ctx context.Context, x *data.Encoded) (p learn.Predictions, answered []int, refused error) {
	m := f.Model
	all, err := f.problem(x)
	if err != nil {
		return p, nil, err
	}
	rows := make([]int, all.Len())
	for i := range rows {
		rows[i] = i
	}
	if p, refused = m.known(ctx, all); refused == nil || ctx.Err() != nil {
		return f.itself(p, x.Target), rows, refused
	}
	for i := range rows {
		if _, err := m.PredictAll(ctx, data.Gather(all.Points, rows[i:i+1])); err == nil {
			answered = append(answered, i)
		}
	}
	if len(answered) > 0 {
		if p, err = m.known(ctx, all.Gather(answered)); err != nil {
			return learn.Predictions{}, nil, err
		}
		p = f.itself(p, data.Take(x.Target, answered))
	}
	return p, answered, refused
}

func (f found) save(info model.Info) (*model.Model, error) {
	if c, ok := f.Model.Custom.(*committee); ok {
		return c.save(info)
	}
	m, ok := f.Model.Model.(learn.Saver[any])
	if !ok {
		return nil, fault.Errorf("tune", "a model of %s cannot be saved", f.Model.Learner)
	}
	return model.New(m, info)
}

// residuals is how far the model is off some of the encoded rows, for each target.
func (f found) residuals(ctx context.Context, x *data.Encoded, rows []int) ([][]float64, error) {
	p, err := f.problem(x)
	if err != nil {
		return nil, err
	}
	return f.Model.residuals(ctx, p.Gather(rows))
}

func (f found) rows() int     { return f.Model.Rows }
func (f found) searched() int { return f.judged }
func (f found) wide() bool    { return f.Result.wide != "" }

func (f found) centers() int {
	if c, ok := f.Model.Custom.(*committee); ok {
		return c.centers()
	}
	// who keeps weights has no points
	if s, ok := f.Model.Model.(interface{ Support() []int }); ok && len(s.Support()) > 0 {
		return len(s.Support())
	}
	return f.Model.Model.Func().Centers.Len()
}

func (f found) heatMap(candidate int, x, y string) HeatMap { return f.HeatMap(candidate, x, y) }

// spectrum is the eigenvalues of the chosen kernel's Gram matrix, largest first, and how that matrix
// aligns with the target.
func (f found) spectrum(ctx context.Context, x *data.Encoded) (values []float64, alignment float64, err error) {
	p, err := f.problem(x)
	if err != nil {
		return nil, 0, err
	}
	k := mat.NewDense(p.Len(), p.Len(), nil)
	if err := kernel.Block(ctx, f.Model.Kernel, k, p.Points, p.Points); err != nil {
		return nil, 0, err
	}
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	g, err := gram.Precomputed(k, 0)
	if err != nil {
		return nil, 0, err
	}
	if values, err = gram.Spectrum(g); err != nil {
		return nil, 0, err
	}
	center(k)
	return values, alignedTo(p).with(k), nil
}

// resultOf is the search behind an AutoResult, with its folds and its model as
// types: T is kernel.Vec, or data.SparseVec where the data are sparse. It is nil
// for the other of the two.
func resultOf(r *AutoResult) *Result {
	if f, ok := r.outcome.(found); ok {
		return f.Result
	}
	return nil
}

// Rows is how many rows the model was fitted on: fewer than there are where
// time or a cancelled context ended the fit.
func (r *AutoResult) Rows() int { return r.outcome.rows() }

// Centers is how many points the fitted function is expanded in.
func (r *AutoResult) Centers() int { return r.outcome.centers() }

// HeatMap is the score of a candidate over two of its parameters.
func (r *AutoResult) HeatMap(candidate int, x, y string) HeatMap {
	return r.outcome.heatMap(candidate, x, y)
}

// Spectrum is the eigenvalues, largest first, of the Gram matrix of the chosen kernel on rows of the
// data set, and the alignment of that matrix with the target, both centred: 1 is all that there is to
// know, 0 nothing. Once ctx has ended it is its error.
func (r *AutoResult) Spectrum(
	ctx context.Context, d *data.Dataset, rows []int,
) (values []float64, alignment float64, err error) {
	x, err := r.Encoder.TransformLabelled(d.Gather(rows))
	if err != nil {
		return nil, 0, err
	}
	return r.outcome.spectrum(ctx, x)
}

// Predict asks the chosen model about encoded rows.
func (r *AutoResult) Predict(ctx context.Context, x *data.Encoded) (learn.Predictions, error) {
	p, err := r.outcome.predict(ctx, x)
	if t := r.Threshold; t != nil && err == nil {
		p.Class = t.Decide(p.Prob, r.Classes)
	}
	return p, err
}
