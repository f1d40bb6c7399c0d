package jobs

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"math"

	"github.com/mercer-ml/mercer/beam/internal/store"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/format/container"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Leverage is a pass that draws centres for each kernel by leverage scores: of every row, by the
// rows that the first pass drew, which are a file in the folder of the job.
type Leverage struct {
	Layout  load.Layout
	Encoder *data.Encoder
	Kernels []string
	Lambdas []float64 // of each kernel's scores, for all rows
	Rows    int       // that the sample is of
	Count   int       // of centres
	Seed    uint64
}

// sampleFile holds the sample as a matrix.
const sampleFile = "sample"

// scorers are those of a plan's kernels.
func (w *worker) scorers(ctx context.Context) ([]*gram.SampleScores[kernel.Vec], error) {
	ready, err := w.prepare(func() (any, error) {
		b, err := store.Read(ctx, store.Join(w.folder, sampleFile))
		if err != nil {
			return nil, err
		}
		c, err := container.Read(b)
		if err != nil {
			return nil, err
		}
		sample := c.Tensors[sampleFile]
		values, err := sample.Float64s()
		if err != nil {
			return nil, err
		}
		points := data.Rows(mat.NewDense(sample.Shape[0], sample.Shape[1], values))
		var out []*gram.SampleScores[kernel.Vec]
		for i, text := range w.Leverage.Kernels {
			k, err := spec.ParseKernel(text)
			if err != nil {
				return nil, err
			}
			s, err := gram.NewSampleScores(ctx, k, data.Points[kernel.Vec](points), w.Leverage.Rows, w.Leverage.Count,
				w.Leverage.Lambdas[i], w.Threads)
			if err != nil {
				return nil, err
			}
			out = append(out, s)
		}
		return out, nil
	})
	if err != nil {
		return nil, err
	}
	return ready.([]*gram.SampleScores[kernel.Vec]), nil
}

// drawn is the rows of a shard that were drawn for a kernel.
type drawn struct {
	Keys []uint64
	Rows []data.Column
}

// leverage draws the rows of a shard that may be centres: those of the least -log(u)/ℓ, u uniform
// (Efraimidis and Spirakis 2006), which is a draw without replacement by scores ℓ over all shards
// once the least of all are taken.
func (w *worker) leverage(ctx context.Context, index int) (int, error) {
	v := w.Plan.Leverage
	by, err := w.scorers(ctx)
	if err != nil {
		return 0, err
	}
	kept, rows := make([]*reservoir, len(by)), 0
	for k := range kept {
		kept[k] = newReservoir(v.Count)
	}
	err = w.chunks(ctx, v.Layout, index, func(d *data.Dataset, before int) error {
		usable, err := usableRows(d, v.Encoder.Options.Missing)
		if err != nil {
			return err
		}
		x, err := encodeRows(v.Encoder, d)
		if err != nil {
			return data.PlaceError(d.Name, before, err)
		}
		rows += d.Len()
		if x.Len() == 0 {
			return nil
		}
		scores := make([]float64, x.Len())
		for k := range by {
			if err := by[k].ScoresTo(ctx, scores, data.Points[kernel.Vec](x.Dense)); err != nil {
				return err
			}
			keys := make(map[int]uint64, x.Len())
			for i, row := range x.Kept {
				if usable(row) {
					keys[row] = leverageKey(keyOf(v.Seed^0x1e7e, index, before+row), scores[i])
				}
			}
			if err := kept[k].show(d, func(i int) (uint64, bool) { key, ok := keys[i]; return key, ok }); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	found := make([]drawn, len(by))
	for k := range kept {
		keys, part, err := kept[k].rows()
		if err != nil {
			return 0, err
		}
		if found[k].Keys = keys; part != nil {
			found[k].Rows = part.Columns
		}
	}
	return rows, store.Write(ctx, store.Join(w.folder, ofShard("drawn", index)),
		func(to io.Writer) error { return gob.NewEncoder(to).Encode(found) })
}

// leverageKey is -log(u)/score, in the order of numbers: the bits of positive ones are in their
// order. A score of 0 is next to never drawn.
func leverageKey(key uint64, score float64) uint64 {
	u := (float64(key>>11) + 1) / (1 << 53)
	return math.Float64bits(-math.Log(u) / math.Max(score, 1e-300))
}

// DrawByLeverage is the pass: the centres of each kernel, by scores for a ridge for all rows; 0 is
// one for as many centres.
func (j *Job) DrawByLeverage(
	ctx context.Context, p *Plan, sample data.Points[kernel.Vec], lambda float64,
) ([]data.Points[kernel.Vec], error) {
	v := p.Leverage
	for _, text := range v.Kernels { // the ridge is found once, for all workers
		k, err := spec.ParseKernel(text)
		if err != nil {
			return nil, err
		}
		s, err := gram.NewSampleScores(ctx, k, sample, v.Rows, v.Count, lambda, 0)
		if err != nil {
			return nil, err
		}
		v.Lambdas = append(v.Lambdas, s.Lambda())
	}
	var values []float64
	for i := range sample.Len() {
		values = append(values, sample.At(i)...)
	}
	c := &container.File{Tensors: map[string]container.Tensor{sampleFile: container.Float64s(values, sample.Len(),
		v.Encoder.Dim)}}
	if err := store.MakeFolder(j.Folder); err != nil {
		return nil, err
	}
	if err := store.Write(ctx, store.Join(j.Folder, sampleFile), func(w io.Writer) error {
		_, err := c.WriteTo(w)
		return err
	}); err != nil {
		return nil, err
	}
	if err := j.eachShard(ctx, p, "scoring the rows of"); err != nil {
		return nil, err
	}
	all := make([]*reservoir, len(v.Kernels))
	for k := range all {
		all[k] = newReservoir(v.Count)
	}
	for i, shard := range p.Shards {
		b, err := store.Read(ctx, store.Join(j.Folder, ofShard("drawn", i)))
		if err != nil {
			return nil, err
		}
		var found []drawn
		if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&found); err != nil || len(found) != len(all) {
			return nil, fmt.Errorf("what was drawn from %s: %w", shard, err)
		}
		for k, one := range found {
			if len(one.Keys) == 0 {
				continue
			}
			if err := all[k].show(rowsOf(v.Layout, shard, one.Rows),
				func(i int) (uint64, bool) { return one.Keys[i], true }); err != nil {
				return nil, err
			}
		}
	}
	out := make([]data.Points[kernel.Vec], len(all))
	for k := range all {
		_, rows, err := all[k].rows()
		if err != nil {
			return nil, err
		}
		if rows == nil {
			return nil, &data.Error{File: p.Shards[0], Kind: data.ErrNoRows, Reason: "no row of any shard can be learnt from"}
		}
		if out[k], err = (&Surveyed{Encoder: v.Encoder, Drawn: rows}).Encode(); err != nil {
			return nil, err
		}
	}
	return out, nil
}
