package model

import (
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/format/container"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/rkhs"
)

// Projections and groupings of rows with columns of objects: the encoder says what a row holds, and
// a function compares all of its columns, or those of its view.

// rowsFormat is that of things on rows with columns of objects, which an older mercer does not
// know.
const rowsFormat = 8

// ViewColumns is the array of correlated views that says how many columns of the encoder each view
// has, one after the other, where some view has columns of objects.
const ViewColumns = "columns of views"

// part is the columns that a function looks at.
type part struct {
	schema   mixed.Schema
	from, to int   // features of the encoder
	objects  []int // columns of objects, by their place among all of them
	vectors  bool  // there are none: points are vectors
}

// newPart is what a function sees of rows whose columns from to below to it looks at.
func newPart(e *data.Encoder, from, to int) part {
	own := &data.Encoder{Columns: slices.Clone(e.Columns[from:to])}
	var p part
	object := 0
	for i := range e.Columns {
		c := &e.Columns[i]
		if i == from {
			p.from = c.Offset
		}
		if c.Object() {
			if i >= from && i < to {
				p.objects = append(p.objects, object)
			}
			object++
		}
	}
	if from == 0 && e.SparseDim > 0 {
		p.from, own.SparseDim, own.Dim, own.Sparse = 0, e.SparseDim, e.SparseDim, e.Sparse
	}
	for i := range own.Columns {
		c := &own.Columns[i]
		c.Offset = own.Dim
		if own.Dim += c.Width; c.Indicator {
			own.Dim++
		}
		own.Sparse = own.Sparse || c.Kind == data.Text && c.Width > 0
	}
	p.to, p.schema, p.vectors = p.from+own.Dim, mixing.SchemaOf(own), len(p.objects) == 0
	return p
}

// partsOf cuts the columns of the encoder: all of them for each function, or a view for each.
func (t *transform) partsOf(functions int) ([]part, error) {
	e := t.encoder
	if e == nil {
		return nil, fmt.Errorf("a thing on rows of a table needs the encoder that made them")
	}
	counts, ok := t.plain.Arrays[ViewColumns]
	if !ok {
		whole := newPart(e, 0, len(e.Columns))
		return slices.Repeat([]part{whole}, functions), nil
	}
	if r, c := counts.Dims(); r != 1 || c != functions {
		return nil, fmt.Errorf("columns of %d views for %d functions", c, functions)
	}
	var out []part
	at := 0
	for i := range functions {
		n, err := t.plain.Codes(ViewColumns, functions, len(e.Columns)+1)
		if err != nil {
			return nil, err
		}
		if n[i] < 1 || at+n[i] > len(e.Columns) {
			return nil, fmt.Errorf("view %d has %d columns of %d", i, n[i], len(e.Columns))
		}
		out = append(out, newPart(e, at, at+n[i]))
		at += n[i]
	}
	if at != len(e.Columns) {
		return nil, fmt.Errorf("views have %d columns of %d", at, len(e.Columns))
	}
	return out, nil
}

// points is what the function sees of encoded rows.
func (p part) points(x *data.Encoded) (data.Points[any], error) {
	n := x.Len()
	own := &data.Encoded{Kept: x.Kept}
	for _, j := range p.objects {
		if j >= len(x.Objects) {
			return nil, fmt.Errorf("model: %d columns of objects, want more", len(x.Objects))
		}
		own.Objects = append(own.Objects, x.Objects[j])
	}
	if n == 0 {
		return data.EraseVectors(data.DenseRows{}), nil
	}
	if p.schema.Sparse && !p.vectors {
		s := data.SparseOf(featuresFrom(x, p.from, p.to), p.schema.Dim)
		own.Sparse = &s
	} else {
		own.Dense = data.RowsOf(spelt(x, p.from, p.to))
	}
	if p.vectors {
		return data.EraseVectors(own.Dense), nil
	}
	rows, err := p.schema.Rows(own)
	if err != nil {
		return nil, err
	}
	return mixing.EraseRows(rows), nil
}

// featuresFrom is the features from to below to of each row.
func featuresFrom(x *data.Encoded, from, to int) []data.SparseVec {
	out := make([]data.SparseVec, x.Len())
	for i := range out {
		row := x.Sparse.At(i)
		for k, j := range row.Index {
			if int(j) >= from && int(j) < to {
				out[i].Index, out[i].Value = append(out[i].Index, j-int32(from)), append(out[i].Value, row.Value[k])
			}
		}
	}
	return out
}

// spelt is the same as a matrix.
func spelt(x *data.Encoded, from, to int) linalg.Matrix[float64] {
	m := linalg.New[float64](x.Len(), to-from)
	for i := range m.Rows {
		if x.Sparse == nil {
			if to > from {
				copy(m.Row(i), x.Dense.At(i)[from:to])
			}
			continue
		}
		row := x.Sparse.At(i)
		for k, j := range row.Index {
			if int(j) >= from && int(j) < to {
				m.Row(i)[int(j)-from] = row.Value[k]
			}
		}
	}
	return m
}

// readRows writes a kernel on rows down and reads it again.
func (p part) readRows(k kernel.Kernel[mixed.Row]) (string, kernel.Kernel[any], error) {
	text, err := spec.FormatRows(p.schema, k)
	if err != nil {
		return "", nil, err
	}
	again, err := p.parse(text)
	return text, again, err
}

// parse is the kernel of a text, on what the function sees.
func (p part) parse(text string) (kernel.Kernel[any], error) {
	if len(text) > maxKernelText {
		return nil, fmt.Errorf("a kernel text of %d bytes", len(text))
	}
	if p.vectors {
		k, err := spec.ParseKernel(text)
		if err != nil {
			return nil, fmt.Errorf("kernel %q: %w", clip(text), err)
		}
		return kernel.OnVectors(k), nil
	}
	k, err := spec.ParseRows(p.schema, text)
	if err != nil {
		return nil, fmt.Errorf("kernel %q: %w", clip(text), err)
	}
	return mixing.Erase(k), nil
}

// putCenters writes the centres of a function on rows as those of a predictor are written.
func (p part) putCenters(f *rkhs.Func[any], prefix string, to map[string]container.Tensor) error {
	b := rowsBody{&fitted{size: p.schema.Dim}, p.schema}
	r := record{coef: f.Coef, bias: f.Bias, dim: p.schema.Dim}
	b.centersTo(&r, f.Centers)
	own := map[string]container.Tensor{}
	if err := r.putTensors(own); err != nil {
		return err
	}
	for name, t := range own {
		to[prefix+name] = t
	}
	return nil
}

// takeCenters reads them back.
func (p part) takeCenters(k kernel.Kernel[any], prefix string, from map[string]container.Tensor) (*rkhs.Func[any],
	error) {
	own := map[string]container.Tensor{}
	for name, t := range from {
		if len(name) > len(prefix) && name[:len(prefix)] == prefix {
			own[name[len(prefix):]] = t
		}
	}
	r := record{domain: domainRows, dim: p.schema.Dim}
	if err := r.takeTensors(own); err != nil {
		return nil, err
	}
	rows, err := r.rowsBy(p.schema)
	if err != nil {
		return nil, err
	}
	f := &rkhs.Func[any]{Kernel: k, Centers: mixing.EraseRows(rows), Coef: r.coef, Bias: r.bias}
	return f, f.Check()
}
