// Package parquet reads Apache Parquet files. Each leaf column becomes a
// column of a data set, nested ones by their path with dots between: numbers
// and booleans are numeric (decimals too), strings are inferred as in CSV,
// dates and timestamps are times, lists of numbers are sequences, null is
// missing.
package parquet

import (
	"errors"
	"fmt"
	"io"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/format/parquetfile"
)

// Reader gives rows a row group at a time, cut into chunks. It implements
// data.Stream.
type Reader struct {
	name    string
	kinds   map[string]data.Kind
	file    *parquetfile.File
	leaves  []leaf
	cursors []*parquetfile.Cursor // of the columns in the current group
	group   int
	offset  int64 // rows of the group that were given out
	before  int64 // rows of earlier groups
	chunk   int64
}

var _ data.Stream = (*Reader)(nil)

// chunkRows is the number of rows a Reader gives at a time.
const chunkRows = 1 << 16

// Open reads the footer of a file of the given size; kinds says what string
// columns are, by name.
func Open(src io.ReaderAt, size int64, name string, kinds map[string]data.Kind) (*Reader, error) {
	f, err := parquetfile.Open(src, size)
	if err != nil {
		return nil, &data.Error{File: name, Kind: data.ErrFormat, Reason: "not a readable Parquet file", Advice: "it may be cut short: copy or write it again", Err: err}
	}
	if f.Rows == 0 {
		return nil, &data.Error{File: name, Reason: "no rows", Kind: data.ErrNoRows}
	}
	if len(f.Columns) == 0 {
		return nil, &data.Error{File: name, Reason: "no columns", Kind: data.ErrNoColumn}
	}
	r := &Reader{name: name, kinds: kinds, file: f, chunk: chunkRows}
	for i := range f.Columns {
		l, err := newLeaf(&f.Columns[i])
		if err != nil {
			return nil, &data.Error{File: name, Column: f.Columns[i].Name, Err: err, Kind: data.ErrFormat, Advice: "leave the column out, or write it as numbers or strings"}
		}
		r.leaves = append(r.leaves, l)
	}
	return r, nil
}

// Next returns the next rows, or io.EOF.
func (r *Reader) Next() (*data.Dataset, error) {
	d, err := r.next()
	if err != nil {
		return nil, err
	}
	kinds := map[string]data.Kind{}
	for i := range d.Columns {
		c := &d.Columns[i]
		if k, ok := r.kinds[c.Name]; ok {
			kinds[c.Name] = k
		} else if c.Kind == data.Text {
			kinds[c.Name] = data.Text
		}
	}
	return d, data.InferKinds(d, kinds)
}

// next returns the next rows as they are stored.
func (r *Reader) next() (*data.Dataset, error) {
	groups := r.file.Groups
	for r.group < len(groups) && r.offset >= groups[r.group].Rows {
		r.before += r.offset
		r.group, r.offset, r.cursors = r.group+1, 0, nil
	}
	if r.group >= len(groups) {
		return nil, io.EOF
	}
	if r.cursors == nil {
		for j := range r.leaves {
			r.cursors = append(r.cursors, r.file.Cursor(r.group, j))
		}
	}
	n := min(r.chunk, groups[r.group].Rows-r.offset)
	d := &data.Dataset{Name: r.name, Columns: make([]data.Column, len(r.leaves))}
	faults := make([]error, len(r.leaves))
	par.For(0, len(r.leaves), 1, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			d.Columns[j], faults[j] = r.column(j, n)
		}
	})
	for _, err := range faults {
		if err != nil {
			return nil, err
		}
	}
	r.offset += n
	return d, nil
}

// column reads the next n rows of column j.
func (r *Reader) column(j int, n int64) (data.Column, error) {
	l := &r.leaves[j]
	c := data.Column{Name: l.column.Name, Kind: l.kind}
	switch l.kind {
	case data.Numeric:
		c.Numbers = make([]float64, 0, n)
	case data.Time:
		c.Micros = make([]int64, 0, n)
	case data.Text:
		c.Strings = make([]string, 0, n)
	}
	err := r.cursors[j].Rows(n, func(run *parquetfile.Run) error { return l.add(&c, run, r.before+r.offset) })
	if err == nil {
		return c, nil
	}
	return c, r.fault(l.column.Name, err)
}

// fault says of what went wrong in a column what to do about it.
func (r *Reader) fault(column string, err error) error {
	var unsupported *parquetfile.UnsupportedError
	var value *data.Error
	e := &data.Error{Column: column, Kind: data.ErrDamaged, Reason: fmt.Sprintf("column %q", column), Advice: "the file may be damaged: write it again", Err: err}
	switch {
	case errors.As(err, &unsupported):
		e.Kind, e.Advice = data.ErrFormat, unsupported.Remedy
	case errors.As(err, &value):
		e = value
		e.Advice = "replace it before saving (null counts as missing)"
	}
	e.File = r.name
	return e
}

// Close does nothing; the source is the caller's.
func (r *Reader) Close() error { return nil }

// Read reads a whole file.
func Read(src io.ReaderAt, size int64, name string, kinds map[string]data.Kind) (*data.Dataset, error) {
	r, err := Open(src, size, name, kinds)
	if err != nil {
		return nil, err
	}
	var chunks []*data.Dataset
	for {
		d, err := r.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		chunks = append(chunks, d)
	}
	d, err := data.Concat(chunks)
	if err != nil {
		return nil, err
	}
	return d, data.InferKinds(d, kinds)
}
