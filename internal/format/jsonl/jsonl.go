// Package jsonl reads JSON lines: an object to a line, whose members are the
// columns; or one array of such objects. Strings are inferred as in CSV,
// lists of numbers are sequences, null or an absent member is missing. Members of a member that is
// an object are columns of their own, "address.city".
package jsonl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/room"
	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// Options says how to read.
type Options struct {
	Infer data.Inference // what is told of columns; the rest is found from the content
	Chunk int            // rows per chunk of a Reader; 0: 8,192
	Bytes int64          // memory for a data set, or for a chunk; 0: half of the machine's
}

// Reader gives rows a chunk at a time. It implements data.Stream. The columns
// are those of the first chunk; a member first seen later is an error, since
// the chunks before it have gone.
type Reader struct {
	name    string
	options Options
	src     *objects
	rows    int
	names   []string
	place   map[string]int
	infer   data.ChunkInference

	flattened []string // members that are objects
}

var _ data.Stream = (*Reader)(nil)

// NewReader reads from src; name is how messages call the file.
func NewReader(src io.Reader, name string, o Options) *Reader {
	if o.Chunk <= 0 {
		o.Chunk = 8192
	}
	o.Infer.Literal = true // JSON has null
	return &Reader{name: name, options: o, infer: data.ChunkInference{In: o.Infer}, src: newObjects(src, name),
		place: map[string]int{}}
}

// Read reads a whole file.
func Read(src io.Reader, name string, o Options) (*data.Dataset, error) {
	o.Chunk = math.MaxInt
	r := NewReader(src, name, o)
	d, err := r.next()
	if err != nil {
		return nil, err
	}
	return d, data.InferKinds(d, r.options.Infer)
}

// Next returns the next rows, or io.EOF. String columns are text unless a kind
// was given.
func (r *Reader) Next() (*data.Dataset, error) {
	d, err := r.next()
	if err != nil {
		return nil, err
	}
	return d, r.infer.Infer(d)
}

// Close does nothing; the source is the caller's.
func (r *Reader) Close() error { return nil }

// part is the rows that are being read.
type part struct {
	room    *room.Room
	columns []cells // by name, then in the order of rows
	lines   []int   // of each row
}

func (r *Reader) next() (*data.Dataset, error) {
	p := &part{room: room.New(r.name, r.options.Bytes), columns: make([]cells, len(r.names))}
	for len(p.lines) < r.options.Chunk {
		object, err := r.src.next(p.room)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, r.src.failed(err)
		}
		if len(object) == 0 {
			continue
		}
		if !utf8.Valid(object) { // the decoder would put one sign in place of all that it does not know
			line, at := r.src.at(object, int64(notUTF8(object)-1))
			return nil, &data.Error{File: r.name, Line: line, Byte: at, Kind: data.ErrFormat, Reason: "not UTF-8, which JSON is",
				Advice: "convert the file to UTF-8, as with iconv -f latin1 -t utf-8"}
		}
		if err := r.row(object, p); err != nil {
			return nil, err
		}
		if err := p.room.Take(lineBytes); err != nil {
			return nil, r.src.failed(err)
		}
		p.lines = append(p.lines, r.src.line)
		r.rows++
	}
	if len(p.lines) == 0 {
		if r.rows == 0 {
			return nil, &data.Error{File: r.name, Kind: data.ErrNoRows, Reason: "no rows",
				Advice: `a row is a JSON object on a line, as {"x": 1.5, "y": "a"}, or an element of one array`}
		}
		return nil, io.EOF
	}
	return r.table(p)
}

// notUTF8 is the byte, from 1, where a line stops to be UTF-8.
func notUTF8(line []byte) int {
	at := 0
	for at < len(line) {
		r, n := utf8.DecodeRune(line[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return at + 1
}

// table spells the rows out: every column has a value, or a gap, in every row.
func (r *Reader) table(p *part) (*data.Dataset, error) {
	widths := int64(0)
	for j := range p.columns {
		widths += p.columns[j].width()
	}
	if err := p.room.Fits(int64(len(p.lines)), widths); err != nil {
		return nil, err
	}
	d := &data.Dataset{Name: r.name, Columns: make([]data.Column, len(p.columns))}
	if r.flattened != nil {
		d.Notes = []data.Note{{Text: fmt.Sprintf("members that are objects have a column for each of their own, as %q",
			r.below(r.flattened[0]))}}
	}
	for j := range p.columns {
		var err error
		if d.Columns[j], err = r.column(r.names[j], &p.columns[j], p.lines); err != nil {
			return nil, err
		}
		p.columns[j] = cells{}
	}
	return d, nil
}

// below is the first column that lies in a member.
func (r *Reader) below(member string) string {
	for _, n := range r.names {
		if strings.HasPrefix(n, member+".") {
			return n
		}
	}
	return member
}

// row adds one object's members.
func (r *Reader) row(object []byte, p *part) error {
	dec := json.NewDecoder(bytes.NewReader(object))
	fault := func(reason, advice string, err error) error {
		line, at := r.src.at(object, dec.InputOffset())
		return &data.Error{File: r.name, Line: line, Byte: at, Reason: reason, Advice: advice, Kind: data.ErrSyntax, Err: err}
	}
	const advice = jsonAdvice
	open, err := dec.Token()
	if err != nil {
		return fault("not JSON", advice, err)
	}
	if open != json.Delim('{') {
		return fault("not an object", advice, nil)
	}
	if err := r.members(dec, object, "", p, fault); err != nil {
		return err
	}
	if _, err := dec.Token(); err != nil {
		return fault("not JSON", advice, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return fault("more after the object", advice, nil)
	}
	return nil
}

// mostDeep is how many objects may lie in each other.
const mostDeep = 20

const jsonAdvice = "write one JSON object per line, or one array of objects"

// opens says whether the value that comes next in an object is one itself, and reads its beginning.
func (r *Reader) opens(dec *json.Decoder, object []byte, name string) (bool, error) {
	rest := bytes.TrimLeft(object[dec.InputOffset():], " \t\r\n")
	if rest = bytes.TrimLeft(bytes.TrimPrefix(rest, []byte(":")), " \t\r\n"); len(rest) == 0 || rest[0] != '{' ||
		slices.Contains(r.options.Infer.Ignore, name) {
		return false, nil
	}
	_, err := dec.Token()
	return true, err
}

// members adds those of the object that dec is in; in an object that is a member itself names begin
// with its own: "address.city".
func (r *Reader) members(
	dec *json.Decoder, object []byte, under string, p *part, fault func(reason, advice string, err error) error,
) error {
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return fault("not JSON", jsonAdvice, err)
		}
		name := under + key.(string)
		if nested, err := r.opens(dec, object, name); err != nil {
			return fault("not JSON", jsonAdvice, err)
		} else if nested { // its members are columns of their own
			if strings.Count(name, ".") >= mostDeep {
				return fault(fmt.Sprintf("member %q lies deeper than %d objects", name, mostDeep), "write its members further up",
					nil)
			}
			if !slices.Contains(r.flattened, name) && len(r.flattened) < mostDeep {
				r.flattened = append(r.flattened, name)
			}
			if err := r.members(dec, object, name+".", p, fault); err != nil {
				return err
			}
			if _, err := dec.Token(); err != nil {
				return fault("not JSON", jsonAdvice, err)
			}
			continue
		}
		// which is looked at where it stands: a list of numbers as a list of anything is twenty
		// times its text
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return fault("not JSON", jsonAdvice, err)
		}
		if slices.Contains(r.options.Infer.Ignore, name) {
			value = json.RawMessage("null")
		}
		c, ok := toCell(value)
		if !ok {
			line, at := r.src.at(object, dec.InputOffset())
			return &data.Error{File: r.name, Line: line, Byte: at, Column: name, Kind: data.ErrSyntax, Remedy: mend.Ignore,
				Reason: fmt.Sprintf("member %q is neither a number, a string, a truth value nor a list of numbers or of "+
					"lists of them", name)}
		}
		c.row = len(p.lines)
		j, ok := r.place[name]
		if !ok {
			if r.rows > c.row {
				return fault(fmt.Sprintf("member %q was not there in the first %s rows", name, phrase.Thousands(r.rows-c.row)),
					"give it (or null) in the first rows", nil)
			}
			if err := p.room.Take(room.Column + int64(len(name))); err != nil {
				return err
			}
			j = len(r.names)
			r.place[name] = j
			r.names = append(r.names, name)
			p.columns = append(p.columns, cells{})
		}
		if p.columns[j].lastRow() == c.row {
			return fault(fmt.Sprintf("member %q stands twice", name), "remove one", nil)
		}
		if err := p.room.Take(c.bytes()); err != nil {
			return err
		}
		p.columns[j].add(c)
	}
	return nil
}

// column settles what a column is: all numbers, all lists, or strings; and spells its rows out.
func (r *Reader) column(name string, cells *cells, lines []int) (data.Column, error) {
	var count [5]int
	out := data.Column{Name: name}
	rows := len(lines)
	beyond := false
	for c := range cells.all() {
		count[c.kind]++
		beyond = beyond || c.kind == cellNumber && c.s != ""
	}
	if gap := cells.firstGap(rows); gap < rows {
		out.Gap = &data.Gap{Line: lines[gap]}
	}
	switch {
	case count[cellSequence] > 0:
		out.Kind, out.Sequences = data.Sequence, make([][]float64, rows)
		for c := range cells.all() {
			if c.kind == cellNumber || c.kind == cellString || c.kind == cellTruth {
				return out, &data.Error{File: r.name, Line: lines[c.row], Column: name, Kind: data.ErrValue,
					Reason: fmt.Sprintf("member %q is not a list, as it is in other rows", name),
					Advice: "write it as a list of numbers in every row"}
			}
			if steps := max(c.step, 1); len(c.q) > 0 && out.Channels > 0 && out.Channels != steps {
				return out, &data.Error{File: r.name, Line: lines[c.row], Column: name, Kind: data.ErrValue,
					Reason: fmt.Sprintf("member %q has steps of %d numbers, in other rows of %d", name, steps, out.Channels),
					Advice: "write lists of the same length in every row"}
			} else if len(c.q) > 0 {
				out.Channels = steps
			}
			out.Sequences[c.row] = c.q
		}
	case count[cellString] > 0 || beyond:
		out.Kind, out.Strings = data.Text, make([]string, rows)
		for c := range cells.all() {
			switch {
			case c.kind == cellTruth:
				out.Strings[c.row] = strconv.FormatBool(c.x == 1)
			case c.kind == cellNumber && c.s == "":
				out.Strings[c.row] = r.options.Infer.NumberText(name, c.x)
			default:
				out.Strings[c.row] = c.s
			}
		}
	case count[cellTruth] > 0 && count[cellNumber] == 0:
		out.Kind, out.Levels, out.Codes = data.Boolean, []string{"false", "true"}, make([]int32, rows)
		for i := range out.Codes {
			out.Codes[i] = -1
		}
		for c := range cells.all() {
			if c.kind == cellTruth {
				out.Codes[c.row] = int32(c.x)
			}
		}
	default:
		out.Kind, out.Numbers = data.Numeric, make([]float64, rows)
		for i := range out.Numbers {
			out.Numbers[i] = math.NaN()
		}
		for c := range cells.all() {
			if c.kind == cellNumber || c.kind == cellTruth {
				out.Numbers[c.row] = c.x
			}
		}
	}
	return out, nil
}
