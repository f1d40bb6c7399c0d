package svmtool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/format/libsvm"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// problem is a training set as the solvers see it: points, their kernel, and
// labels. T is a sparse row, or the place of a row in a precomputed matrix.
type problem[T any] struct {
	x data.Points[T]
	k kernel.Kernel[T]
	y []float64
}

func (p problem[T]) part(index []int) problem[T] {
	y := make([]float64, len(index))
	for i, j := range index {
		y[i] = p.y[j]
	}
	return problem[T]{x: data.Gather(p.x, index), k: p.k, y: y}
}

// table is a file in LIBSVM's format: labels and sparse rows. A precomputed
// file numbers its columns from 0.
type table struct {
	name string
	rows data.SparseRows
	y    []float64
}

// openError is a file of rows that cannot be opened, as svm-train and svm-predict say it.
type openError struct {
	path  string
	cause error
}

func (e *openError) Error() string {
	if errors.Is(e.cause, os.ErrPermission) {
		return fmt.Sprintf("can't open input file %s: permission denied", e.path)
	}
	return "can't open input file " + e.path
}

func (e *openError) Unwrap() error { return e.cause }

func readTable(ctx context.Context, path string, zeroBased bool) (*table, error) {
	var d *data.Dataset
	f, err := os.Open(path)
	if err != nil {
		return nil, &openError{path, err}
	}
	defer f.Close()
	if zeroBased {
		d, err = libsvm.Read(f, path, libsvm.Options{ZeroBased: true})
	} else {
		d, err = load.Read(ctx, path, load.Options{Format: "libsvm"})
	}
	if err != nil {
		return nil, err
	}
	return newTable(d)
}

func newTable(d *data.Dataset) (*table, error) {
	label, err := d.Column(libsvm.LabelColumn)
	if err != nil {
		return nil, err
	}
	numbers, err := label.As(data.Numeric)
	if err != nil {
		return nil, err
	}
	t := &table{name: d.Name, y: numbers.Numbers}
	if d.Sparse != nil {
		t.rows = *d.Sparse
	} else {
		t.rows = data.SparseOf(make([]data.SparseVec, len(t.y)), 0)
	}
	return t, nil
}

// sparseProblem is a table under a kernel on vectors.
func (t *table) sparseProblem(p kernelParams, dim int) (problem[data.SparseVec], error) {
	k, err := kernel.OnSparse(p.kernel(), max(dim, t.rows.Dim()))
	if err != nil {
		return problem[data.SparseVec]{}, err
	}
	return problem[data.SparseVec]{x: widened(t.rows, max(dim, t.rows.Dim())), k: k, y: t.y}, nil
}

// widened gives rows more columns, of zeros.
func widened(r data.SparseRows, dim int) data.SparseRows {
	if dim <= r.Dim() {
		return r
	}
	m := *r.CSR()
	m.Cols = dim
	return data.Sparse(&m)
}

// denseShare is the share of entries that are not zeros from which rows are laid out: products of
// whole rows are then faster than walks over entries, for a little more memory.
const denseShare = 0.2

func dense(r data.SparseRows) bool {
	m := r.CSR()
	return float64(len(m.Value)) >= denseShare*float64(m.Rows)*float64(m.Cols) && m.Cols > 0
}

// laidOut is rows with all their entries, of at least dim columns.
func laidOut(r data.SparseRows, dim int) data.DenseRows {
	m := mat.NewDense(max(r.Len(), 1), max(dim, r.Dim()), nil)
	for i := range r.Len() {
		row, v := m.RawRowView(i), r.At(i)
		for a, j := range v.Index {
			row[j] = v.Value[a]
		}
	}
	return data.Rows(m)
}

// serials reads the number 0:k that starts each row of a precomputed file.
func (t *table) serials() ([]int, error) {
	out := make([]int, t.rows.Len())
	for i := range out {
		v := t.rows.At(i)
		if len(v.Index) == 0 || v.Index[0] != 0 {
			return nil, fmt.Errorf("%s: row %d: Wrong input format: first column must be 0:sample_serial_number", t.name, i+1)
		}
		out[i] = int(v.Value[0])
		if float64(out[i]) != v.Value[0] || out[i] < 1 || out[i] >= t.rows.Dim() {
			return nil, fmt.Errorf("%s: row %d: Wrong input format: sample_serial_number out of range", t.name, i+1)
		}
	}
	return out, nil
}

// precomputedProblem is a table whose row i holds k(xᵢ, xⱼ) in the column of
// j's serial number.
func (t *table) precomputedProblem() (problem[int], error) {
	serial, err := t.serials()
	if err != nil {
		return problem[int]{}, err
	}
	n := len(serial)
	if n == 0 {
		return problem[int]{}, io.ErrUnexpectedEOF
	}
	k := mat.NewDense(n, n, nil)
	dense := make([]float64, t.rows.Dim())
	for i := range n {
		clear(dense)
		v := t.rows.At(i)
		for a, j := range v.Index {
			dense[j] = v.Value[a]
		}
		row := k.RawRowView(i)
		for j, s := range serial {
			row[j] = dense[s]
		}
	}
	return problem[int]{x: data.Indices(n), k: kernel.Precomputed{K: k}, y: t.y}, nil
}
