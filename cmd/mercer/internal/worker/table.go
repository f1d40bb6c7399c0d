package worker

import (
	"context"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// columnHead is a column of a table: its values are arrays that begin with the name of the table
// and the place of the column.
type columnHead struct {
	Name     string   `json:"name"`
	Kind     string   `json:"kind"`
	Levels   []string `json:"levels"`
	Channels int      `json:"channels"`
}

// table puts a table together: numbers are NAME.0, texts NAME.0.bytes with the end of each in
// NAME.0.ends, categories codes into Levels, times microseconds, sequences numbers with the end of
// each.
func (c *call) table(name string, columns []columnHead) (*data.Dataset, error) {
	d := &data.Dataset{Name: "data"}
	for i, h := range columns {
		column, err := c.arrays.column(fmt.Sprintf("%s.%d", name, i), h)
		if err != nil {
			return nil, err
		}
		d.Columns = append(d.Columns, column)
	}
	return d, d.Check()
}

func (a arrays) column(at string, h columnHead) (data.Column, error) {
	out := data.Column{Name: h.Name}
	var err error
	if out.Kind, err = data.ParseKind(h.Kind); err != nil {
		return out, err
	}
	switch out.Kind {
	case data.Numeric:
		v, _, err := view[float64](a, at, 1)
		out.Numbers = slices.Clone(v)
		return out, err
	case data.Categorical:
		v, _, err := view[int32](a, at, 1)
		for _, code := range v {
			if int(code) >= len(h.Levels) {
				return out, fmt.Errorf("column %q: code %d of %d levels", h.Name, code, len(h.Levels))
			}
		}
		out.Codes, out.Levels = slices.Clone(v), h.Levels
		return out, err
	case data.Time:
		v, _, err := view[int64](a, at, 1)
		out.Micros = slices.Clone(v)
		return out, err
	case data.Sequence, data.Bag:
		v, _, err := view[float64](a, at, 1)
		if err != nil {
			return out, err
		}
		out.Channels = h.Channels
		parts, err := cut(a, at, v)
		for _, p := range parts {
			out.Sequences = append(out.Sequences, slices.Clone(p))
		}
		return out, err
	}
	v, _, err := view[byte](a, at, 1)
	if err != nil {
		return out, err
	}
	parts, err := cut(a, at, v)
	for _, p := range parts {
		out.Strings = append(out.Strings, string(p))
	}
	return out, err
}

// cut is the pieces of an array whose ends are known.
func cut[E element](a arrays, at string, v []E) ([][]E, error) {
	ends, _, err := view[int64](a, at+".ends", 1)
	if err != nil {
		return nil, err
	}
	out := make([][]E, len(ends))
	from := int64(0)
	for i, end := range ends {
		if end < from || end > int64(len(v)) {
			return nil, fmt.Errorf("array %q: piece %d ends at %d", at, i, end)
		}
		out[i], from = v[from:end], end
	}
	return out, nil
}

// tabled is a table as rows that a kernel on its columns compares.
type tabled struct {
	encoder  *data.Encoder
	schema   mixed.Schema
	encoded  *data.Encoded
	rows     data.Slice[mixed.Row]
	features bool // there are no columns of objects
}

// newTabled encodes a table as it is: numbers stay as they are, texts stay texts.
func newTabled(d *data.Dataset) (*tabled, error) {
	e, err := data.FitEncoder(d, data.EncoderOptions{Scaling: "none", Text: "keep"})
	if err != nil {
		return nil, err
	}
	t := &tabled{encoder: e, schema: mixing.SchemaOf(e)}
	t.features = len(t.schema.Objects()) == 0
	return t, t.read(d)
}

func (t *tabled) read(d *data.Dataset) (err error) {
	if t.encoded, err = t.encoder.Transform(d); err != nil {
		return err
	}
	if !t.features {
		t.rows, err = t.schema.Rows(t.encoded)
	}
	return err
}

// onTable fits to the rows of a table.
func (j *fitJob) onTable(ctx context.Context, t *tabled) (*fitted, error) {
	if t.features {
		k, err := spec.ParseFeatures(t.schema, j.args.Kernel)
		if err != nil {
			return nil, err
		}
		m, err := learnFrom(ctx, j, kernel.OnVectors(k), data.EraseVectors(t.encoded.AsDense()))
		if err != nil {
			return nil, err
		}
		return keepWith(j, m, m, t.encoder)
	}
	k, err := spec.ParseRows(t.schema, j.args.Kernel)
	if err != nil {
		return nil, err
	}
	m, err := learnFrom(ctx, j, mixing.Erase(k), mixing.EraseRows(t.rows))
	if err != nil {
		return nil, err
	}
	return keepWith(j, m, m, t.encoder)
}

// encoded is the rows of a request as a model takes them: a table where it has columns, else
// points.
func (c *call) encoded(m *model.Model, columns []columnHead) (*data.Encoded, error) {
	if columns == nil {
		x, err := c.arrays.points("x")
		if err != nil {
			return nil, err
		}
		return x.encoded(), nil
	}
	d, err := c.table("x", columns)
	if err != nil {
		return nil, err
	}
	// as the rows were read that it was fitted on
	if err := data.InferKinds(d, data.Inference{Told: m.Readings(), Literal: true}); err != nil {
		return nil, err
	}
	return m.Encode(d)
}

// gramArgs is a kernel, and what the rows are.
type gramArgs struct {
	Kernel   string       `json:"kernel"`
	Columns  []columnHead `json:"columns"`  // of x, where it is a table
	ColumnsY []columnHead `json:"columnsY"` // of y
	Diagonal bool         `json:"diagonal"`
	Gradient bool         `json:"gradient"` // ∂k(x, y)/∂x of all pairs
}

// matrix is k(x, y) of all pairs of rows; of x alone where there is no y.
func matrix(ctx context.Context, c *call) (*answer, error) {
	var args gramArgs
	if err := c.decode(&args); err != nil {
		return nil, err
	}
	if args.Columns != nil {
		return c.matrixOfTables(ctx, args)
	}
	x, err := c.arrays.points("x")
	if err != nil {
		return nil, err
	}
	y := x
	if c.arrays.has("y") || c.arrays.has("y.ptr") {
		if y, err = c.arrays.points("y"); err != nil {
			return nil, err
		}
	}
	if x.sparse != nil && y.sparse != nil {
		k, err := onSparse(args.Kernel, max(x.sparse.Dim(), y.sparse.Dim()))
		if err != nil {
			return nil, err
		}
		return blockOf[data.SparseVec](ctx, args, k, x.sparse, y.sparse)
	}
	if x.dense == nil || y.dense == nil {
		return nil, fmt.Errorf("one of the two is sparse and the other is not")
	}
	k, err := spec.ParseKernel(args.Kernel)
	if err != nil {
		return nil, err
	}
	if args.Gradient {
		return gradients(ctx, k, data.Rows(x.dense), data.Rows(y.dense))
	}
	return blockOf[kernel.Vec](ctx, args, k, data.Rows(x.dense), data.Rows(y.dense))
}

func (c *call) matrixOfTables(ctx context.Context, args gramArgs) (*answer, error) {
	d, err := c.table("x", args.Columns)
	if err != nil {
		return nil, err
	}
	x, err := newTabled(d)
	if err != nil {
		return nil, err
	}
	y := *x
	if args.ColumnsY != nil {
		other, err := c.table("y", args.ColumnsY)
		if err != nil {
			return nil, err
		}
		if err := y.read(other); err != nil {
			return nil, err
		}
	}
	if x.features {
		k, err := spec.ParseFeatures(x.schema, args.Kernel)
		if err != nil {
			return nil, err
		}
		return blockOf[kernel.Vec](ctx, args, k, x.encoded.AsDense(), y.encoded.AsDense())
	}
	k, err := spec.ParseRows(x.schema, args.Kernel)
	if err != nil {
		return nil, err
	}
	return blockOf[mixed.Row](ctx, args, k, x.rows, y.rows)
}

func blockOf[T any](ctx context.Context, args gramArgs, k kernel.Kernel[T], x, y data.Points[T]) (*answer, error) {
	if err := kernel.CheckPair(k, x, y); err != nil {
		return nil, err
	}
	a := newAnswer()
	if args.Diagonal {
		v := make([]float64, x.Len())
		if err := kernel.Diag(ctx, k, v, x); err != nil {
			return nil, err
		}
		put(a, "matrix", v)
		return a, nil
	}
	m := mat.NewDense(x.Len(), y.Len(), nil)
	if err := kernel.Block(ctx, k, m, x, y); err != nil {
		return nil, err
	}
	a.putMatrix("matrix", m)
	return a, nil
}

// gradients is ∂k(x, y)/∂x of each pair, the coordinates of a pair after each other.
func gradients(ctx context.Context, k kernel.Kernel[kernel.Vec], x, y data.DenseRows) (*answer, error) {
	if err := kernel.CheckPair(k, data.Points[kernel.Vec](x), data.Points[kernel.Vec](y)); err != nil {
		return nil, err
	}
	out := make([]float64, x.Len()*y.Len()*x.Dim())
	for i := range x.Len() {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for j := range y.Len() {
			at := (i*y.Len() + j) * x.Dim()
			if err := kernel.InputGrad(k, out[at:at+x.Dim()], x.At(i), y.At(j)); err != nil {
				return nil, err
			}
		}
	}
	a := newAnswer()
	put(a, "matrix", out, x.Len(), y.Len(), x.Dim())
	return a, nil
}

// describe says what is known of a kernel, and how it is written.
func describe(_ context.Context, c *call) (*answer, error) {
	var args gramArgs
	if err := c.decode(&args); err != nil {
		return nil, err
	}
	k, err := spec.ParseKernel(args.Kernel)
	if err != nil {
		return nil, err
	}
	text, err := spec.FormatKernel(k)
	if err != nil {
		return nil, err
	}
	a := newAnswer()
	p := kernel.PropertiesOf(k)
	a.result["text"] = text
	known := map[string]any{}
	for name, t := range map[string]kernel.Tri{"psd": p.PSD, "strict": p.Strict, "continuous": p.Continuous,
		"stationary": p.Stationary,
		"isotropic":  p.Isotropic, "universal": p.Universal, "characteristic": p.Characteristic} {
		switch t {
		case kernel.Yes:
			known[name] = true
		case kernel.No:
			known[name] = false
		default:
			known[name] = nil
		}
	}
	a.result["properties"] = known
	a.result["bounds"] = finite(map[string]float64{"bound": p.Bound, "smoothness": p.Smoothness})
	return a, nil
}
