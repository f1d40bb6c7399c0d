package tune

import (
	"context"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
)

// Model is what was found as a model file holds it: with the encoder by which its points were made
// of columns, the classes and the errors on rows that were held out. These are put into info, which
// may say more; the model alone would take the columns of a data set for its points.
func (r *AutoResult) Model(info model.Info) (*model.Model, error) {
	info.Encoder, info.Classes, info.Rows, info.TargetMap, info.Threshold = r.Encoder, r.Classes, r.Rows(), r.TargetMap,
		r.Threshold
	for t, off := range r.residuals {
		if t == 0 {
			info.Residuals = off
			continue
		}
		info.More = append(info.More, model.TargetInfo{Residuals: off, Baseline: r.Baseline.Target(t)})
	}
	if info.Spec == "" {
		info.Spec = r.Chosen.String()
	}
	return r.outcome.save(info)
}

// Save writes the model to a file, all or nothing: model.Load gives it back, ready for a data set
// like the one that was learnt from.
func (r *AutoResult) Save(file string) error {
	m, err := r.Model(model.Info{})
	if err != nil {
		return err
	}
	return m.Save(file)
}

// residuals is how far a model is off on points whose values are known, for each target: in units
// of the standard deviation of an observation where it has one, as model.Info wants it.
func (f *Fitted) residuals(ctx context.Context, p learn.Problem[any]) ([][]float64, error) {
	said, err := f.known(ctx, p)
	if err != nil {
		return nil, err
	}
	out := make([][]float64, p.Targets())
	for t := range out {
		m := f.Model
		if s, ok := m.(learn.Several[any]); ok && len(p.More) > 0 {
			m = s.Of(t)
		}
		if out[t], err = residualsOf(ctx, m, p.Target(t), said.Target(t).Value); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// residualsOf is those of one target; nil where there is nothing to be learnt from them.
func residualsOf(ctx context.Context, m learn.Model[any], p learn.Problem[any], said []float64) ([]float64, error) {
	out := make([]float64, len(p.Y))
	for i, v := range said {
		out[i] = math.Abs(p.Y[i] - v)
	}
	u, ok := m.(learn.Uncertain[any])
	if !ok {
		return out, nil
	}
	std, err := u.ObservationStd(ctx, p.Points)
	for i, s := range std {
		if p.Noise != nil {
			s = math.Sqrt(s*s + p.Noise[i])
		}
		if out[i] /= s; s == 0 {
			return nil, nil // a process without noise at its own points expects nothing else
		}
	}
	return out, err
}

// foldResiduals is how far the choice is off on each fold when it is fitted to the others, for a
// search that holds no rows out: of as many folds as there is time for, each once.
func foldResiduals(
	ctx context.Context, s *Search, res *Result, p learn.Problem[any], folds int, end time.Time,
) [][]float64 {
	if p.Task != data.Regression {
		return nil
	}
	within, cancel := clockOr(s.clock).until(ctx, end)
	defer cancel()
	out := make([][]float64, p.Targets())
	for _, f := range res.Folds[:min(folds, len(res.Folds))] {
		m, err := res.refit(within, p.Gather(f.Train))
		if err != nil {
			break
		}
		off, err := m.residuals(within, p.Gather(f.Test))
		if err != nil {
			break
		}
		for t := range out {
			out[t] = append(out[t], off[t]...)
		}
	}
	return out
}
