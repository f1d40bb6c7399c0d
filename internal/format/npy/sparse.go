package npy

import (
	"archive/zip"
	"fmt"
	"io"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/room"
)

// ReadSparse reads a sparse matrix as scipy.sparse.save_npz writes it in the form CSR (or CSC, of
// which the transpose is given): the arrays indptr, indices, data and shape of an NPZ file. ok is
// false where the file has no such arrays.
func ReadSparse(src io.ReaderAt, size int64, name string, bytes int64) (m *data.CSR, ok bool, err error) {
	left := room.New(name, bytes)
	z, err := zip.NewReader(src, size)
	if err != nil {
		return nil, false, &data.Error{File: name, Kind: data.ErrFormat, Reason: "not an NPZ file",
			Advice: "save a matrix with scipy.sparse.save_npz", Err: err}
	}
	arrays := map[string]*Array{}
	for _, f := range z.File {
		switch key := f.Name; key {
		case "indptr.npy", "indices.npy", "data.npy", "shape.npy":
			r, err := f.Open()
			if err != nil {
				return nil, false, damagedArray(name+":"+key, err)
			}
			a, err := read(r, name+":"+key, left)
			r.Close()
			if err != nil {
				return nil, false, err
			}
			if len(a.Shape) != 1 || arrays[key] != nil {
				return nil, false, &data.Error{File: name, Kind: data.ErrFormat,
					Reason: fmt.Sprintf("%s has %d dimensions, or is there twice", key, len(a.Shape)),
					Advice: "save a matrix with scipy.sparse.save_npz"}
			}
			arrays[key] = a
		}
	}
	ptr, index, value, shape := arrays["indptr.npy"], arrays["indices.npy"], arrays["data.npy"], arrays["shape.npy"]
	if ptr == nil || index == nil || value == nil || shape == nil {
		return nil, false, nil
	}
	bad := func(reason string) (*data.CSR, bool, error) {
		return nil, false, &data.Error{File: name, Kind: data.ErrDamaged, Reason: "not a sparse matrix: " + reason,
			Advice: "save it again with scipy.sparse.save_npz, in the form CSR"}
	}
	whole := func(v, most float64) bool { return v == math.Trunc(v) && v >= 0 && v <= most }
	if len(shape.Values) != 2 || !whole(shape.Values[0], math.MaxInt32) || !whole(shape.Values[1], math.MaxInt32) ||
		len(index.Values) != len(value.Values) {
		return bad(fmt.Sprintf("a shape of %d numbers, %d columns and %d values", len(shape.Values), len(index.Values),
			len(value.Values)))
	}
	rows := int(shape.Values[0])
	if rows != int(shape.Values[1]) && len(ptr.Values) != rows+1 {
		rows = int(shape.Values[1]) // columns of a CSC matrix
	}
	m = &data.CSR{Rows: rows, Cols: int(shape.Values[0]) + int(shape.Values[1]) - rows, Value: value.Values}
	for _, v := range ptr.Values {
		if !whole(v, float64(len(value.Values))) {
			return bad(fmt.Sprintf("a row that starts at %g of %d entries", v, len(value.Values)))
		}
		m.Ptr = append(m.Ptr, int(v))
	}
	for _, v := range index.Values {
		if !whole(v, math.MaxInt32) {
			return bad(fmt.Sprintf("a column %g", v))
		}
		m.Index = append(m.Index, int32(v))
	}
	if len(m.Ptr) != rows+1 || m.Ptr[0] != 0 || m.Ptr[rows] != len(m.Index) {
		return bad(fmt.Sprintf("%d starts of %d rows", len(m.Ptr), rows))
	}
	for i := range rows {
		if m.Ptr[i] > m.Ptr[i+1] {
			return bad(fmt.Sprintf("row %d ends before it starts", i))
		}
	}
	for k, j := range m.Index {
		if int(j) >= m.Cols || math.IsNaN(m.Value[k]) {
			return bad(fmt.Sprintf("entry %d is %g in column %d of %d", k, m.Value[k], j, m.Cols))
		}
	}
	return m, true, nil
}
