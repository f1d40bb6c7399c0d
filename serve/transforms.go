package serve

import (
	"context"
	"errors"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
)

// What predicts nothing is served as well: a projection answers with coordinates, a grouping with
// groups, a density with how common rows are, a smoother with its curve. A row gets the columns that
// mercer transform gives it, in a table as in tensors.

// transforms says that the model makes columns of rows, and predicts nothing.
func (v *served) transforms() bool { return v.model.Role() != "predictor" }

// transformOutputs are those of a thing that predicts nothing: a tensor for each of its columns.
func (s *schema) transformOutputs(m *model.Model) {
	names := m.TransformNames()
	if len(m.Info().HeldDensity) > 0 {
		names = append(names, "rarity")
	}
	for _, name := range names {
		s.outputs = append(s.outputs, tensor{name: name, kind: "FP64", shape: []int64{-1}})
	}
}

// transform answers a request with tensors.
func (a *asked) transform(ctx context.Context, m *model.Model, x *data.Encoded) (_ []tensor, err error) {
	defer survive(&err)
	made, err := m.TransformEncoded(ctx, x, model.TransformOptions{})
	if err != nil {
		return nil, err
	}
	for i := range a.outputs {
		t := &a.outputs[i]
		for _, c := range made.Columns {
			if c.Name == t.name {
				t.shape, t.numbers = []int64{int64(x.Len())}, c.Numbers
			}
		}
		for row, v := range t.numbers {
			if v-v != 0 {
				return nil, refused("output %q of row %d is %v, which no answer can hold", t.name, row+1, v)
			}
		}
	}
	return a.outputs, nil
}

// answered is chunks of rows with their answers.
type answered interface {
	Next(ctx context.Context) (*data.Dataset, *model.Prediction, error)
	// table is the answer to the last chunk as a file holds it, and the first column of it that is
	// not the chunk's own.
	table(rows *data.Dataset, p *model.Prediction) (*data.Dataset, int)
	Close() error
}

// answers are those of a model that predicts, or of one that transforms.
func (t *table) answers(rows data.Stream) answered {
	t.want.Remarks = t.want.Remarks && t.format != "jsonl" // whose rows have them as a member
	if t.model.Role() == "predictor" {
		return predictions{t.model.Stream(rows, t.want), t}
	}
	out := &transformations{rows: rows, t: t}
	if e := t.model.Info().Encoder; e != nil {
		out.encoded = e.Stream(rows)
	}
	return out
}

type predictions struct {
	*model.Stream
	t *table
}

func (p predictions) table(rows *data.Dataset, of *model.Prediction) (*data.Dataset, int) {
	return p.t.model.Table(rows, of, p.t.want, p.t.keep)
}

type transformations struct {
	rows    data.Stream
	encoded *data.EncodedStream // nil: the columns are the points
	t       *table
	given   int
	made    *model.Transformed
}

func (s *transformations) Next(ctx context.Context) (_ *data.Dataset, _ *model.Prediction, err error) {
	defer survive(&err)
	d, x, err := s.next()
	if err != nil {
		return nil, nil, err
	}
	if s.made, err = s.t.model.TransformEncoded(ctx, x, model.TransformOptions{}); err != nil {
		return nil, nil, err
	}
	return d, &model.Prediction{Rows: s.made.Rows, Filled: x.Filled, UnseenRows: x.UnseenRows, Unseen: x.Unseen,
		FarRows: x.FarRows, Doubts: x.Doubts}, nil
}

func (s *transformations) next() (*data.Dataset, *data.Encoded, error) {
	if s.encoded != nil {
		return s.encoded.Next()
	}
	d, err := s.rows.Next()
	if err != nil {
		return nil, nil, err
	}
	x, err := s.t.model.Encode(d)
	if at, ok := errors.AsType[*data.Error](err); ok && at.Row > 0 {
		placed := *at
		placed.Row += s.given
		err = &placed
	}
	s.given += d.Len()
	return d, x, err
}

func (s *transformations) table(rows *data.Dataset, p *model.Prediction) (*data.Dataset, int) {
	out := s.made.Table(rows, s.t.keep)
	first := len(out.Columns) - len(s.made.Columns)
	if s.t.want.Remarks {
		out.Columns = append(out.Columns, s.t.model.RemarksColumn(rows, p, out))
	}
	return out, first
}

func (s *transformations) Close() error { return s.rows.Close() }
