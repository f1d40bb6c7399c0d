// Package libsvm reads and writes the sparse text format of LIBSVM and
// SVMlight, a row to a line:
//
//	label [qid:q] index:value index:value … [# comment]
//
// with indices from 1, increasing. It also holds the scaling of LIBSVM's
// svm-scale and its range files (C.-C. Chang and C.-J. Lin, LIBSVM: a library
// for support vector machines, ACM TIST 2(3), 2011).
//
// Names to know: [Read] reads a whole file, [NewReader] one in parts, and [Options] says how.
// [Write] writes; [FitRange] and [ReadRange] give the [Range] of svm-scale.
package libsvm

import (
	"errors"
	"io"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/room"
	"github.com/mercer-ml/mercer/internal/format/sparsetext"
)

// MaxIndex bounds a feature's index.
const MaxIndex = sparsetext.MaxIndex

// LabelColumn and QidColumn name the columns that labels and query ids become.
const (
	LabelColumn = "label"
	QidColumn   = "qid"
)

// Options says how to read; the zero value is LIBSVM's own format.
type Options struct {
	ZeroBased bool // indices count from 0
	Chunk     int  // rows per chunk of a Reader; 0: 16,384
	Threads   int  // 0: all cores
	// Bytes is the memory for a data set, or for a chunk, and for a number for each feature up to
	// the largest index, which is the least that anything fitted to it needs; 0: half of the
	// machine's.
	Bytes int64
}

// Reader gives rows a chunk at a time. It implements data.Stream.
type Reader struct {
	name    string
	options Options
	text    *sparsetext.Reader
	parsed  []*sparsetext.Rows // not yet given out
	next    int                // row of the first of them
	dim     int
	hasQid  bool
	rows    int
}

var _ data.Stream = (*Reader)(nil)

// NewReader reads from src; name is how messages call the file.
func NewReader(src io.Reader, name string, o Options) *Reader {
	if o.Chunk <= 0 {
		o.Chunk = 16384
	}
	form := sparsetext.Form{Lead: 1, Low: 1}
	if o.ZeroBased {
		form.Low = 0
	}
	return &Reader{name: name, options: o, text: sparsetext.NewReader(src, form, 1, o.Threads)}
}

// Read reads a whole file: column label is the target, the features are sparse.
func Read(src io.Reader, name string, o Options) (*data.Dataset, error) {
	o.Chunk = math.MaxInt
	return NewReader(src, name, o).Next()
}

// Next returns the next rows, or io.EOF. The number of features of a chunk is
// the largest index seen so far.
func (r *Reader) Next() (*data.Dataset, error) {
	left := room.New(r.name, r.options.Bytes)
	if err := left.Fits(int64(r.dim), featureBytes); err != nil {
		return nil, err
	}
	var take parts
	for take.rows < r.options.Chunk {
		if len(r.parsed) == 0 {
			r.text.Refuse = func(bytes int) error { return left.Fits(int64(bytes), lineCost) }
			var err error
			if r.parsed, err = r.text.Next(); err == io.EOF {
				break
			} else if err != nil {
				return nil, r.at(r.text.Line(), err)
			}
		}
		if err := r.some(&take, left); err != nil {
			return nil, err
		}
	}
	if take.rows == 0 {
		if r.rows == 0 {
			return nil, &data.Error{File: r.name, Kind: data.ErrNoRows, Reason: "no rows",
				Advice: "a row is: label index:value index:value …"}
		}
		return nil, io.EOF
	}
	r.rows += take.rows
	return take.dataset(r.name, r.dim, r.hasQid), nil
}

// some takes rows of what was parsed first, as many as the chunk still wants.
func (r *Reader) some(take *parts, left *room.Room) error {
	p := r.parsed[0]
	from, to := r.next, min(p.Len(), r.next+r.options.Chunk-take.rows)
	for i := from; i < to; i++ {
		lo, hi := p.Ptr[i], p.Ptr[i+1]
		if err := left.Take(rowBytes + entryBytes*int64(hi-lo)); err != nil {
			return r.at(p.Line[i], err)
		}
		if hi > lo && int(p.Index[hi-1]) >= r.dim {
			r.dim = int(p.Index[hi-1]) + 1
			if err := left.Fits(int64(r.dim), featureBytes); err != nil {
				return r.at(p.Line[i], err)
			}
		}
		has := p.Qid != nil && !math.IsNaN(p.Qid[i])
		if r.rows+take.rows+i-from == 0 {
			r.hasQid = has
		} else if r.hasQid != has {
			return &data.Error{File: r.name, Line: p.Line[i], Kind: data.ErrSyntax,
				Reason: "some rows have a qid and this one differs", Advice: "give every row a qid, or none"}
		}
	}
	take.add(p, from, to)
	if r.next = to; to < p.Len() {
		return nil
	}
	if p.Fault != nil && take.rows < r.options.Chunk {
		return r.fault(p.Fault)
	}
	if p.Fault == nil {
		r.parsed, r.next = r.parsed[1:], 0
	}
	return nil
}

// Close does nothing; the source is the caller's.
func (r *Reader) Close() error { return nil }

// What a row, an entry and a feature take, and a byte of a long line while it is split up: it is
// there twice while its memory grows, and its values are there beside it.
const (
	rowBytes     = 24
	entryBytes   = 12
	featureBytes = 8
	lineCost     = 8
)

// at says of an error on which line it is.
func (r *Reader) at(line int, err error) error {
	var said *data.Error
	if errors.As(err, &said) {
		said.Line = line
		return said
	}
	return &data.Error{File: r.name, Line: line, Err: err}
}
