package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/mercer-ml/mercer/beam/internal/store"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/stat"
	"gonum.org/v1/gonum/mat"
)

// Blocks is the pass of a test by blocks of rows. Two variables: each shard is cut into blocks. Two
// samples: block b has rows b·Size to (b+1)·Size of each, the rows of a sample counted through its
// shards; it is done with the shard that its first row lies in, of the sample that has more of
// them.
type Blocks struct {
	Layout    load.Layout
	Encoder   *data.Encoder
	Variables []Variable
	Size      int   // rows of a block, of each sample
	Kept      []int // rows of each shard that can be used
	Second    int   // number of the first shard of the other sample; 0: one sample
}

// span is rows of a sample, counted through its shards from first up to end.
type span struct{ first, end, from, to int }

var errEnough = errors.New("enough rows")

// rows gives those of a span as the encoder makes them.
func (w *worker) rows(ctx context.Context, s span) iter.Seq2[kernel.Vec, error] {
	v := w.Plan.Blocks
	return func(yield func(kernel.Vec, error) bool) {
		at := 0 // number in the sample of the next row
		for shard := s.first; shard < s.end && at < s.to; shard++ {
			if at+v.Kept[shard] <= s.from {
				at += v.Kept[shard]
				continue
			}
			begin := at
			err := w.chunks(ctx, v.Layout, shard, func(d *data.Dataset, before int) error {
				x, err := v.Encoder.Transform(d)
				if err != nil {
					return data.PlaceError(d.Name, before, err)
				}
				for i := range x.Len() {
					if at >= s.to {
						return errEnough
					}
					if at >= s.from && !yield(x.Dense.At(i), nil) {
						return errEnough
					}
					at++
				}
				return nil
			})
			switch {
			case errors.Is(err, errEnough):
				return
			case err == nil && at-begin != v.Kept[shard]:
				err = fmt.Errorf("%s has %d rows, the first pass saw %d: it was written in between; start again", w.Shards[shard],
					at-begin, v.Kept[shard])
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// spans are the rows that are done with a shard: of one sample, or of two, as many whole blocks of
// each.
func (v *Blocks) spans(shard int) []span {
	if v.Second == 0 {
		return []span{{shard, shard + 1, 0, v.Kept[shard] / v.Size * v.Size}}
	}
	samples := [][2]int{{0, v.Second}, {v.Second, len(v.Kept)}}
	guide, usable := 0, 0
	if len(v.Kept)-v.Second > v.Second {
		guide = 1
	}
	for i, s := range samples {
		n := 0
		for _, k := range v.Kept[s[0]:s[1]] {
			n += k
		}
		if i == 0 || n < usable {
			usable = n
		}
	}
	if g := samples[guide]; shard < g[0] || shard >= g[1] {
		return nil
	}
	before := 0
	for _, k := range v.Kept[samples[guide][0]:shard] {
		before += k
	}
	// the first row of the first block from there on
	up := func(row int) int { return min((row+v.Size-1)/v.Size, usable/v.Size) * v.Size }
	var out []span
	for _, s := range samples {
		out = append(out, span{s[0], s[1], up(before), up(before + v.Kept[shard])})
	}
	return out
}

// blocks does the blocks of a shard.
func (w *worker) blocks(ctx context.Context, shard int) (int, error) {
	v := w.Plan.Blocks
	ready, err := w.prepare(func() (any, error) { return v.kernels() })
	if err != nil {
		return 0, err
	}
	kernels, all := ready.([]kernel.Kernel[kernel.Vec]), &stat.Blocks{}
	var next []func() (kernel.Vec, error, bool)
	for _, s := range v.spans(shard) {
		from, stop := iter.Pull2(w.rows(ctx, s))
		defer stop()
		next = append(next, from)
	}
	settings := stat.TestSettings{Threads: w.Threads}
	for len(next) > 0 {
		parts := make([]data.Points[kernel.Vec], len(v.Variables))
		if len(next) == 2 {
			parts = make([]data.Points[kernel.Vec], 2)
		}
		rows := 0
		for i, from := range next {
			block := mat.NewDense(v.Size, v.Encoder.Dim, nil)
			for rows = 0; rows < v.Size; rows++ {
				x, err, more := from()
				if err != nil {
					return 0, err
				}
				if !more {
					break
				}
				block.SetRow(rows, x)
			}
			if len(next) == 2 {
				parts[i] = v.Variables[0].of(block)
				continue
			}
			for j := range parts {
				parts[j] = v.Variables[j].of(block)
			}
		}
		if rows < v.Size {
			break
		}
		if len(next) == 2 {
			err = stat.MMD[kernel.Vec]{Kernel: kernels[0], TestSettings: settings}.AddBlock(ctx, all, parts[0], parts[1])
		} else {
			err = stat.HSIC[kernel.Vec, kernel.Vec]{KernelX: kernels[0], KernelY: kernels[1],
				TestSettings: settings}.AddBlock(ctx, all, parts[0], parts[1])
		}
		if err != nil {
			return 0, err
		}
	}
	return all.Rows, w.mark(ctx, "blocks", shard, all)
}

// kernels are those of the variables.
func (v *Blocks) kernels() (out []kernel.Kernel[kernel.Vec], err error) {
	for _, one := range v.Variables {
		k, err := spec.ParseKernel(one.Kernel)
		if err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	return out, nil
}

// of is the features of the variable in rows of all.
func (v Variable) of(rows *mat.Dense) data.Points[kernel.Vec] {
	n, _ := rows.Dims()
	part := mat.NewDense(n, len(v.Features), nil)
	for i := range n {
		for c, j := range v.Features {
			part.Set(i, c, rows.At(i, j))
		}
	}
	return data.Rows(part)
}

// SumBlocks is the blocks of all shards, added in their order.
func (j *Job) SumBlocks(ctx context.Context, p *Plan) (*stat.Blocks, error) {
	if err := j.eachShard(ctx, p, "blocks of"); err != nil {
		return nil, err
	}
	all := &stat.Blocks{}
	for i, shard := range p.Shards {
		b, err := store.Read(ctx, store.Join(j.Folder, ofShard("blocks", i)))
		if err != nil {
			return nil, err
		}
		var one stat.Blocks
		if err := json.Unmarshal(b, &one); err != nil {
			return nil, fmt.Errorf("the blocks of %s: %w", shard, err)
		}
		all.Merge(&one)
	}
	return all, nil
}
