package model

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// errNoUpdate is wrapped by the error of a model that does not go on learning.
var errNoUpdate = errors.New("the model does not go on learning")

// CanUpdate says whether the model goes on learning.
func (m *Model) CanUpdate() bool { return m.info.Encoder != nil && m.body.updatable() }

// Learnt is what the rows of an Update were to the model before it learnt from them: each is judged
// first, and then learnt from, so that the scores of all are those of rows never seen.
type Learnt struct {
	Rows   []int     // rows of the data set that were learnt from
	Truth  []float64 // values, or class codes
	Before []float64 // what the learner said: of classes the likelier, without a threshold
}

// Update is the model that has learnt from the rows of a data set, too, one after the other; m
// itself stays as it is. The encoder is that of the first fit: scales do not move, a class never
// seen is refused. Intervals and notes of the first fit do not hold any more and are left out.
func (m *Model) Update(ctx context.Context, d *data.Dataset) (*Model, Learnt, error) {
	if !m.CanUpdate() {
		return nil, Learnt{}, fmt.Errorf("%w (it is of %s); norma and the perceptrons do", errNoUpdate, m.Learner())
	}
	x, err := m.info.Encoder.TransformLabelled(d)
	if err != nil {
		return nil, Learnt{}, err
	}
	if x.Len() == 0 {
		return m, Learnt{}, nil
	}
	info := m.info
	if info.Trained != nil {
		info.Trained = slices.Concat(info.Trained, TrainedRows(info.Encoder, d, x.Kept))
		slices.Sort(info.Trained)
		if len(info.Trained) > mostTrained {
			info.Trained = nil
		}
	}
	truth := x.Target
	if info.TargetMap != nil {
		if x.Target, err = info.mapped(truth); err != nil {
			return nil, Learnt{}, data.PlaceRow(x.Kept, err)
		}
	}
	next, before, err := m.body.update(ctx, x, info)
	if err != nil {
		return nil, Learnt{}, err
	}
	for i := range before {
		before[i] = info.back(before[i])
	}
	return next, Learnt{x.Kept, truth, before}, nil
}

func (b *fitted) updatable() bool {
	u, ok := b.p.(interface{ Updatable() bool })
	return ok && u.Updatable()
}

func (b *fitted) update(ctx context.Context, x *data.Encoded, info Info) (*Model, []float64, error) {
	points, err := b.points(x)
	if err != nil {
		return nil, nil, err
	}
	next, before, err := b.p.(learn.Updatable[any]).Update(ctx, points, x.Target, x.Weights)
	if err != nil {
		return nil, nil, err
	}
	info.Rows += x.Len()
	info.Residuals, info.DataHash = nil, ""
	info.Notes = maps.Clone(info.Notes)
	maps.DeleteFunc(info.Notes, func(name, _ string) bool { return name != "updates" })
	m, err := New(next.(learn.Saver[any]), info)
	return m, before, err
}
