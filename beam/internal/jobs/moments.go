package jobs

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"io"

	"github.com/mercer-ml/mercer/beam/internal/store"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/stat"
	"gonum.org/v1/gonum/mat"
)

// Moments is the pass of a test: sums of random features of one variable or two, and of their
// products.
type Moments struct {
	Layout    load.Layout
	Encoder   *data.Encoder
	Variables []Variable
	Samples   []int // of each shard: which moments its rows belong to
	Seed      uint64
}

// Variable is some of the features that an encoder makes, with a kernel and random frequencies for
// it.
type Variable struct {
	Features    []int
	Kernel      string
	Frequencies int
}

// Add takes the features of a column in.
func (v *Variable) Add(c data.ColumnCode) {
	width := c.Width
	if c.Indicator {
		width++
	}
	for j := range width {
		v.Features = append(v.Features, c.Offset+j)
	}
}

// maps draws the features of each variable: the same in every process.
func (v *Moments) maps(threads int) ([]*gram.FourierMap, error) {
	var out []*gram.FourierMap
	for i, one := range v.Variables {
		k, err := spec.ParseKernel(one.Kernel)
		if err != nil {
			return nil, err
		}
		m, err := gram.NewFourierMap(k, len(one.Features), one.Frequencies, true, threads, v.Seed+uint64(i))
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// Dim is the number of random features of the first so many variables.
func (v *Moments) Dim(variables int) (dim int) {
	for _, one := range v.Variables[:variables] {
		dim += 2 * one.Frequencies
	}
	return dim
}

// moments adds up a shard.
func (w *worker) moments(ctx context.Context, index int) (int, error) {
	v := w.Plan.Moments
	ready, err := w.prepare(func() (any, error) { return v.maps(w.Threads) })
	if err != nil {
		return 0, err
	}
	sums := stat.NewFeatureMoments(v.Dim(len(v.Variables)))
	err = w.chunks(ctx, v.Layout, index, func(d *data.Dataset, before int) error {
		x, err := v.Encoder.Transform(d)
		if err != nil {
			return data.PlaceError(d.Name, before, err)
		}
		if x.Len() == 0 {
			return nil
		}
		rows := mat.NewDense(x.Len(), v.Encoder.Dim, nil)
		for i := range x.Len() {
			rows.SetRow(i, x.Dense.At(i))
		}
		phi := mat.NewDense(x.Len(), v.Dim(len(v.Variables)), nil)
		for i, m := range ready.([]*gram.FourierMap) {
			to := phi.Slice(0, x.Len(), v.Dim(i), v.Dim(i+1)).(*mat.Dense)
			if err := m.FeaturesTo(ctx, to, v.Variables[i].of(rows)); err != nil {
				return err
			}
		}
		return sums.Add(phi, w.Threads)
	})
	if err != nil {
		return 0, err
	}
	return int(sums.N), store.Write(ctx, store.Join(w.folder, ofShard("moments", index)),
		func(to io.Writer) error { return gob.NewEncoder(to).Encode(sums) })
}

// SumMoments is the moments of each sample: those of its shards, in their order.
func (j *Job) SumMoments(ctx context.Context, p *Plan, samples int) ([]*stat.FeatureMoments, error) {
	if err := j.eachShard(ctx, p, "summing over"); err != nil {
		return nil, err
	}
	out := make([]*stat.FeatureMoments, samples)
	for i := range out {
		out[i] = stat.NewFeatureMoments(p.Moments.Dim(len(p.Moments.Variables)))
	}
	for i, shard := range p.Shards {
		b, err := store.Read(ctx, store.Join(j.Folder, ofShard("moments", i)))
		if err != nil {
			return nil, err
		}
		var one stat.FeatureMoments
		if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&one); err != nil {
			return nil, fmt.Errorf("the sums of %s: %w", shard, err)
		}
		if err := out[p.Moments.Samples[i]].Merge(&one); err != nil {
			return nil, err
		}
	}
	return out, nil
}
