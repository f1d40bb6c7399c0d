// Package arrow reads Apache Arrow data, in the IPC file format (also called
// Feather version 2) and as an IPC stream. Numbers are numeric, booleans truth values,
// strings are inferred as in CSV, dictionaries are categories, dates and
// timestamps are times, lists of numbers are sequences, null is missing.
package arrow

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/arrowfile"
	"github.com/mercer-ml/mercer/internal/format/room"
)

// Reader gives rows a record batch at a time. It implements data.Stream.
type Reader struct {
	name  string
	infer data.ChunkInference
	src   *arrowfile.Reader
	rows  int
	bytes int64
}

var _ data.Stream = (*Reader)(nil)

// NewFileReader reads the IPC file format from a source of the given size; in is
// what is told of its columns.
func NewFileReader(src io.ReaderAt, size int64, name string, in data.Inference) (*Reader, error) {
	return NewFileReaderWithin(src, size, name, in, 0)
}

// NewFileReaderWithin is NewFileReader in so many bytes of memory for the rows of a batch, or for
// all rows in ReadAll; 0 means half of the machine's.
func NewFileReaderWithin(src io.ReaderAt, size int64, name string, in data.Inference, bytes int64) (*Reader, error) {
	left := room.New(name, bytes)
	f, err := arrowfile.OpenFile(src, size, left.Left()/2)
	return opened(f, err, name, in, left, bytes)
}

// opened sees that there is memory for the columns of an opened file or stream.
func opened(
	src *arrowfile.Reader, err error, name string, in data.Inference, left *room.Room, bytes int64,
) (*Reader, error) {
	if err != nil {
		return nil, unreadable(name, err, left)
	}
	if err := left.Fits(int64(len(src.Fields())), room.Column); err != nil {
		return nil, err
	}
	in.Literal = true // strings are values, whatever they are: the format has a null of its own
	return &Reader{name: name, infer: data.ChunkInference{In: in}, src: src, bytes: bytes}, nil
}

// NewStreamReader reads an IPC stream.
func NewStreamReader(src io.Reader, name string, in data.Inference) (*Reader, error) {
	return NewStreamReaderWithin(src, name, in, 0)
}

// NewStreamReaderWithin is NewStreamReader in so many bytes of memory, as NewFileReaderWithin has
// it.
func NewStreamReaderWithin(src io.Reader, name string, in data.Inference, bytes int64) (*Reader, error) {
	left := room.New(name, bytes)
	s, err := arrowfile.OpenStream(src, left.Left()/2)
	return opened(s, err, name, in, left, bytes)
}

func unreadable(name string, err error, left *room.Room) error {
	if large := left.Decompressed(err); large != nil {
		return large
	}
	var column *arrowfile.UnsupportedError
	if errors.As(err, &column) {
		return &data.Error{File: name, Column: column.Column, Err: column, Kind: data.ErrFormat,
			Advice: "leave the column out, or write it as numbers or strings"}
	}
	return &data.Error{File: name, Kind: data.ErrFormat, Reason: "not readable Arrow data",
		Advice: "it may be cut short: copy or write it again", Err: err}
}

// fault says of what went wrong in a column what to do about it.
func fault(file, column string, err error) error {
	e := &data.Error{Column: column, Kind: data.ErrDamaged, Reason: fmt.Sprintf("column %q", column), Err: err}
	var value *data.Error
	if errors.As(err, &value) {
		e = value
	}
	if e.File = file; e.Advice == "" {
		e.Advice = "replace it before saving (null counts as missing), or leave the column out"
	}
	return e
}

// Next returns the next rows, or io.EOF.
func (r *Reader) Next() (*data.Dataset, error) {
	d, err := r.batch()
	if err != nil {
		return nil, err
	}
	return d, r.infer.Infer(d)
}

// batch returns the next rows as they are stored.
func (r *Reader) batch() (*data.Dataset, error) {
	left := room.New(r.name, r.bytes)
	for {
		b, err := r.src.Next()
		if err == io.EOF {
			if r.rows == 0 {
				return nil, &data.Error{File: r.name, Reason: "no rows", Kind: data.ErrNoRows}
			}
			return nil, io.EOF
		}
		if err != nil {
			return nil, unreadable(r.name, err, left)
		}
		if b.Rows == 0 {
			continue
		}
		d := &data.Dataset{Name: r.name}
		for j, f := range r.src.Fields() {
			if err := left.Take(columnBytes(&b.Columns[j])); err != nil {
				return nil, err
			}
			if slices.Contains(r.infer.In.Ignore, f.Name) {
				d.Columns = append(d.Columns, data.TextColumn(f.Name, make([]string, b.Rows)))
				continue
			}
			c, err := column(f.Name, &b.Columns[j], r.rows)
			if err != nil {
				return nil, fault(r.name, f.Name, err)
			}
			d.Columns = append(d.Columns, c)
		}
		r.rows += b.Rows
		return d, nil
	}
}

// Close does nothing; the source is the caller's.
func (r *Reader) Close() error { return nil }

// ReadAll reads the rest of a reader into one data set.
func ReadAll(r *Reader) (*data.Dataset, error) {
	return data.ReadChunks(room.Within(room.New(r.name, r.bytes), r.batch), r.infer.In)
}
