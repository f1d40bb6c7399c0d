// Package jsonl reads JSON lines: an object to a line, whose members are the
// columns. Numbers and booleans are numeric, strings are inferred as in CSV,
// lists of numbers are sequences, null or an absent member is missing.
package jsonl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
)

// Options says how to read.
type Options struct {
	Kinds map[string]data.Kind // kinds of columns by name; the rest are found from the content
	Chunk int                  // rows per chunk of a Reader; 0: 8,192
}

// Reader gives rows a chunk at a time. It implements data.Stream. The columns
// are those of the first chunk; a member first seen later is an error, since
// the chunks before it have gone.
type Reader struct {
	name    string
	options Options
	src     *bufio.Reader
	line    int
	rows    int
	names   []string
	place   map[string]int
}

var _ data.Stream = (*Reader)(nil)

// NewReader reads from src; name is how messages call the file.
func NewReader(src io.Reader, name string, o Options) *Reader {
	if o.Chunk <= 0 {
		o.Chunk = 8192
	}
	return &Reader{name: name, options: o, src: bufio.NewReaderSize(src, 1<<18), place: map[string]int{}}
}

// Read reads a whole file.
func Read(src io.Reader, name string, o Options) (*data.Dataset, error) {
	o.Chunk = math.MaxInt
	r := NewReader(src, name, o)
	d, err := r.next()
	if err != nil {
		return nil, err
	}
	return d, data.InferKinds(d, o.Kinds)
}

// Next returns the next rows, or io.EOF. String columns are text unless a kind
// was given.
func (r *Reader) Next() (*data.Dataset, error) {
	d, err := r.next()
	if err != nil {
		return nil, err
	}
	return d, data.InferChunk(d, r.options.Kinds)
}

// Close does nothing; the source is the caller's.
func (r *Reader) Close() error { return nil }

// cell is one value: a number, a string or a sequence.
type cell struct {
	kind cellKind
	x    float64
	s    string
	q    []float64
	line int
}

type cellKind uint8

const (
	cellMissing cellKind = iota
	cellNumber
	cellString
	cellSequence
)

func (r *Reader) next() (*data.Dataset, error) {
	var columns [][]cell
	for range r.names {
		columns = append(columns, nil)
	}
	rows := 0
	for rows < r.options.Chunk {
		line, err := r.src.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			break
		}
		if err != nil && err != io.EOF {
			return nil, &data.Error{File: r.name, Line: r.line + 1, Err: err}
		}
		r.line++
		if r.line == 1 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if columns, err = r.row(line, columns, rows); err != nil {
			return nil, err
		}
		rows++
		r.rows++
	}
	if rows == 0 {
		if r.rows == 0 {
			return nil, &data.Error{File: r.name, Kind: data.ErrNoRows, Reason: "no rows", Advice: `a row is a JSON object on a line, as {"x": 1.5, "y": "a"}`}
		}
		return nil, io.EOF
	}
	d := &data.Dataset{Name: r.name}
	for j, cells := range columns {
		for len(cells) < rows {
			cells = append(cells, cell{line: r.line})
		}
		c, err := r.column(r.names[j], cells)
		if err != nil {
			return nil, err
		}
		d.Columns = append(d.Columns, c)
	}
	return d, nil
}

// row adds one object's members.
func (r *Reader) row(line []byte, columns [][]cell, rows int) ([][]cell, error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	fault := func(reason, advice string, err error) error {
		return &data.Error{File: r.name, Line: r.line, Byte: int(dec.InputOffset()) + 1, Reason: reason, Advice: advice, Kind: data.ErrSyntax, Err: err}
	}
	const advice = "write one JSON object per line"
	open, err := dec.Token()
	if err != nil {
		return nil, fault("not JSON", advice, err)
	}
	if open != json.Delim('{') {
		return nil, fault("not an object", advice, nil)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, fault("not JSON", advice, err)
		}
		name := key.(string)
		var v any
		if err := dec.Decode(&v); err != nil {
			return nil, fault("not JSON", advice, err)
		}
		c, ok := toCell(v)
		if !ok {
			return nil, fault(fmt.Sprintf("member %q is neither a number, a string, a truth value nor a list of numbers", name), "flatten it, or leave it out", nil)
		}
		c.line = r.line
		j, ok := r.place[name]
		if !ok {
			if r.rows > rows {
				return nil, fault(fmt.Sprintf("member %q was not there in the first %s rows", name, data.Thousands(r.rows-rows)), "give it (or null) in the first rows", nil)
			}
			j = len(r.names)
			r.place[name] = j
			r.names = append(r.names, name)
			columns = append(columns, nil)
		}
		if len(columns[j]) > rows {
			return nil, fault(fmt.Sprintf("member %q stands twice", name), "remove one", nil)
		}
		for len(columns[j]) < rows {
			columns[j] = append(columns[j], cell{line: r.line})
		}
		columns[j] = append(columns[j], c)
	}
	if _, err := dec.Token(); err != nil {
		return nil, fault("not JSON", advice, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fault("more after the object", advice, nil)
	}
	return columns, nil
}

func toCell(v any) (cell, bool) {
	switch v := v.(type) {
	case nil:
		return cell{}, true
	case bool:
		if v {
			return cell{kind: cellNumber, x: 1}, true
		}
		return cell{kind: cellNumber}, true
	case json.Number:
		x, err := v.Float64()
		return cell{kind: cellNumber, x: x}, err == nil
	case string:
		if v == "" {
			return cell{}, true
		}
		return cell{kind: cellString, s: v}, true
	case []any:
		q := make([]float64, len(v))
		for i, e := range v {
			n, ok := e.(json.Number)
			if !ok {
				return cell{}, false
			}
			x, err := n.Float64()
			if err != nil {
				return cell{}, false
			}
			q[i] = x
		}
		return cell{kind: cellSequence, q: q}, true
	}
	return cell{}, false
}

// column settles what a column is: all numbers, all lists, or strings.
func (r *Reader) column(name string, cells []cell) (data.Column, error) {
	var count [4]int
	var gap *data.Gap
	for _, c := range cells {
		count[c.kind]++
		if c.kind == cellMissing && gap == nil {
			gap = &data.Gap{Line: c.line}
		}
	}
	out := data.Column{Name: name, Gap: gap}
	switch {
	case count[cellSequence] > 0:
		if count[cellNumber]+count[cellString] > 0 {
			for _, c := range cells {
				if c.kind == cellNumber || c.kind == cellString {
					return out, &data.Error{File: r.name, Line: c.line, Column: name, Kind: data.ErrValue, Reason: fmt.Sprintf("member %q is not a list, as it is in other rows", name), Advice: "write it as a list of numbers in every row"}
				}
			}
		}
		out.Kind = data.Sequence
		for _, c := range cells {
			out.Sequences = append(out.Sequences, c.q)
		}
	case count[cellString] > 0:
		out.Kind = data.Text
		for _, c := range cells {
			if c.kind == cellNumber {
				c.s = strconv.FormatFloat(c.x, 'g', -1, 64)
			}
			out.Strings = append(out.Strings, strings.Clone(c.s))
		}
	default:
		out.Kind = data.Numeric
		for _, c := range cells {
			if c.kind == cellMissing {
				c.x = math.NaN()
			}
			out.Numbers = append(out.Numbers, c.x)
		}
	}
	return out, nil
}
