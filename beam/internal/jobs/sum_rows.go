package jobs

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/nystrom"
	"gonum.org/v1/gonum/mat"
)

// sumRows is how many rows of a fold are added at a time: enough for matrix products to be fast,
// few enough for memory.
const sumRows = 4096

// waiting is rows of one fold that are not added yet.
type waiting struct {
	x, y, w      []float64
	dim, targets int
}

func (p *waiting) len() int { return len(p.y) / max(p.targets, 1) }

// source is the rows as they are.
func (p *waiting) source() data.Source[kernel.Vec] {
	return data.NewInMemory[kernel.Vec](data.Rows(mat.NewDense(p.len(), p.dim, p.x)), p.y, p.targets, p.w)
}

// sum adds the rows of a shard to the sums of their folds, for every kernel.
func (w *worker) sum(
	ctx context.Context, e []*nystrom.Equations[kernel.Vec], sums [][]float64, index int,
) (rows int, err error) {
	v := w.Sums
	folds := make([]waiting, v.Folds)
	add := func(f int) error {
		p := &folds[f]
		if p.len() == 0 {
			return nil
		}
		for k := range e {
			if err := v.add(ctx, e, sums, k, f, p.source()); err != nil {
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
			f := FoldOf(v.Seed, index, before+row, v.Folds)
			p := &folds[f]
			p.dim, p.targets = v.Encoder.Dim, 1+len(x.More)
			p.x, p.y = append(p.x, x.Dense.At(i)...), append(p.y, x.Target[i])
			for _, y := range x.More {
				p.y = append(p.y, y[i])
			}
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

// add adds rows of a fold to the sums of a kernel.
func (v *Sums) add(
	ctx context.Context, e []*nystrom.Equations[kernel.Vec], sums [][]float64, k, fold int, rows data.Source[kernel.Vec],
) error {
	if len(v.Places) == 0 {
		return e[k].AddTo(ctx, sums[k*v.Folds+fold], rows)
	}
	var dst, at [][]float64
	for i, p := range v.Places {
		switch {
		case p.Kernel != k:
			continue
		case p.Held == fold:
			dst = append(dst, sums[2*i+1])
		default:
			dst = append(dst, sums[2*i])
		}
		at = append(at, p.At)
	}
	if len(at) == 0 {
		return nil
	}
	return e[k].AddRisk(ctx, dst, at, rows)
}

// Encode is the rows that were drawn as points.
func (s *Surveyed) Encode() (data.Points[kernel.Vec], error) {
	x, err := encodeRows(s.Encoder, s.Drawn)
	if err != nil {
		return nil, err
	}
	return data.Own[kernel.Vec](x.Dense), nil
}

// EncodeFold is those of the rows that were drawn which are of a fold, with their classes.
func (s *Surveyed) EncodeFold(fold, folds int) (data.Points[kernel.Vec], []int, error) {
	x, err := encodeRows(s.Encoder, s.Drawn)
	if err != nil {
		return nil, nil, err
	}
	var take, codes []int
	for i, row := range x.Kept {
		if foldOfKey(s.Keys[row], folds) == fold {
			take, codes = append(take, i), append(codes, int(x.Target[i]))
		}
	}
	return data.OwnSubset[kernel.Vec](x.Dense, take), codes, nil
}

// encodeRows is rows with their targets, where there are some.
func encodeRows(e *data.Encoder, d *data.Dataset) (*data.Encoded, error) {
	if e.Target == nil {
		return e.Transform(d)
	}
	return e.TransformLabelled(d)
}
