package csvio

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/internal/room"
	"github.com/mercer-ml/mercer/internal/engine/par"
)

// Reader gives the rows of a delimited text file a chunk at a time, in order,
// parsing ahead on other cores. It implements data.Stream.
type Reader struct {
	name    string
	options Options
	dialect dialect
	split   splitter
	// naNumbers are the markers of missing values that are numbers, as -99.
	naNumbers []float64

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

var _ data.Stream = (*Reader)(nil)

// NewReader finds out how src is written from its first block. name is how
// messages call the file.
func NewReader(src io.Reader, name string, o Options) (*Reader, error) {
	r := &Reader{name: name, options: o, split: splitter{src: src, size: o.block(), line: 1, free: make(chan []byte, par.Workers(o.Threads)+1)},
		spare: make(chan [][]float64, par.Workers(o.Threads)+1), done: make(chan struct{}), ended: make(chan struct{})}
	for _, m := range o.NA {
		if x, n := scanNumber([]byte(m+"\n"), '.'); n > 0 && n == len(m) {
			r.naNumbers = append(r.naNumbers, x)
		}
	}
	want := max(r.split.size, sniffBytes)
	for {
		if err := r.split.fill(want); err != nil {
			return nil, &data.Error{File: name, Err: err}
		}
		var err error
		if r.dialect, err = sniff(r.split.rest, r.split.eof, name, o); err == nil {
			break
		}
		if r.split.eof || len(r.split.rest) >= maxRecord {
			return nil, err
		}
		want = 4 * len(r.split.rest)
	}
	if err := room.New(name, o.Bytes).Fits(int64(len(r.dialect.names)), room.Column); err != nil {
		return nil, err
	}
	r.split.delimiter = r.dialect.delimiter
	r.split.rest = r.split.rest[r.dialect.skip:]
	r.split.line += r.dialect.skipLines
	return r, nil
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
	if len(c.faults) > 0 {
		f := c.faults[0]
		present := 0
		for _, x := range c.set.Columns[f.column].Numbers {
			if x == x {
				present++
			}
		}
		return nil, r.faulty(f, present)
	}
	if err := data.InferKinds(c.set, r.declared(c.set)); err != nil {
		return nil, err
	}
	return c.set, nil
}

// declared keeps string columns of a stream as they are unless a kind was
// asked for: a guess from one chunk might not fit the next.
func (r *Reader) declared(set *data.Dataset) map[string]data.Kind {
	kinds := map[string]data.Kind{}
	for i := range set.Columns {
		c := &set.Columns[i]
		if k, ok := r.options.Kinds[c.Name]; ok {
			kinds[c.Name] = k
		} else if c.Kind != data.Numeric {
			kinds[c.Name] = data.Text
		}
	}
	return kinds
}

func (r *Reader) next() (chunk, error) {
	if r.err != nil {
		return chunk{}, r.err
	}
	if r.ahead == nil {
		r.ahead = make(chan chan chunk, par.Workers(r.options.Threads))
		go r.readAhead()
	}
	for {
		pending, ok := <-r.ahead
		if !ok {
			r.err = io.EOF
			if r.rows == 0 {
				r.err = &data.Error{File: r.name, Reason: "no rows", Kind: data.ErrNoRows, Remedy: data.RemedyHeader}
			}
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
			return c, nil
		}
	}
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

// finish is Close, and waits until nothing is read any more: the source may then be closed. A pipe may keep it waiting.
func (r *Reader) finish() {
	r.Close()
	if r.ahead != nil {
		<-r.ended
	}
}

func (r *Reader) faulty(f fault, present int) error {
	return &data.Error{File: r.name, Line: f.line, Byte: f.offset,
		Reason: fmt.Sprintf("column %q is %q where %s other rows are numbers", r.dialect.names[f.column], f.value, data.Thousands(present)),
		Column: r.dialect.names[f.column], Value: f.value, Kind: data.ErrValue, Remedy: data.RemedyKind}
}

// Read reads a whole file. open is called again if the first rows were numbers
// in a column that turns out to hold strings.
func Read(open func() (io.ReadCloser, error), name string, o Options) (*data.Dataset, error) {
	for {
		set, again, err := readOnce(open, name, o)
		if err != nil {
			return nil, err
		}
		if len(again) == 0 {
			return set, nil
		}
		o.strings = append(o.strings, again...)
	}
}

func readOnce(open func() (io.ReadCloser, error), name string, o Options) (*data.Dataset, []string, error) {
	src, err := open()
	if err != nil {
		return nil, nil, err
	}
	defer src.Close()
	r, err := NewReader(src, name, o)
	if err != nil {
		return nil, nil, err
	}
	defer r.finish()
	all := collector{reader: r, size: o.Size, room: room.New(name, o.Bytes)}
	faults := map[int]*fault{}
	for {
		c, err := r.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		for _, f := range c.faults {
			if g := faults[f.column]; g != nil {
				g.count += f.count
			} else {
				faults[f.column] = &f
			}
		}
		if err := all.add(c); err != nil {
			return nil, nil, err
		}
	}
	set, err := all.join()
	if err != nil {
		return nil, nil, err
	}
	var again []string
	for j, name := range r.dialect.names {
		f := faults[j]
		if f == nil {
			continue
		}
		c := &set.Columns[j]
		present := c.Len() - c.Missing()
		if _, declared := o.Kinds[name]; declared || present >= 9*f.count {
			return nil, nil, r.faulty(*f, present)
		}
		again = append(again, name)
	}
	if len(again) > 0 {
		return nil, again, nil
	}
	return set, nil, data.InferKinds(set, o.Kinds)
}
