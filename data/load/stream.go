package load

import (
	"bufio"
	"context"
	"io"
	"os"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/arrow"
	"github.com/mercer-ml/mercer/internal/format/csvio"
	"github.com/mercer-ml/mercer/internal/format/jsonl"
	"github.com/mercer-ml/mercer/internal/format/libsvm"
	"github.com/mercer-ml/mercer/internal/format/npy"
	"github.com/mercer-ml/mercer/internal/format/parquet"
)

// Open gives the rows of a file (or "-", or a built-in set) a chunk at a time, in memory that does
// not grow with the file where its format allows: NPZ, XLSX and FASTA, NPY in Fortran order, and
// compressed Parquet or Arrow files, are read whole and come as one chunk. String columns are text
// unless Told or Readings say otherwise, since what follows is not known yet. Roles and hash are
// not set.
func Open(ctx context.Context, path string, o Options) (data.Stream, error) {
	s, err := open(ctx, path, o)
	if err != nil {
		return nil, err
	}
	return &ignoring{s, o}, nil
}

func open(ctx context.Context, path string, o Options) (data.Stream, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if path == "-" {
		return openStdin(ctx, o)
	}
	src, set, err := openSource(ctx, path, o)
	if err != nil {
		return nil, err
	}
	if set != nil {
		return &once{set: set}, nil
	}
	format, err := src.format(o.Format)
	if err != nil {
		return nil, err
	}
	switch format {
	case formatParquet, formatArrowFile:
		f, err := src.seekable()
		if err != nil {
			return nil, err
		}
		var s data.Stream
		if format == formatParquet {
			s, err = parquet.OpenWithin(f.src, f.size, src.name, o.inference(), src.room.Left())
		} else {
			s, err = arrow.NewFileReaderWithin(f.src, f.size, src.name, o.inference(), src.room.Left())
		}
		if err != nil {
			src.close()
			return nil, err
		}
		return &closing{s, src.close}, nil
	case formatNPY:
		r, err := src.open()
		if err != nil {
			return nil, err
		}
		s, err := npy.NewReader(r, src.name, o.Bytes)
		if err == nil {
			return &closing{s, func() { r.Close() }}, nil
		}
		if r.Close(); err != npy.ErrWhole {
			return nil, err
		}
	case formatCSV, formatTSV, formatLIBSVM, formatJSONL, formatArrowStream:
		r, err := src.open()
		if err != nil {
			return nil, err
		}
		s, err := stream(format, r, src.name, src.csv(format, o), o)
		if err != nil {
			r.Close()
			return nil, err
		}
		return &closing{s, func() { r.Close() }}, nil
	}
	defer src.close()
	if set, err = src.read(format, o); err != nil {
		return nil, err
	}
	return &once{set: set}, nil
}

// openStdin streams what can be streamed without seeing it twice.
func openStdin(ctx context.Context, o Options) (data.Stream, error) {
	in := o.Stdin
	if in == nil {
		in = os.Stdin
	}
	name := o.stdinName()
	plain, err := unwrap(cancellable{ctx, in}, name)
	if err != nil {
		return nil, err
	}
	r := bufio.NewReaderSize(plain, 1<<16)
	head, _ := r.Peek(1 << 12)
	if err := refuseOther(name, head); err != nil && o.Format == "" {
		return nil, err
	}
	format := Detect("", head)
	if o.Format != "" {
		if format, err = ParseFormat(string(o.Format)); err != nil {
			return nil, err
		}
	}
	switch format {
	case formatCSV, formatTSV, formatLIBSVM, formatJSONL, formatArrowStream:
		s := &source{}
		return stream(format, r, name, s.csv(format, o), o)
	}
	o.Stdin, o.Format = r, format
	src, _, err := openSource(ctx, "-", o)
	if err != nil {
		return nil, err
	}
	set, err := src.read(format, o)
	if err != nil {
		return nil, err
	}
	return &once{set: set}, nil
}

func stream(format Format, r io.Reader, name string, c csvio.Options, o Options) (data.Stream, error) {
	switch format {
	case formatLIBSVM:
		return libsvm.NewReader(r, name, libsvm.Options{Bytes: o.Bytes}), nil
	case formatJSONL:
		return jsonl.NewReader(r, name, jsonl.Options{Infer: o.inference(), Bytes: o.Bytes}), nil
	case formatArrowStream:
		return arrow.NewStreamReaderWithin(r, name, o.inference(), o.Bytes)
	}
	return csvio.NewReader(r, name, c)
}

// once is a stream of one chunk.
type once struct{ set *data.Dataset }

func (s *once) Next() (*data.Dataset, error) {
	if s.set == nil {
		return nil, io.EOF
	}
	set := s.set
	s.set = nil
	return set, nil
}

func (s *once) Close() error { return nil }

// closing closes the file beneath a stream.
type closing struct {
	data.Stream
	close func()
}

func (c *closing) Close() error {
	err := c.Stream.Close()
	if c.close != nil {
		c.close()
		c.close = nil
	}
	return err
}
