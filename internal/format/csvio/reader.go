package csvio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/format/absent"
	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// Reader gives the rows of a delimited text file a chunk at a time, in order,
// parsing ahead on other cores. It implements data.Stream.
type Reader struct {
	name     string
	options  Options
	dialect  dialect
	presumed bool // the dialect is one that a few lines suggest
	split    splitter
	// naNumbers are the markers of missing values that are numbers, as -99.
	naNumbers []float64
	notations []*data.Notation // of columns of numbers
	infer     data.ChunkInference
	recoded   int // fields so far that were not UTF-8

	ahead chan chan chunk
	spare chan [][]float64 // memory of chunks that were copied
	done  chan struct{}
	ended chan struct{} // closed when nothing is read ahead any more
	once  sync.Once
	err   error
	rows  int
}

// sniffBytes is how much of a file the dialect is judged by, at the least.
const sniffBytes = 1 << 16

// rowsOfBlock is how many rows of a wide file are parsed at a time, at the least.
const rowsOfBlock = 8

var _ data.Stream = (*Reader)(nil)

// NewReader finds out how src is written from its first block. name is how
// messages call the file.
func NewReader(src io.Reader, name string, o Options) (*Reader, error) {
	r := &Reader{name: name, options: o, split: splitter{src: src, size: o.within(o.block()), line: 1,
		free: make(chan []byte, par.Workers(o.Threads)+1)},
		spare: make(chan [][]float64, par.Workers(o.Threads)+1), done: make(chan struct{}), ended: make(chan struct{})}
	r.split.fits = r.fitsText
	for _, m := range o.NA {
		if x, n := scanNumber([]byte(m+"\n"), '.'); n > 0 && n == len(m) {
			r.naNumbers = append(r.naNumbers, x)
		}
	}
	if err := r.judge(); err != nil {
		return nil, err
	}
	r.infer.In, r.recoded = o.inference(r.dialect.mark), r.dialect.recoded
	r.split.delimiter = r.dialect.delimiter
	r.split.rest = r.split.rest[r.dialect.skip:]
	r.split.line += r.dialect.skipLines
	// A block costs some hundred bytes for each column beside its values: let it have several rows.
	if end := bytes.IndexByte(r.split.rest, '\n'); o.Block == 0 {
		r.split.size = r.blockOf(end)
	}
	r.findNotations()
	return r, nil
}

// judged is how many bytes the dialect is judged by.
func (r *Reader) judged() int64 { return int64(max(r.options.block(), sniffBytes)) }

// judge finds the dialect, from a few lines where they suggest one that may be tried.
func (r *Reader) judge() error {
	name, o := r.name, r.options
	if o.presume {
		if err := r.split.fill(o.within(oneBlock)); err != nil {
			return &data.Error{File: name, Err: err}
		}
		if r.dialect, r.presumed = presume(r.split.rest, name, o); r.presumed {
			if o.Block == 0 {
				r.split.size = o.within(presumedBlock(o.Size, r.split.size))
			}
			return nil
		}
	}
	want := o.within(int(r.judged()))
	for {
		if err := r.split.fill(want); err != nil {
			return &data.Error{File: name, Err: err}
		}
		err := r.fitsFields(r.split.rest)
		if err != nil {
			return err
		}
		if r.dialect, err = sniff(r.split.rest, r.split.eof, name, o); err == nil {
			break
		}
		if r.split.eof || len(r.split.rest) >= maxRecord {
			return err
		}
		want = 4 * len(r.split.rest)
		if errors.Is(err, data.ErrTooLarge) {
			return err
		}
		if err := r.fitsText(want); err != nil {
			return err
		}
	}
	return nil
}

// Names lists the columns.
func (r *Reader) Names() []string { return r.dialect.names }

// Delimiter returns the byte between fields that was set or found.
func (r *Reader) Delimiter() byte { return r.dialect.delimiter }

// Decimal returns the decimal mark that was set or found.
func (r *Reader) Decimal() byte { return r.dialect.decimal }

// Next returns the next rows, or io.EOF. A value that is not a number in a
// column of numbers is an error.
func (r *Reader) Next() (*data.Dataset, error) {
	c, err := r.next()
	if err != nil {
		return nil, err
	}
	for _, f := range c.faults {
		if f.sort == isLossy {
			continue
		}
		present := 0
		for _, x := range c.set.Columns[f.column].Numbers {
			if x == x {
				present++
			}
		}
		return nil, r.faulty(f, present)
	}
	if err := r.infer.Infer(c.set); err != nil {
		return nil, err
	}
	c.set.Notes = r.notes()
	return c.set, nil
}

// notes are what happened to the text so far that was not asked for.
func (r *Reader) notes() []data.Note {
	var out []data.Note
	if n := r.dialect.above; n > 0 {
		text := fmt.Sprintf("the first line (%q) stands above the table and is left out", clip(r.dialect.title))
		if n > 1 {
			text = fmt.Sprintf("the first %d lines (%q, …) stand above the table and are left out", n, clip(r.dialect.title))
		}
		out = append(out, data.Note{Text: text})
	}
	if names := r.dialect.names2; names != nil {
		out = append(out, data.Note{Text: fmt.Sprintf("the first two lines are taken for names: %s", absent.Quoted(names)),
			Remedy: mend.Names})
	}
	if said := r.dialect.renamed; said != "" {
		out = append(out, data.Note{Text: said})
	}
	if r.recoded > 0 {
		out = append(out, data.Note{Text: fmt.Sprintf("%s not UTF-8 and taken for Windows-1252 (Latin-1)",
			plural(r.recoded, "field is", "fields are")), Remedy: mend.Encoding})
	}
	return out
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return phrase.Thousands(n) + " " + many
}

func (r *Reader) next() (chunk, error) {
	if r.err != nil {
		return chunk{}, r.err
	}
	if r.ahead == nil && r.split.eof && len(r.split.rest) <= r.split.size {
		return r.only()
	}
	if r.ahead == nil {
		r.ahead = make(chan chan chunk, r.inFlight())
		go r.readAhead()
	}
	for {
		pending, ok := <-r.ahead
		if !ok {
			r.err = r.ending()
			return chunk{}, r.err
		}
		c := <-pending
		if c.err != nil {
			r.err = c.err
			r.Close()
			return chunk{}, r.err
		}
		if n := c.set.Len(); n > 0 {
			r.rows += n
			r.recoded += c.recoded
			return c, nil
		}
	}
}

// only parses what is one block here and now.
func (r *Reader) only() (chunk, error) {
	blk, err := r.split.next()
	c := chunk{}
	if err == nil {
		c = r.parse(blk)
		err = c.err
	}
	switch {
	case err != nil && err != io.EOF:
		r.err = err
	case err == nil && c.set.Len() > 0:
		r.rows += c.set.Len()
		r.recoded += c.recoded
		return c, nil
	default:
		r.err = r.ending()
	}
	return chunk{}, r.err
}

// ending is io.EOF, or that there were no rows.
func (r *Reader) ending() error {
	if r.rows == 0 {
		return &data.Error{File: r.name, Reason: "no rows", Kind: data.ErrNoRows, Remedy: mend.Header}
	}
	return io.EOF
}

// readAhead cuts blocks and parses each in a goroutine of its own; the channel
// bounds how many are in flight and keeps them in order.
func (r *Reader) readAhead() {
	defer close(r.ended)
	defer close(r.ahead)
	for {
		blk, err := r.split.next()
		if err == io.EOF {
			return
		}
		pending := make(chan chunk, 1)
		select {
		case r.ahead <- pending:
		case <-r.done:
			return
		}
		if err != nil {
			fault := &data.Error{File: r.name, Line: r.split.line, Err: err}
			if large := (*data.Error)(nil); errors.As(err, &large) {
				fault, fault.Line = large, r.split.line
			}
			if errors.Is(err, errRecordTooLong) {
				fault.Kind, fault.Advice = data.ErrSyntax, "a quote may be open since here: close it"
			}
			pending <- chunk{err: fault}
			return
		}
		go func() {
			c := r.parse(blk)
			r.split.release(blk)
			pending <- c
		}()
	}
}

// Close stops reading ahead.
func (r *Reader) Close() error {
	r.once.Do(func() { close(r.done) })
	return nil
}

// finish is Close, and waits until nothing is read any more: the source may then be closed. A pipe
// may keep it waiting.
func (r *Reader) finish() {
	r.Close()
	if r.ahead != nil {
		<-r.ended
	}
}

// secondHeader is the fault of a first row with words in several columns of numbers, each the only
// one there: units, or more names.
func (r *Reader) secondHeader(faults map[int]*[faultSorts]fault, o Options) error {
	columns, line := 0, r.dialect.skipLines+1
	for j, f := range faults {
		if _, told := o.told(r.dialect.names[j]); f[isWord].count == 1 && f[isWord].line == line && !told {
			columns++
		}
	}
	if columns < 2 {
		return nil
	}
	return &data.Error{File: r.name, Line: line, Kind: data.ErrValue,
		Reason: fmt.Sprintf("%d columns of numbers have words in the first row: it may be a second line of names, or units",
			columns), Remedy: mend.Names}
}

func (r *Reader) faulty(f fault, present int) error {
	e := &data.Error{File: r.name, Line: f.line, Byte: f.offset,
		Reason: fmt.Sprintf("column %q is %q where %s other rows are numbers", r.dialect.names[f.column], f.value,
			phrase.Thousands(present)),
		Column: r.dialect.names[f.column], Value: f.value, Kind: data.ErrValue, Remedy: mend.Kind}
	if f.sort == isStrange {
		e.Reason += fmt.Sprintf(" with the decimal mark %q", string(r.dialect.points[f.column]))
		e.Remedy = mend.Numbers
	}
	return e
}
