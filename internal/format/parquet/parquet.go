// Package parquet reads Apache Parquet files. Each leaf column becomes a
// column of a data set, nested ones by their path with dots between: numbers
// are numeric (decimals too), booleans truth values, strings are inferred as in CSV,
// dates and timestamps are times, lists of numbers are sequences, lists of
// strings are texts with a space between the strings, null is missing. Columns
// of other types are left out: see data.Dataset.Skipped.
package parquet

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/celltext"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/format/parquetfile"
	"github.com/mercer-ml/mercer/internal/format/room"
)

// Reader gives rows a row group at a time, cut into chunks. It implements
// data.Stream.
type Reader struct {
	name    string
	infer   data.ChunkInference
	file    *parquetfile.File
	leaves  []leaf
	skipped []data.SkippedColumn
	cursors []*parquetfile.Cursor // of the columns in the current group
	group   int
	offset  int64 // rows of the group that were given out
	before  int64 // rows of earlier groups
	chunk   int64 // rows at a time
	bytes   int64
	room    *room.Room
}

var _ data.Stream = (*Reader)(nil)

// chunkRows is the number of rows a Reader gives at a time, where the columns are not very many.
const chunkRows = 1 << 16

// Open reads the footer of a file of the given size; in is what is told
// of its columns. Strings are values, whatever they are: the format has a null of its own.
func Open(src io.ReaderAt, size int64, name string, in data.Inference) (*Reader, error) {
	return OpenWithin(src, size, name, in, 0)
}

// OpenWithin is Open in so many bytes of memory for the rows of a chunk, or for all rows in
// ReadAll; 0 means half of the machine's.
func OpenWithin(src io.ReaderAt, size int64, name string, in data.Inference, bytes int64) (*Reader, error) {
	left := room.New(name, bytes)
	f, err := parquetfile.Open(src, size, left.Left()/2)
	if err != nil {
		if large := left.Decompressed(err); large != nil {
			return nil, large
		}
		return nil, &data.Error{File: name, Kind: data.ErrFormat, Reason: "not a readable Parquet file",
			Advice: "it may be cut short: copy or write it again", Err: err}
	}
	if f.Rows == 0 {
		return nil, &data.Error{File: name, Reason: "no rows", Kind: data.ErrNoRows}
	}
	if len(f.Columns) == 0 {
		return nil, &data.Error{File: name, Reason: "no columns", Kind: data.ErrNoColumn}
	}
	if err := left.Fits(int64(len(f.Columns)), room.Column); err != nil {
		return nil, err
	}
	in.Literal = true
	r := &Reader{name: name, infer: data.ChunkInference{In: in}, file: f, chunk: chunkRows, bytes: bytes}
	for i := range f.Columns {
		c := &f.Columns[i]
		l, err := newLeaf(c)
		if err != nil {
			r.skipped = append(r.skipped, data.SkippedColumn{Column: c.Name, Reason: err.Error()})
			continue
		}
		if n, told := in.Told[c.Name]; told && n.Kind == data.Numeric && c.Logical == parquetfile.Clock {
			l.kind = data.Numeric // a model of before times of day were times has them as they are stored
		}
		l.at = i
		r.leaves = append(r.leaves, l)
	}
	if len(r.leaves) == 0 {
		e := &data.Error{File: name, Kind: data.ErrFormat, Column: r.skipped[0].Column, Reason: "no column can be read; " +
			r.skipped[0].String(), Advice: "write it as numbers or strings"}
		var remedy *parquetfile.UnsupportedError
		if errors.As(f.Columns[0].Fault, &remedy) {
			e.Advice = remedy.Remedy
		}
		return nil, e
	}
	return r, nil
}

// Next returns the next rows, or io.EOF.
func (r *Reader) Next() (*data.Dataset, error) {
	d, err := r.next()
	if err != nil {
		return nil, err
	}
	return d, r.infer.Infer(d)
}

// begin shares out the memory: a half for pages as they are decompressed, and chunks that take a
// small part of the rest: rows are taken to be as long as they are in the file, and some times that
// when they are decompressed.
func (r *Reader) begin() {
	r.room = room.New(r.name, r.bytes)
	r.file.Memory.Most = r.room.Left() / 2
	r.chunk = max(1, min(r.chunk, r.room.Left()/16/(r.rowBytes()+4*r.file.Size()/max(1, r.file.Rows))))
}

// rowBytes is what a row takes beside the strings and lists themselves.
func (r *Reader) rowBytes() (total int64) {
	for _, l := range r.leaves {
		switch l.kind {
		case data.Text:
			total += 16
		case data.Sequence:
			total += 24
		default:
			total += 8
		}
	}
	return total
}

// next returns the next rows as they are stored.
func (r *Reader) next() (*data.Dataset, error) {
	groups := r.file.Groups
	for r.group < len(groups) && r.offset >= groups[r.group].Rows {
		r.before += r.offset
		for _, c := range r.cursors {
			c.Close()
		}
		r.group, r.offset, r.cursors = r.group+1, 0, nil
	}
	if r.group >= len(groups) {
		return nil, io.EOF
	}
	if r.room == nil {
		r.begin()
	}
	if r.cursors == nil {
		for _, l := range r.leaves {
			r.cursors = append(r.cursors, r.file.Cursor(r.group, l.at))
		}
	}
	n := min(r.chunk, groups[r.group].Rows-r.offset)
	d := &data.Dataset{Name: r.name, Columns: make([]data.Column, len(r.leaves)), Skipped: r.skipped}
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
	if slices.Contains(r.infer.In.Ignore, l.column.Name) {
		return data.TextColumn(l.column.Name, make([]string, n)), nil
	}
	c := data.Column{Name: l.column.Name, Kind: l.kind}
	if l.kind == data.Time {
		c.Notation = &data.Notation{Kind: data.Time, Zone: celltext.Local}
		if l.column.Zoned {
			c.Notation.Zone = celltext.Zoned
		}
	}
	switch l.kind {
	case data.Numeric:
		c.Numbers = make([]float64, 0, n)
	case data.Time:
		c.Micros = make([]int64, 0, n)
	case data.Text:
		c.Strings = make([]string, 0, n)
	}
	var words [][]string
	held := int64(0) // by the texts and lists of the chunk, whose pages may be gone
	defer func() { r.file.Memory.Give(held) }()
	err := r.cursors[j].Rows(n, func(run *parquetfile.Run) error {
		bytes := l.runBytes(run)
		if err := r.file.Memory.Take(bytes); err != nil {
			return err
		}
		held += bytes
		if l.words {
			l.addWords(&words, run)
			return nil
		}
		return l.add(&c, run, r.before+r.offset)
	})
	if err == nil && l.words {
		err = r.join(&c, words)
	}
	if err != nil {
		return c, r.fault(l.column.Name, err)
	}
	return c, nil
}

// join makes texts of lists of strings. A dictionary lets many long ones be said in few bytes, so
// they are counted first.
func (r *Reader) join(c *data.Column, words [][]string) error {
	size := int64(0)
	for _, list := range words {
		for _, w := range list {
			size += int64(len(w)) + 1
		}
	}
	if err := r.file.Memory.Take(size); err != nil {
		return err
	}
	defer r.file.Memory.Give(size)
	for _, list := range words {
		c.Strings = append(c.Strings, strings.Join(list, " "))
	}
	return nil
}

// fault says of what went wrong in a column what to do about it.
func (r *Reader) fault(column string, err error) error {
	if large := r.room.Decompressed(err); large != nil {
		return large
	}
	var unsupported *parquetfile.UnsupportedError
	var value *data.Error
	e := &data.Error{Column: column, Kind: data.ErrDamaged, Reason: fmt.Sprintf("column %q", column),
		Advice: "the file may be damaged: write it again", Err: err}
	switch {
	case errors.As(err, &unsupported):
		e.Kind, e.Advice = data.ErrFormat, unsupported.Remedy
	case errors.As(err, &value):
		if e = value; e.Advice == "" {
			e.Advice = "replace it before saving (null counts as missing)"
		}
	}
	e.File = r.name
	return e
}

// Close does nothing; the source is the caller's.
func (r *Reader) Close() error { return nil }

// Read reads a whole file.
func Read(src io.ReaderAt, size int64, name string, in data.Inference) (*data.Dataset, error) {
	r, err := Open(src, size, name, in)
	if err != nil {
		return nil, err
	}
	return ReadAll(r)
}

// ReadAll reads the rest of a reader into one data set.
func ReadAll(r *Reader) (*data.Dataset, error) {
	all := room.New(r.name, r.bytes)
	// The file says how many rows there are: a few bytes may stand for very many.
	if err := all.Fits(r.file.Rows, r.rowBytes()); err != nil {
		return nil, err
	}
	return data.ReadChunks(room.Within(all, r.next), r.infer.In)
}
