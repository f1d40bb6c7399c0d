package jobs

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/mercer-ml/mercer/beam/internal/store"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/nystrom"
)

// Sums is a pass of a fit over all rows: the normal equations of every kernel, summed over the rows
// of every fold, or the logistic risk at places.
type Sums struct {
	Layout  load.Layout
	Encoder *data.Encoder
	Kernels []string // as text; the equations of each have a file in the folder of the job
	Folds   int
	Seed    uint64
	Places  []Place `json:",omitempty"` // where there are some, the risk is summed there
}

// Place is where the logistic risk of a kernel is summed for a step of Newton's method, with a fold
// whose rows are judged there and not learnt from.
type Place struct {
	Kernel int
	Held   int // -1: all rows are learnt from
	At     []float64
}

// lengths are those of the lists of numbers that are summed. So many in a row of them count every
// row of the table once: the folds of a kernel, or for a place the rows learnt from and those held
// out.
func (v *Sums) lengths(e []*nystrom.Equations[kernel.Vec]) (all []int, together int) {
	for _, p := range v.Places {
		all = append(all, e[p.Kernel].RiskLen(), nystrom.RiskHead)
	}
	if len(all) > 0 {
		return all, 2
	}
	for k := range e {
		for range v.Folds {
			all = append(all, e[k].Len())
		}
	}
	return all, v.Folds
}

func init() {
	beam.RegisterType(reflect.TypeOf((*sumFn)(nil)).Elem())
	beam.RegisterType(reflect.TypeOf((*keepFn)(nil)).Elem())
}

// equations are those of a plan, one for each kernel.
func (w *worker) equations(ctx context.Context) ([]*nystrom.Equations[kernel.Vec], error) {
	e, err := w.prepare(func() (any, error) {
		out := make([]*nystrom.Equations[kernel.Vec], len(w.Sums.Kernels))
		for k := range out {
			var err error
			if out[k], err = readEquations(ctx, store.Join(w.folder, equationsFile(k))); err != nil {
				return nil, err
			}
			out[k].Threads = w.Threads
		}
		return out, nil
	})
	if err != nil {
		return nil, err
	}
	return e.([]*nystrom.Equations[kernel.Vec]), nil
}

// sumFn adds up the rows of the shards of a bundle, and hands the sums on at its end: one set of
// them for all shards that an engine gives it at once.
type sumFn struct {
	Folder string

	sums [][]float64 // as Sums.lengths has them; nil before the first shard
}

// StartBundle begins with nothing.
func (f *sumFn) StartBundle(context.Context, func(int, chunk)) error {
	f.sums = nil
	return nil
}

// ProcessElement adds the rows of a shard. A shard that turns out to be faulty in its middle spoils
// the sums, and its fault ends the fit.
func (f *sumFn) ProcessElement(ctx context.Context, index int, _ func(int, chunk)) error {
	w, err := workerFor(ctx, f.Folder)
	if err != nil {
		return err
	}
	e, err := w.equations(ctx)
	if err != nil {
		return err
	}
	if f.sums == nil {
		lengths, _ := w.Sums.lengths(e)
		for _, n := range lengths {
			f.sums = append(f.sums, make([]float64, n))
		}
	}
	return w.settle(ctx, index, func() (int, error) { return w.sum(ctx, e, f.sums, index) })
}

// FinishBundle hands the sums on in pieces.
func (f *sumFn) FinishBundle(_ context.Context, emit func(int, chunk)) error {
	key := 0
	for _, s := range f.sums {
		for lo := 0; lo < len(s); lo += chunkNumbers {
			emit(key, chunk{s[lo:min(lo+chunkNumbers, len(s))]})
			key++
		}
	}
	f.sums = nil
	return nil
}

// keepFn leaves the sum of a place in a file.
type keepFn struct{ Folder string }

// ProcessElement writes it, whole or not at all.
func (f *keepFn) ProcessElement(ctx context.Context, key int, c chunk) error {
	return store.WriteBytes(ctx, store.Join(f.Folder, ofShard("sums", key)), encodeChunk(c))
}

// SumShards is the pass. Without places the sums of kernel k and fold f are at k·folds + f; with
// places those of place i at 2i, and of the rows held out there at 2i + 1.
func (j *Job) SumShards(
	ctx context.Context, p *Plan, e []*nystrom.Equations[kernel.Vec], kept int,
) ([][]float64, error) {
	if err := store.MakeFolder(j.Folder); err != nil {
		return nil, err
	}
	for k := range e {
		if err := writeEquations(ctx, store.Join(j.Folder, equationsFile(k)), e[k]); err != nil {
			return nil, err
		}
	}
	if err := j.start(ctx, p); err != nil {
		return nil, err
	}
	err := j.watched(ctx, "summing over", len(p.Shards), func() error {
		if j.Runner == Loop {
			return j.sumInTurn(ctx, len(p.Shards))
		}
		return j.run(ctx, j.Name, func(s beam.Scope) {
			parts := beam.ParDo(s, &sumFn{Folder: j.Folder}, shards(s, len(p.Shards)))
			beam.ParDo0(s, &keepFn{Folder: j.Folder}, beam.CombinePerKey(s, &addChunks{}, parts))
		})
	})
	if err := j.ended(ctx, p, err); err != nil {
		return nil, err
	}
	return j.gather(ctx, p, e, kept)
}

// sumInTurn is the second pass as one bundle in a plain loop.
func (j *Job) sumInTurn(ctx context.Context, count int) error {
	f, keep := &sumFn{Folder: j.Folder}, &keepFn{Folder: j.Folder}
	if err := inTurn(count, func(i int) error { return f.ProcessElement(ctx, i, nil) }); err != nil {
		return err
	}
	var failed error
	_ = f.FinishBundle(ctx, func(key int, c chunk) { failed = errors.Join(failed, keep.ProcessElement(ctx, key, c)) })
	return failed
}

// gather reads the sums, and looks whether every row is in them once.
func (j *Job) gather(ctx context.Context, p *Plan, e []*nystrom.Equations[kernel.Vec], kept int) ([][]float64, error) {
	lengths, together := p.Sums.lengths(e)
	out, key, rows := make([][]float64, len(lengths)), 0, 0.0
	for i, n := range lengths {
		for len(out[i]) < n {
			b, err := store.Read(ctx, store.Join(j.Folder, ofShard("sums", key)))
			if err != nil {
				return nil, fmt.Errorf("a piece of the sums is not there: %w", err)
			}
			c, err := decodeChunk(b)
			if want := min(chunkNumbers, n-len(out[i])); err != nil || len(c.F) != want {
				return nil, errors.Join(fmt.Errorf("piece %d of the sums has %d numbers, want %d", key, len(c.F), want), err)
			}
			out[i] = append(out[i], c.F...)
			key++
		}
		if rows += out[i][0]; (i+1)%together == 0 {
			if rows != float64(kept) {
				return nil, fmt.Errorf("the sums are of %.0f rows, the first pass saw %d: a shard was written in between, or the "+
					"engine counted one twice; start again", rows, kept)
			}
			rows = 0
		}
	}
	return out, nil
}
