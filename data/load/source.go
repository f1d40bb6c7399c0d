package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/arrow"
	"github.com/mercer-ml/mercer/internal/format/csvio"
	"github.com/mercer-ml/mercer/internal/format/fasta"
	"github.com/mercer-ml/mercer/internal/format/jsonl"
	"github.com/mercer-ml/mercer/internal/format/klp"
	"github.com/mercer-ml/mercer/internal/format/libsvm"
	"github.com/mercer-ml/mercer/internal/format/npy"
	"github.com/mercer-ml/mercer/internal/format/parquet"
	"github.com/mercer-ml/mercer/internal/format/room"
	"github.com/mercer-ml/mercer/internal/format/tsfile"
	"github.com/mercer-ml/mercer/internal/format/xlsx"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// source is an opened file that can be read again from its start.
type source struct {
	ctx    context.Context
	name   string
	path   string // empty: whole is all there is
	whole  []byte
	head   []byte // first bytes, unwrapped
	opened []io.Closer
	size   int64     // bytes as stored
	sum    hash.Hash // nil, or takes what is read
	summed bool      // all of it was
	room   *room.Room
	told   func(done, of int64)
}

// openSource finds what path means.
func openSource(ctx context.Context, path string, o Options) (*source, *data.Dataset, error) {
	s := &source{ctx: ctx, name: path, path: path, room: room.New(path, o.Bytes), told: o.Progress}
	if path == "-" {
		s.name, s.path, s.room = o.stdinName(), "", room.New(o.stdinName(), o.Bytes)
		in := o.Stdin
		if in == nil {
			in = os.Stdin
		}
		var err error
		if s.whole, err = s.readAll(cancellable{ctx, in}); err != nil {
			return nil, nil, err
		}
		s.size = int64(len(s.whole))
		return s, nil, s.peek()
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if set, berr := data.Builtin(path, o.Seed); berr == nil {
			return nil, set, nil
		}
		return nil, nil, noSuchFile(path)
	}
	if err != nil {
		return nil, nil, cannotOpen(path, err)
	}
	if info.IsDir() {
		set, err := readFolder(path, o)
		return nil, set, err
	}
	if !info.Mode().IsRegular() {
		// A pipe cannot be read twice.
		f, err := os.Open(path)
		if err != nil {
			return nil, nil, cannotOpen(path, err)
		}
		defer f.Close()
		if s.whole, err = s.readAll(cancellable{ctx, f}); err != nil {
			return nil, nil, err
		}
		s.path = ""
		s.size = int64(len(s.whole))
	} else {
		s.size = info.Size()
	}
	return s, nil, s.peek()
}

func noSuchFile(path string) error {
	e := &data.Error{File: path, Kind: fs.ErrNotExist, Reason: "no such file, and no built-in set of that name",
		Advice: "built-in sets: " + builtinNames()}
	if n, ok := phrase.Nearest(path, data.BuiltinNames()); ok {
		e.Advice = fmt.Sprintf("did you mean the built-in set %q?", n)
	}
	return e
}

func builtinNames() string {
	var b bytes.Buffer
	for i, n := range data.BuiltinNames() {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(n)
	}
	return b.String()
}

// peek keeps the first bytes for finding the format.
func (s *source) peek() error {
	r, err := s.open()
	if err != nil {
		return err
	}
	defer r.Close()
	s.head = make([]byte, 1<<16)
	n, err := io.ReadFull(r, s.head)
	s.head = s.head[:n]
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		fault := &data.Error{File: s.name, Err: err}
		if !errors.Is(err, data.ErrDamaged) { // which says so itself
			fault.Advice = "the file may be damaged: copy it again"
		}
		return fault
	}
	if n == 0 {
		return &data.Error{File: s.name, Kind: data.ErrNoRows, Reason: "the file is empty",
			Advice: "give a file with a header and rows, or a built-in set such as iris"}
	}
	return nil
}

// raw opens the bytes as stored.
func (s *source) raw() (io.ReadCloser, error) {
	if s.path == "" {
		return io.NopCloser(bytes.NewReader(s.whole)), nil
	}
	f, err := os.Open(s.path)
	if err != nil {
		return nil, cannotOpen(s.name, err)
	}
	return f, nil
}

// cannotOpen is the fault of a file that is there and cannot be opened.
func cannotOpen(name string, err error) error {
	fault := &data.Error{File: name, Err: errors.Unwrap(err)}
	if errors.Is(err, fs.ErrPermission) {
		fault.Advice = "ask its owner for the right to read it and to enter its folder (chmod), or for a copy"
	}
	return fault
}

// open gives the bytes, unwrapped, from the start.
func (s *source) open() (io.ReadCloser, error) {
	f, err := s.raw()
	if err != nil {
		return nil, err
	}
	r, err := unwrap(cancellable{s.ctx, &counted{Reader: s.seen(f), of: s.size, told: s.told}}, s.name)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &both{ReadCloser: r, under: f}, nil
}

func (s *source) close() {
	for _, c := range s.opened {
		c.Close()
	}
}

// seekable gives the bytes, unwrapped, for readers that need to seek:
// the file itself where it is stored plainly, else all of it in memory.
func (s *source) seekable() (seekable, error) {
	if s.path != "" {
		f, err := os.Open(s.path)
		if err != nil {
			return seekable{}, cannotOpen(s.name, err)
		}
		var head [4]byte
		n, _ := f.ReadAt(head[:], 0)
		if wrapping(head[:n]) == "" {
			info, err := f.Stat()
			if err != nil {
				return seekable{}, err
			}
			s.opened = append(s.opened, f)
			return seekable{f, info.Size()}, nil
		}
		f.Close()
	}
	r, err := s.open()
	if err != nil {
		return seekable{}, err
	}
	defer r.Close()
	all, err := s.readAll(r)
	if err != nil {
		return seekable{}, err
	}
	return seekable{bytes.NewReader(all), int64(len(all))}, nil
}

// readAll takes a stream into memory, as far as there is room.
func (s *source) readAll(r io.Reader) ([]byte, error) {
	head := make([]byte, 1<<16)
	n, err := io.ReadFull(r, head)
	head = head[:n]
	if n == cap(head) && len(bytes.TrimLeft(head, "\x00")) == 0 {
		// /dev/zero never ends
		return nil, &data.Error{File: s.name, Kind: data.ErrFormat, Reason: "nothing but zero bytes",
			Advice: "name a file or a pipe with data"}
	}
	all := head
	if err == nil {
		all, err = s.room.ReadAll(io.MultiReader(bytes.NewReader(head), r))
	}
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		if said := (*data.Error)(nil); errors.As(err, &said) {
			return nil, said
		}
		return nil, &data.Error{File: s.name, Err: err}
	}
	return all, nil
}

type seekable struct {
	src interface {
		io.ReaderAt
		io.ReadSeeker
	}
	size int64
}

func (s *source) read(format Format, o Options) (*data.Dataset, error) {
	o.Bytes = s.room.Left() // what is in memory already counts
	if format == formatCSV || format == formatTSV {
		c := s.csv(format, o)
		if s.plain() {
			c.Size = s.size
		}
		return csvio.Read(s.open, s.name, c)
	}
	switch format {
	case formatParquet, formatArrowFile, formatNPZ, formatXLSX:
		f, err := s.seekable()
		if err != nil {
			return nil, err
		}
		o.Bytes = s.room.Left()
		switch format {
		case formatParquet:
			r, err := parquet.OpenWithin(f.src, f.size, s.name, o.inference(), o.Bytes)
			if err != nil {
				return nil, err
			}
			return parquet.ReadAll(r)
		case formatArrowFile:
			r, err := arrow.NewFileReaderWithin(f.src, f.size, s.name, o.inference(), o.Bytes)
			if err != nil {
				return nil, err
			}
			return arrow.ReadAll(r)
		case formatXLSX:
			in := o.inference()
			in.Missing = o.words()
			header := csvio.Header(o.Header)
			return xlsx.Read(f.src, f.size, s.name, xlsx.Options{Sheet: o.Sheet, Infer: in, Bytes: o.Bytes,
				NoHeader: header == csvio.HeaderNo, YesHeader: header == csvio.HeaderYes, TwoHeader: header == csvio.HeaderTwo})
		}
		arrays, err := npy.ReadAllWithin(f.src, f.size, s.name, o.Bytes)
		if err != nil {
			return nil, err
		}
		return npy.DatasetOf(arrays, s.name)
	}
	r, err := s.open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	switch format {
	case formatLIBSVM:
		return libsvm.Read(r, s.name, libsvm.Options{Bytes: o.Bytes})
	case formatJSONL:
		return jsonl.Read(r, s.name, jsonl.Options{Infer: o.inference(), Bytes: o.Bytes})
	case formatNPY:
		a, err := npy.ReadWithin(r, s.name, o.Bytes)
		if err != nil {
			return nil, err
		}
		return a.Dataset(s.name)
	case formatArrowStream:
		a, err := arrow.NewStreamReaderWithin(r, s.name, o.inference(), o.Bytes)
		if err != nil {
			return nil, err
		}
		return arrow.ReadAll(a)
	case formatFASTA:
		records, err := fasta.ReadWithin(r, s.name, o.Bytes)
		if err != nil {
			return nil, err
		}
		return fasta.Dataset(records, s.name), nil
	case formatTS:
		return tsfile.Read(r, s.name, o.Bytes)
	case formatKLP:
		return klp.Read(r, s.name, o.Bytes)
	}
	return nil, &data.Error{File: s.name, Value: string(format), Kind: data.ErrFormat,
		Reason: fmt.Sprintf("format %q is not known", format)}
}

func (s *source) csv(format Format, o Options) csvio.Options {
	c := o.csv()
	if format == formatTSV && c.Delimiter == 0 {
		c.Delimiter = '\t'
	}
	return c
}

// both is a file and what reads it. A reader that reads ahead may be in the middle of that when it
// is closed: closing waits.
type both struct {
	mu sync.Mutex
	io.ReadCloser
	under  io.Closer
	closed bool
}

func (b *both) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return 0, fs.ErrClosed
	}
	return b.ReadCloser.Read(p)
}

func (b *both) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil
	}
	b.closed = true
	return errors.Join(b.ReadCloser.Close(), b.under.Close())
}

// counted tells how far a file is read.
type counted struct {
	io.Reader
	done, of int64
	told     func(done, of int64)
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.done += int64(n); c.told != nil {
		c.told(c.done, c.of)
	}
	return n, err
}

// cancellable fails reads once a context is cancelled.
type cancellable struct {
	ctx context.Context
	r   io.Reader
}

func (c cancellable) Read(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.r.Read(p)
}
