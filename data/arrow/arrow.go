// Package arrow reads Apache Arrow data, in the IPC file format (also called
// Feather version 2) and as an IPC stream. Numbers and booleans are numeric,
// strings are inferred as in CSV, dictionaries are categories, dates and
// timestamps are times, lists of numbers are sequences, null is missing.
package arrow

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/mercer-ml/mercer/data"
)

// Reader gives rows a record batch at a time. It implements data.Stream.
type Reader struct {
	name  string
	kinds map[string]data.Kind
	next  func() (arrow.RecordBatch, error)
	close func()
	rows  int
}

var _ data.Stream = (*Reader)(nil)

// NewFileReader reads the IPC file format; kinds says what string columns are,
// by name. A malformed file is an error, not a panic.
func NewFileReader(src ipc.ReadAtSeeker, name string, kinds map[string]data.Kind) (r *Reader, err error) {
	defer recoverFault(name, &err)
	f, err := ipc.NewFileReader(src)
	if err != nil {
		return nil, unreadable(name, err)
	}
	i := 0
	next := func() (arrow.RecordBatch, error) {
		if i >= f.NumRecords() {
			return nil, io.EOF
		}
		i++
		return f.RecordBatchAt(i - 1)
	}
	return &Reader{name: name, kinds: kinds, next: next, close: func() { f.Close() }}, nil
}

// NewStreamReader reads an IPC stream.
func NewStreamReader(src io.Reader, name string, kinds map[string]data.Kind) (r *Reader, err error) {
	defer recoverFault(name, &err)
	s, err := ipc.NewReader(src)
	if err != nil {
		return nil, unreadable(name, err)
	}
	next := func() (arrow.RecordBatch, error) {
		if !s.Next() {
			if err := s.Err(); err != nil && !errors.Is(err, io.EOF) {
				return nil, err
			}
			return nil, io.EOF
		}
		b := s.RecordBatch()
		b.Retain()
		return b, nil
	}
	return &Reader{name: name, kinds: kinds, next: next, close: s.Release}, nil
}

func unreadable(name string, err error) error {
	return &data.FileError{File: name, Reason: "not readable Arrow data", Remedy: "it may be cut short: copy or write it again", Err: err}
}

func recoverFault(name string, err *error) {
	if p := recover(); p != nil {
		*err = &data.FileError{File: name, Reason: fmt.Sprintf("malformed Arrow data: %v", p), Remedy: "write the file again"}
	}
}

// Next returns the next rows, or io.EOF.
func (r *Reader) Next() (*data.Dataset, error) {
	d, err := r.batch()
	if err != nil {
		return nil, err
	}
	kinds := map[string]data.Kind{}
	for i := range d.Columns {
		c := &d.Columns[i]
		if k, ok := r.kinds[c.Name]; ok {
			kinds[c.Name] = k
		} else if c.Kind == data.Text || c.Kind == data.Categorical {
			kinds[c.Name] = c.Kind
		}
	}
	return d, data.InferKinds(d, kinds)
}

func (r *Reader) batch() (d *data.Dataset, err error) {
	defer recoverFault(r.name, &err)
	for {
		b, err := r.next()
		if err == io.EOF {
			if r.rows == 0 {
				return nil, &data.FileError{File: r.name, Reason: "no rows"}
			}
			return nil, io.EOF
		}
		if err != nil {
			return nil, unreadable(r.name, err)
		}
		d = &data.Dataset{Name: r.name}
		for j, a := range b.Columns() {
			c, err := column(b.ColumnName(j), a, r.rows)
			if err != nil {
				b.Release()
				return nil, &data.FileError{File: r.name, Reason: err.Error(), Remedy: "leave the column out, or write it as numbers or strings"}
			}
			d.Columns = append(d.Columns, c)
		}
		n := int(b.NumRows())
		b.Release()
		if n > 0 {
			r.rows += n
			return d, nil
		}
	}
}

// Close frees the reader; the source is the caller's.
func (r *Reader) Close() error {
	if r.close != nil {
		r.close()
		r.close = nil
	}
	return nil
}

// ReadAll reads the rest of a reader into one data set and closes it.
func ReadAll(r *Reader) (*data.Dataset, error) {
	defer r.Close()
	var chunks []*data.Dataset
	for {
		d, err := r.batch()
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
	// Dictionaries say that a column is categories: that is not for guessing.
	kinds := map[string]data.Kind{}
	for i := range d.Columns {
		if c := &d.Columns[i]; c.Kind == data.Categorical {
			kinds[c.Name] = data.Categorical
		}
	}
	for k, v := range r.kinds {
		kinds[k] = v
	}
	return d, data.InferKinds(d, kinds)
}

func column(name string, a arrow.Array, before int) (data.Column, error) {
	n := a.Len()
	c := data.Column{Name: name}
	if number := numbers(a); number != nil {
		c.Numbers = make([]float64, n)
		for i := range n {
			if a.IsNull(i) {
				c.Numbers[i] = math.NaN()
				continue
			}
			x := number(i)
			if math.IsInf(x, 0) {
				return c, fmt.Errorf("row %d: column %q is %v; numbers must be finite", before+i+1, name, x)
			}
			c.Numbers[i] = x
		}
		return c, nil
	}
	if micros := times(a); micros != nil {
		c.Kind, c.Micros = data.Time, make([]int64, n)
		for i := range n {
			c.Micros[i] = data.NoTime
			if !a.IsNull(i) {
				c.Micros[i] = micros(i)
			}
		}
		return c, nil
	}
	switch a := a.(type) {
	case *array.Dictionary:
		levels := texts(a.Dictionary())
		if levels == nil {
			return c, fmt.Errorf("column %q is a dictionary of %s", name, a.Dictionary().DataType())
		}
		c.Kind, c.Codes = data.Categorical, make([]int32, n)
		for i := range a.Dictionary().Len() {
			c.Levels = append(c.Levels, levels(i))
		}
		for i := range n {
			c.Codes[i] = -1
			if !a.IsNull(i) {
				c.Codes[i] = int32(a.GetValueIndex(i))
			}
		}
		return c, nil
	case array.ListLike:
		number := numbers(a.ListValues())
		if number == nil {
			break
		}
		c.Kind, c.Sequences = data.Sequence, make([][]float64, n)
		for i := range n {
			if a.IsNull(i) {
				continue
			}
			from, to := a.ValueOffsets(i)
			q := make([]float64, 0, to-from)
			for k := from; k < to; k++ {
				x := math.NaN()
				if !a.ListValues().IsNull(int(k)) {
					x = number(int(k))
				}
				if x-x != 0 {
					return c, fmt.Errorf("row %d: column %q has %v in its list; numbers must be finite", before+i+1, name, x)
				}
				q = append(q, x)
			}
			c.Sequences[i] = q
		}
		return c, nil
	}
	if text := texts(a); text != nil {
		c.Kind, c.Strings = data.Text, make([]string, n)
		for i := range n {
			if !a.IsNull(i) {
				c.Strings[i] = text(i)
			}
		}
		return c, nil
	}
	return c, fmt.Errorf("column %q is of type %s, which is neither a number, a string, a time nor a list of numbers", name, a.DataType())
}

// numbers gives the values of a numeric array, or nil.
func numbers(a arrow.Array) func(i int) float64 {
	switch a := a.(type) {
	case *array.Float64:
		return a.Value
	case *array.Float32:
		return func(i int) float64 { return float64(a.Value(i)) }
	case *array.Float16:
		return func(i int) float64 { return float64(a.Value(i).Float32()) }
	case *array.Int64:
		return func(i int) float64 { return float64(a.Value(i)) }
	case *array.Int32:
		return func(i int) float64 { return float64(a.Value(i)) }
	case *array.Int16:
		return func(i int) float64 { return float64(a.Value(i)) }
	case *array.Int8:
		return func(i int) float64 { return float64(a.Value(i)) }
	case *array.Uint64:
		return func(i int) float64 { return float64(a.Value(i)) }
	case *array.Uint32:
		return func(i int) float64 { return float64(a.Value(i)) }
	case *array.Uint16:
		return func(i int) float64 { return float64(a.Value(i)) }
	case *array.Uint8:
		return func(i int) float64 { return float64(a.Value(i)) }
	case *array.Boolean:
		return func(i int) float64 {
			if a.Value(i) {
				return 1
			}
			return 0
		}
	case *array.Decimal128:
		scale := a.DataType().(*arrow.Decimal128Type).Scale
		return func(i int) float64 { return a.Value(i).ToFloat64(scale) }
	}
	return nil
}

// times gives the values of an array of instants in microseconds, or nil.
func times(a arrow.Array) func(i int) int64 {
	switch a := a.(type) {
	case *array.Timestamp:
		unit := a.DataType().(*arrow.TimestampType).Unit
		return func(i int) int64 { return a.Value(i).ToTime(unit).UnixMicro() }
	case *array.Date32:
		return func(i int) int64 { return a.Value(i).ToTime().UnixMicro() }
	case *array.Date64:
		return func(i int) int64 { return a.Value(i).ToTime().UnixMicro() }
	}
	return nil
}

// texts gives copies of the values of a string array, or nil.
func texts(a arrow.Array) func(i int) string {
	switch a := a.(type) {
	case *array.String:
		return func(i int) string { return clone(a.Value(i)) }
	case *array.LargeString:
		return func(i int) string { return clone(a.Value(i)) }
	case *array.StringView:
		return func(i int) string { return clone(a.Value(i)) }
	}
	return nil
}

// clone copies a string out of the batch's buffer, which is freed with it.
func clone(s string) string { return string([]byte(s)) }
