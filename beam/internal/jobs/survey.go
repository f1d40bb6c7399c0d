package jobs

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/beam/internal/store"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
)

// Survey is the first pass of a fit: what an encoder has to know, and rows drawn as centres.
type Survey struct {
	Layout  load.Layout
	Encoder data.EncoderOptions
	Sample  int // rows drawn
	Seed    uint64
}

// surveyed is what a pass found in one shard.
type surveyed struct {
	Fit  []byte // a data.EncoderFit
	Kept int    // rows to learn from
	Keys []uint64
	Rows []data.Column
}

// survey looks through a shard.
func (w *worker) survey(ctx context.Context, index int) (int, error) {
	v := w.Survey
	fit, err := data.NewEncoderFit(v.Encoder)
	if err != nil {
		return 0, err
	}
	drawn, found := newReservoir(v.Sample), surveyed{}
	err = w.chunks(ctx, v.Layout, index, func(d *data.Dataset, before int) error {
		if err := fit.Add(d); err != nil {
			return err
		}
		usable, err := usableRows(d, v.Encoder.Missing)
		if err != nil {
			return err
		}
		return drawn.show(d, func(i int) (uint64, bool) {
			if usable(i) {
				found.Kept++
			}
			return keyOf(v.Seed, index, before+i), usable(i)
		})
	})
	if err != nil {
		return 0, err
	}
	if found.Fit, err = fit.MarshalBinary(); err != nil {
		return 0, err
	}
	keys, rows, err := drawn.rows()
	if err != nil {
		return 0, err
	}
	if found.Keys = keys; rows != nil {
		found.Rows = rows.Columns
	}
	return fit.Rows(), store.Write(ctx, store.Join(w.folder, ofShard("survey", index)),
		func(to io.Writer) error { return gob.NewEncoder(to).Encode(found) })
}

// chunks reads the rows of a shard by a layout; before is how many came before a chunk's.
func (w *worker) chunks(
	ctx context.Context, l load.Layout, index int, f func(d *data.Dataset, before int) error,
) error {
	s, err := store.Stream(ctx, w.Shards[index], w.Input.Options(w.Threads), l.Open)
	if err != nil {
		return err
	}
	defer s.Close()
	for before := 0; ; {
		d, err := s.Next()
		if err == io.EOF {
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		if err := f(d, before); err != nil {
			return err
		}
		before += d.Len()
	}
}

// usableRows says which rows of a chunk are learnt from: those of a weight, with a target, and
// without gaps where these are dropped.
func usableRows(d *data.Dataset, missing data.MissingPolicy) (func(i int) bool, error) {
	var needed []*data.Column
	var weights *data.Column
	var err error
	for _, name := range d.Targets() {
		c, err := d.Column(name)
		if err != nil {
			return nil, err
		}
		needed = append(needed, c)
	}
	if d.Weights != "" {
		if weights, err = d.Column(d.Weights); err != nil {
			return nil, err
		}
	}
	if missing == "drop" {
		needed = append(needed, d.Features()...)
	}
	return func(i int) bool {
		if weights != nil && !(weights.Numbers[i] > 0) {
			return false
		}
		return !slices.ContainsFunc(needed, func(c *data.Column) bool { return c.IsMissing(i) })
	}, nil
}

// rowsOf is rows that a shard left, as a table of its layout.
func rowsOf(l load.Layout, shard string, columns []data.Column) *data.Dataset {
	return &data.Dataset{Name: shard, Columns: columns, Target: l.Target, More: l.More, Weights: l.Weights,
		Groups: l.Groups}
}

// Surveyed is what the first pass found in all shards.
type Surveyed struct {
	Encoder *data.Encoder
	Rows    int   // in all
	Kept    int   // to learn from
	KeptBy  []int // of each shard
	// Of each target of numbers, or the share of each class.
	Means, Deviations []float64
	Shares            []float64
	Drawn             *data.Dataset // in the order of their keys: the first so many are a draw of so many
	Keys              []uint64
	Columns           []data.ColumnSeen
}

// SurveyShards is the first pass.
func (j *Job) SurveyShards(ctx context.Context, p *Plan) (*Surveyed, error) {
	if err := j.eachShard(ctx, p, "looking through"); err != nil {
		return nil, err
	}
	fit, out := &data.EncoderFit{}, &Surveyed{}
	drawn := newReservoir(p.Survey.Sample)
	for i, shard := range p.Shards {
		b, err := store.Read(ctx, store.Join(j.Folder, ofShard("survey", i)))
		if err != nil {
			return nil, err
		}
		var one surveyed
		if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&one); err != nil {
			return nil, fmt.Errorf("what was found in %s: %w", shard, err)
		}
		next := &data.EncoderFit{}
		if err := next.UnmarshalBinary(one.Fit); err != nil {
			return nil, err
		}
		if err := fit.Merge(next); err != nil {
			return nil, err
		}
		out.Kept, out.KeptBy = out.Kept+one.Kept, append(out.KeptBy, one.Kept)
		if len(one.Keys) > 0 {
			if err := drawn.show(rowsOf(p.Survey.Layout, shard, one.Rows),
				func(i int) (uint64, bool) { return one.Keys[i], true }); err != nil {
				return nil, err
			}
		}
	}
	var err error
	if out.Encoder, err = fit.Encoder(); err != nil {
		return nil, err
	}
	if out.Keys, out.Drawn, err = drawn.rows(); err != nil {
		return nil, err
	}
	if out.Drawn == nil {
		return nil, &data.Error{File: p.Shards[0], Kind: data.ErrNoRows, Reason: "no row of any shard can be learnt from"}
	}
	out.Rows, out.Columns = fit.Rows(), fit.Seen()
	out.Means, out.Deviations = fit.TargetMoments()
	total := 0.0
	out.Shares = fit.ClassCounts()
	for _, n := range out.Shares {
		total += n
	}
	for c := range out.Shares {
		out.Shares[c] /= math.Max(total, 1)
	}
	return out, nil
}
