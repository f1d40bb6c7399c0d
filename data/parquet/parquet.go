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
	"math"
	"math/big"
	"strings"

	"github.com/mercer-ml/mercer/data"
	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// Reader gives rows a row group at a time, cut into chunks. It implements
// data.Stream.
type Reader struct {
	name   string
	kinds  map[string]data.Kind
	file   *pq.File
	leaves []leaf
	group  int
	offset int64
	chunk  int64
}

var _ data.Stream = (*Reader)(nil)

// chunkRows is the number of rows a Reader gives at a time.
const chunkRows = 1 << 16

// leaf is a column of values and how to decode them.
type leaf struct {
	name     string
	index    int
	kind     data.Kind
	number   func(pq.Value) float64
	micros   func(pq.Value) int64
	repeated bool
	// present is the definition level of a value that is there.
	present int
}

// Open reads the footer of a file of the given size; kinds says what string
// columns are, by name. A malformed file is an error, not a panic.
func Open(src io.ReaderAt, size int64, name string, kinds map[string]data.Kind) (r *Reader, err error) {
	defer recoverFault(name, &err)
	f, err := pq.OpenFile(src, size, pq.SkipPageIndex(true), pq.SkipBloomFilters(true))
	if err != nil {
		return nil, &data.FileError{File: name, Reason: "not a readable Parquet file", Remedy: "it may be cut short: copy or write it again", Err: err}
	}
	r = &Reader{name: name, kinds: kinds, file: f, chunk: chunkRows}
	if f.NumRows() <= 0 {
		return nil, &data.FileError{File: name, Reason: "no rows"}
	}
	for _, path := range f.Schema().Columns() {
		l, ok := f.Schema().Lookup(path...)
		if !ok {
			continue
		}
		column, err := newLeaf(path, l)
		if err != nil {
			return nil, &data.FileError{File: name, Reason: err.Error(), Remedy: "leave the column out, or write it as numbers or strings"}
		}
		r.leaves = append(r.leaves, column)
	}
	return r, nil
}

// recoverFault turns a panic of the decoder on malformed input into an error.
func recoverFault(name string, err *error) {
	if p := recover(); p != nil {
		*err = &data.FileError{File: name, Reason: fmt.Sprintf("malformed Parquet: %v", p), Remedy: "write the file again"}
	}
}

func newLeaf(path []string, l pq.LeafColumn) (leaf, error) {
	names := make([]string, 0, len(path))
	for _, p := range path {
		// The layers that the list convention adds say nothing to a reader.
		if l.MaxRepetitionLevel > 0 && len(names) > 0 && (p == "list" || p == "element" || p == "item" || p == "array") {
			continue
		}
		names = append(names, p)
	}
	out := leaf{name: strings.Join(names, "."), index: l.ColumnIndex, present: l.MaxDefinitionLevel, repeated: l.MaxRepetitionLevel > 0}
	if l.MaxRepetitionLevel > 1 {
		return out, fmt.Errorf("column %q is a list of lists", out.name)
	}
	t := l.Node.Type()
	var annotation format.LogicalTypeValue
	if l := t.LogicalType(); l != nil {
		annotation = l.Value
	}
	timestamp, isTimestamp := annotation.(*format.TimestampType)
	integer, isInteger := annotation.(*format.IntType)
	unsigned := isInteger && !integer.IsSigned
	switch t.Kind() {
	case pq.Boolean:
		out.number = func(v pq.Value) float64 {
			if v.Boolean() {
				return 1
			}
			return 0
		}
	case pq.Int32:
		out.number = func(v pq.Value) float64 { return float64(v.Int32()) }
		if _, ok := annotation.(*format.DateType); ok {
			out.kind = data.Time
			out.micros = func(v pq.Value) int64 { return int64(v.Int32()) * 24 * 3600 * 1e6 }
		} else if unsigned {
			out.number = func(v pq.Value) float64 { return float64(v.Uint32()) }
		}
	case pq.Int64:
		out.number = func(v pq.Value) float64 { return float64(v.Int64()) }
		if isTimestamp {
			out.kind = data.Time
			out.micros = func(v pq.Value) int64 {
				switch x := v.Int64(); timestamp.Unit.Value.(type) {
				case *format.MilliSeconds:
					return x * 1000
				case *format.NanoSeconds:
					return floorDiv(x, 1000)
				default:
					return x
				}
			}
		} else if unsigned {
			out.number = func(v pq.Value) float64 { return float64(v.Uint64()) }
		}
	case pq.Int96: // Julian day and nanoseconds, from old writers
		out.kind = data.Time
		out.micros = func(v pq.Value) int64 {
			t := v.Int96()
			nanos := int64(t[1])<<32 | int64(t[0])
			return (int64(t[2])-2440588)*24*3600*1e6 + nanos/1000
		}
	case pq.Float:
		out.number = func(v pq.Value) float64 { return float64(v.Float()) }
	case pq.Double:
		out.number = func(v pq.Value) float64 { return v.Double() }
	default:
		out.kind = data.Text
	}
	if decimal, ok := annotation.(*format.DecimalType); ok {
		scale := math.Pow10(int(decimal.Scale))
		if whole := out.number; whole != nil {
			out.number = func(v pq.Value) float64 { return whole(v) / scale }
		} else {
			out.kind = data.Numeric
			out.number = func(v pq.Value) float64 { return bigEndian(v.ByteArray()) / scale }
		}
	}
	if out.repeated {
		if out.number == nil || out.kind == data.Time {
			return out, fmt.Errorf("column %q is a list of %s", out.name, out.kind)
		}
		out.kind = data.Sequence
	}
	return out, nil
}

func floorDiv(x, y int64) int64 {
	q := x / y
	if x%y < 0 {
		q--
	}
	return q
}

// bigEndian reads a two's complement whole number.
func bigEndian(b []byte) float64 {
	x := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0]&0x80 != 0 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	f, _ := new(big.Float).SetInt(x).Float64()
	return f
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

func (r *Reader) next() (d *data.Dataset, err error) {
	defer recoverFault(r.name, &err)
	groups := r.file.RowGroups()
	for r.group < len(groups) && r.offset >= groups[r.group].NumRows() {
		r.group, r.offset = r.group+1, 0
	}
	if r.group >= len(groups) {
		return nil, io.EOF
	}
	g := groups[r.group]
	n := min(r.chunk, g.NumRows()-r.offset)
	d = &data.Dataset{Name: r.name}
	chunks := g.ColumnChunks()
	for _, l := range r.leaves {
		c, err := r.column(l, chunks[l.index], n)
		if err != nil {
			return nil, err
		}
		d.Columns = append(d.Columns, c)
	}
	r.offset += n
	return d, nil
}

// column reads n rows of a column from the current offset.
func (r *Reader) column(l leaf, chunk pq.ColumnChunk, n int64) (data.Column, error) {
	out := data.Column{Name: l.name, Kind: l.kind}
	fault := func(err error) error {
		return &data.FileError{File: r.name, Reason: fmt.Sprintf("column %q", l.name), Remedy: "the file may be damaged: write it again", Err: err}
	}
	pages := chunk.Pages()
	defer pages.Close()
	if r.offset > 0 {
		if err := pages.SeekToRow(r.offset); err != nil {
			return out, fault(err)
		}
	}
	values := make([]pq.Value, 1024)
	rows := int64(0)
	for rows < n || l.repeated {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return out, fault(err)
		}
		vr := page.Values()
		for {
			k, err := vr.ReadValues(values)
			for _, v := range values[:k] {
				if v.RepetitionLevel() == 0 {
					if rows == n {
						pq.Release(page)
						return out, nil
					}
					rows++
					if err := l.add(&out, v, r.offset+rows); err != nil {
						return out, &data.FileError{File: r.name, Reason: err.Error(), Remedy: "replace it before saving (null counts as missing)"}
					}
				} else if len(out.Sequences) > 0 {
					last := &out.Sequences[len(out.Sequences)-1]
					*last = append(*last, l.number(v))
				}
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				pq.Release(page)
				return out, fault(err)
			}
			if k == 0 {
				break
			}
		}
		pq.Release(page)
	}
	if rows < n {
		return out, fault(fmt.Errorf("%d rows where %d are announced", rows, n))
	}
	return out, nil
}

// add appends the first (or only) value of a row.
func (l *leaf) add(out *data.Column, v pq.Value, row int64) error {
	switch l.kind {
	case data.Numeric:
		x := math.NaN()
		if !v.IsNull() {
			x = l.number(v)
		}
		if math.IsInf(x, 0) {
			return fmt.Errorf("row %d: column %q is %v; numbers must be finite", row, l.name, x)
		}
		out.Numbers = append(out.Numbers, x)
	case data.Time:
		t := int64(data.NoTime)
		if !v.IsNull() {
			t = l.micros(v)
		}
		out.Micros = append(out.Micros, t)
	case data.Sequence:
		var q []float64
		switch {
		case v.DefinitionLevel() == l.present:
			q = []float64{l.number(v)}
		case v.DefinitionLevel() > 0:
			q = []float64{}
		}
		out.Sequences = append(out.Sequences, q)
	default:
		s := ""
		if !v.IsNull() {
			s = string(v.ByteArray())
		}
		out.Strings = append(out.Strings, s)
	}
	return nil
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
