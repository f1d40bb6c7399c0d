// Package libsvm reads and writes the sparse text format of LIBSVM and
// SVMlight, a row to a line:
//
//	label [qid:q] index:value index:value … [# comment]
//
// with indices from 1, increasing. It also holds the scaling of LIBSVM's
// svm-scale and its range files (C.-C. Chang and C.-J. Lin, LIBSVM: a library
// for support vector machines, ACM TIST 2(3), 2011).
package libsvm

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/internal/room"
)

// MaxIndex bounds a feature's index.
const MaxIndex = math.MaxInt32

// LabelColumn and QidColumn name the columns that labels and query ids become.
const (
	LabelColumn = "label"
	QidColumn   = "qid"
)

// Options says how to read; the zero value is LIBSVM's own format.
type Options struct {
	ZeroBased bool // indices count from 0
	Chunk     int  // rows per chunk of a Reader; 0: 16,384
	// Bytes is the memory for a data set, or for a chunk, and for a number for each feature up to the largest index, which is the
	// least that anything fitted to it needs; 0: half of the machine's.
	Bytes int64
}

// Reader gives rows a chunk at a time. It implements data.Stream.
type Reader struct {
	name    string
	options Options
	src     room.Lines
	line    int
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
	return &Reader{name: name, options: o, src: room.Lines{Src: bufio.NewReaderSize(src, 1<<18)}}
}

// Read reads a whole file: column label is the target, the features are sparse.
func Read(src io.Reader, name string, o Options) (*data.Dataset, error) {
	o.Chunk = math.MaxInt
	return NewReader(src, name, o).Next()
}

// Next returns the next rows, or io.EOF. The number of features of a chunk is
// the largest index seen so far.
func (r *Reader) Next() (*data.Dataset, error) {
	m := &data.CSR{Ptr: []int{0}}
	var labels, qids []float64
	left := room.New(r.name, r.options.Bytes)
	if err := left.Fits(int64(r.dim), featureBytes); err != nil {
		return nil, err
	}
	for len(labels) < r.options.Chunk {
		line, err := r.src.Next(left)
		if err == io.EOF {
			break
		}
		r.line++
		if err != nil {
			return nil, r.at(err)
		}
		if i := bytes.IndexByte(line, '#'); i >= 0 {
			line = line[:i]
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		label, qid, err := r.parse(line, m)
		if err != nil {
			return nil, err
		}
		added := len(m.Value) - m.Ptr[len(m.Ptr)-1]
		if err := left.Take(rowBytes + entryBytes*int64(added)); err != nil {
			return nil, r.at(err)
		}
		if err := left.Fits(int64(r.dim), featureBytes); err != nil {
			return nil, r.at(err)
		}
		if r.rows == 0 {
			r.hasQid = !math.IsNaN(qid)
		} else if r.hasQid == math.IsNaN(qid) {
			return nil, &data.Error{File: r.name, Line: r.line, Kind: data.ErrSyntax, Reason: "some rows have a qid and this one differs", Advice: "give every row a qid, or none"}
		}
		r.rows++
		labels = append(labels, label)
		if r.hasQid {
			qids = append(qids, qid)
		}
		m.Ptr = append(m.Ptr, len(m.Value))
	}
	if len(labels) == 0 {
		if r.rows == 0 {
			return nil, &data.Error{File: r.name, Kind: data.ErrNoRows, Reason: "no rows", Advice: "a row is: label index:value index:value …"}
		}
		return nil, io.EOF
	}
	m.Rows, m.Cols = len(labels), r.dim
	s := data.Sparse(m)
	d := &data.Dataset{Name: r.name, Columns: []data.Column{data.NumberColumn(LabelColumn, labels)}, Sparse: &s, Target: LabelColumn}
	if r.hasQid {
		d.Columns = append(d.Columns, data.NumberColumn(QidColumn, qids))
		d.Groups = QidColumn
	}
	return d, nil
}

// Close does nothing; the source is the caller's.
func (r *Reader) Close() error { return nil }

// What a row, an entry and a feature take.
const (
	rowBytes     = 24
	entryBytes   = 12
	featureBytes = 8
)

// at says of an error on which line it is.
func (r *Reader) at(err error) error {
	var said *data.Error
	if errors.As(err, &said) {
		said.Line = r.line
		return said
	}
	return &data.Error{File: r.name, Line: r.line, Err: err}
}

func (r *Reader) parse(line []byte, m *data.CSR) (label, qid float64, err error) {
	fault := func(at int, reason, advice string) error {
		return &data.Error{File: r.name, Line: r.line, Byte: at + 1, Reason: reason, Advice: advice, Kind: data.ErrSyntax}
	}
	notFinite := func(at, end int, what, advice string) error {
		return &data.Error{File: r.name, Line: r.line, Byte: at + 1, Value: string(line[at:end]), Kind: data.ErrNotFinite,
			Reason: fmt.Sprintf("%s is %q, which is not a finite number", what, clip(line[at:end])), Advice: advice}
	}
	qid = math.NaN()
	pos := skipBlanks(line, 0)
	end := wordEnd(line, pos)
	label, err = strconv.ParseFloat(string(line[pos:end]), 64)
	if err != nil || math.IsInf(label, 0) || math.IsNaN(label) {
		return 0, 0, notFinite(pos, end, "label", "a row is: label index:value index:value …")
	}
	previous := int64(-1)
	low := int64(1)
	if r.options.ZeroBased {
		low = 0
	}
	for {
		pos = skipBlanks(line, end)
		if pos == len(line) {
			return label, qid, nil
		}
		end = wordEnd(line, pos)
		word := line[pos:end]
		colon := bytes.IndexByte(word, ':')
		if colon < 0 {
			return 0, 0, fault(pos, fmt.Sprintf("%q is not index:value", clip(word)), "write features as index:value with blanks between")
		}
		value, err := strconv.ParseFloat(string(word[colon+1:]), 64)
		if err != nil || math.IsInf(value, 0) || math.IsNaN(value) {
			return 0, 0, notFinite(pos+colon+1, end, "value", "correct it, or leave the feature out (it is then 0)")
		}
		if string(word[:colon]) == "qid" {
			if previous >= 0 {
				return 0, 0, fault(pos, "qid after a feature", "put qid right after the label")
			}
			qid = value
			continue
		}
		index, err := strconv.ParseInt(string(word[:colon]), 10, 64)
		switch {
		case err != nil:
			return 0, 0, fault(pos, fmt.Sprintf("index is %q, which is not a whole number", clip(word[:colon])), "indices count from 1")
		case index < low:
			// LIBSVM's precomputed kernels carry the row number at index 0.
			return 0, 0, fault(pos, fmt.Sprintf("index is %d", index), "indices count from 1; for files that count from 0 (or a precomputed kernel) say so")
		case index > MaxIndex:
			return 0, 0, fault(pos, fmt.Sprintf("index is %d, above %d", index, MaxIndex), "renumber the features")
		case index <= previous:
			return 0, 0, fault(pos, fmt.Sprintf("index %d after %d", index, previous), "indices must increase along a row")
		}
		previous = index
		m.Index = append(m.Index, int32(index-low))
		m.Value = append(m.Value, value)
		r.dim = max(r.dim, int(index-low)+1)
	}
}

func skipBlanks(s []byte, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\r' || s[i] == '\n') {
		i++
	}
	return i
}

func wordEnd(s []byte, i int) int {
	for i < len(s) && s[i] != ' ' && s[i] != '\t' && s[i] != '\r' && s[i] != '\n' {
		i++
	}
	return i
}

func clip(s []byte) string {
	if len(s) > 60 {
		return string(s[:60]) + "…"
	}
	return string(s)
}
