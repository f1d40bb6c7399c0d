package cli

import (
	"maps"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/rkhs"
)

// together is one encoder for the columns of all views, one after the other, and the functions as a
// file holds them. Each column is encoded as its view was.
func (c *correlated) together() (*data.Encoder, rkhs.Plainer[any], error) {
	p, err := c.model.Plain()
	if err != nil {
		return nil, nil, err
	}
	counts := make([]int, len(c.sides))
	vectors := true
	out := &data.Encoder{Options: c.sides[0].Enc.Options, Notations: map[string]data.Notation{}}
	out.Options.Texts = map[string]data.TextPolicy{}
	for i, s := range c.sides {
		counts[i] = len(s.Enc.Columns)
		vectors = vectors && s.vectors()
		for _, code := range s.Enc.Columns {
			code.Offset = out.Dim
			if out.Dim += code.Width; code.Indicator {
				out.Dim++
			}
			out.Columns = append(out.Columns, code)
		}
		out.Sparse = out.Sparse || s.Enc.Sparse
		out.Joins = append(out.Joins, s.Enc.Joins...)
		maps.Copy(out.Notations, s.Enc.Notations)
		maps.Copy(out.Options.Texts, s.Enc.Options.Texts)
	}
	if len(out.Options.Texts) == 0 {
		out.Options.Texts = nil
	}
	if vectors {
		return out, c.model, nil
	}
	p.Arrays = maps.Clone(p.Arrays)
	p.Arrays[model.ViewColumns] = rkhs.ListArray(counts)
	return out, written{p}, nil
}

// written is a fitted thing that was written down.
type written struct{ p rkhs.Plain[any] }

// Plain returns it.
func (w written) Plain() (rkhs.Plain[any], error) { return w.p, nil }
