package model

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/format/container"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/learn"
)

// rowsBody is a body on rows of a table with columns of objects. The encoder says what a row holds.
type rowsBody struct {
	*fitted
	schema mixed.Schema
}

func newRowsBody(s learn.Saved[any], of kernel.Kernel[mixed.Row], e *data.Encoder) (body, error) {
	if e == nil {
		return nil, fmt.Errorf("a model on rows of a table needs the encoder that made them")
	}
	schema := mixing.SchemaOf(e)
	text, err := spec.FormatRows(schema, of)
	if err != nil {
		return nil, err
	}
	// What is used is what a file would give back.
	k, err := spec.ParseRows(schema, text)
	if err != nil {
		return nil, fmt.Errorf("kernel %q: %w", text, err)
	}
	p, err := restore(onto(s, mixing.Erase(k), s.Func.Centers))
	if err != nil {
		return nil, err
	}
	return rowsBody{&fitted{
		p: p, name: domainRows, text: text, size: e.Dim,
		points: func(x *data.Encoded) (data.Points[any], error) {
			rows, err := schema.Rows(x)
			return mixing.EraseRows(rows), err
		},
	}, schema}, nil
}

// record writes the features of the centres as a matrix, and their objects as text.
func (b rowsBody) record() record {
	r := b.fitted.record()
	b.centersTo(&r, b.p.Func().Centers)
	return r
}

// centersTo writes centres into a record.
func (b rowsBody) centersTo(r *record, of data.Points[any]) {
	centers, _ := mixing.RowsOf(of)
	if b.schema.Sparse {
		rows := make([]data.SparseVec, centers.Len())
		for i := range rows {
			rows[i] = centers.At(i).Sparse
		}
		r.sparse = data.SparseOf(rows, b.size).CSR()
	} else {
		r.dense = linalg.New[float64](centers.Len(), b.size)
		for i := range r.dense.Rows {
			copy(r.dense.Row(i), centers.At(i).Features)
		}
	}
	for _, c := range b.schema.Objects() {
		texts := make([]string, centers.Len())
		for i := range texts {
			texts[i] = c.Text(centers.At(i).Objects[c.Object])
		}
		r.objects = append(r.objects, texts)
	}
}

// rows makes the centres of what a file holds.
func (r record) rows(e *data.Encoder) (data.Points[mixed.Row], error) {
	return r.rowsBy(mixing.SchemaOf(e))
}

func (r record) rowsBy(schema mixed.Schema) (data.Points[mixed.Row], error) {
	columns := schema.Objects()
	if len(columns) != len(r.objects) {
		return nil, fmt.Errorf("%d columns of objects for an encoder of %d", len(r.objects), len(columns))
	}
	n := r.dense.Rows
	if schema.Sparse {
		if r.sparse == nil {
			return nil, fmt.Errorf("no sparse centres")
		}
		n = r.sparse.Rows
	}
	rows := make(data.Slice[mixed.Row], n)
	var sparse data.SparseRows
	if schema.Sparse {
		sparse = data.Sparse(r.sparse)
	}
	for i := range rows {
		if schema.Sparse {
			rows[i].Sparse = sparse.At(i)
		} else {
			rows[i].Features = r.dense.Row(i)
		}
		rows[i].Objects = make([]any, len(columns))
	}
	for j, c := range columns {
		if len(r.objects[j]) != n {
			return nil, fmt.Errorf("%d objects of column %q for %d centres", len(r.objects[j]), c.Name, n)
		}
		objects, err := c.Take(r.objects[j])
		if err != nil {
			return nil, err
		}
		for i := range rows {
			rows[i].Objects[j] = objects[i]
		}
	}
	return rows, nil
}

// textTensors stores strings as a tensor of their bytes, and where each ends.
func textTensors(texts []string) (bytes, ends container.Tensor) {
	var b []byte
	end := make([]int64, len(texts))
	for i, s := range texts {
		b = append(b, s...)
		end[i] = int64(len(b))
	}
	return container.Tensor{DType: "U8", Shape: []int{len(b)}, Bytes: b}, container.Int64s(end)
}

// takeTexts reads them back.
func takeTexts(bytes, ends container.Tensor) ([]string, error) {
	if bytes.DType != "U8" {
		return nil, fmt.Errorf("bytes of type %s", bytes.DType)
	}
	end, err := ends.Int64s()
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(end))
	from := int64(0)
	for i, to := range end {
		if to < from || to > int64(len(bytes.Bytes)) {
			return nil, fmt.Errorf("text %d ends at byte %d of %d", i, to, len(bytes.Bytes))
		}
		texts[i] = string(bytes.Bytes[from:to])
		from = to
	}
	if from != int64(len(bytes.Bytes)) {
		return nil, fmt.Errorf("%d bytes after the last text", int64(len(bytes.Bytes))-from)
	}
	return texts, nil
}
