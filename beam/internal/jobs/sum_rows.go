package jobs

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/nystrom"
	"gonum.org/v1/gonum/mat"
)

// sumRows is how many rows of a fold are added at a time: enough for matrix products to be fast, few enough for memory.
const sumRows = 4096

// waiting is rows of one fold that are not added yet.
type waiting struct {
	x, y, w []float64
	dim     int
}

func (p *waiting) len() int { return len(p.y) }

// source is the rows as they are.
func (p *waiting) source() data.Source[kernel.Vec] {
	return data.NewInMemory[kernel.Vec](data.Rows(mat.NewDense(p.len(), p.dim, p.x)), p.y, 1, p.w)
}

// sum adds the rows of a shard to the sums of their folds, for every kernel.
func (w *worker) sum(ctx context.Context, e []*nystrom.Equations[kernel.Vec], sums [][]float64, index int) (rows int, err error) {
	v := w.Sums
	folds := make([]waiting, v.Folds)
	add := func(f int) error {
		p := &folds[f]
		if p.len() == 0 {
			return nil
		}
		for k := range e {
			if err := e[k].AddTo(ctx, sums[k*v.Folds+f], p.source()); err != nil {
				return err
			}
		}
		rows += p.len()
		p.x, p.y, p.w = p.x[:0], p.y[:0], p.w[:0]
		if v.Encoder.Weights == "" {
			p.w = nil
		}
		return nil
	}
	err = w.chunks(ctx, v.Layout, index, func(d *data.Dataset, before int) error {
		x, err := v.Encoder.TransformLabelled(d)
		if err != nil {
			return data.PlaceError(d.Name, before, err)
		}
		for i, row := range x.Kept {
			f := foldOf(v.Seed, index, before+row, v.Folds)
			p := &folds[f]
			p.dim = v.Encoder.Dim
			p.x, p.y = append(p.x, x.Dense.At(i)...), append(p.y, x.Target[i])
			if x.Weights != nil {
				p.w = append(p.w, x.Weights[i])
			}
			if p.len() == sumRows {
				if err := add(f); err != nil {
					return err
				}
			}
		}
		return nil
	})
	for f := range folds {
		if err == nil {
			err = add(f)
		}
	}
	return rows, err
}

// Encode is the rows that were drawn as points.
func (s *Surveyed) Encode() (data.Points[kernel.Vec], error) {
	encode := s.Encoder.TransformLabelled
	if s.Encoder.Target == nil {
		encode = s.Encoder.Transform
	}
	x, err := encode(s.Drawn)
	if err != nil {
		return nil, err
	}
	m := mat.NewDense(x.Len(), s.Encoder.Dim, nil)
	for i := range x.Len() {
		m.SetRow(i, slices.Clone(x.Dense.At(i)))
	}
	return data.Rows(m), nil
}
