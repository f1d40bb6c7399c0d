package npy

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/room"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// Reader gives the rows of an array a chunk at a time, in memory that does not grow with the file.
type Reader struct {
	r           *bufio.Reader
	h           *header
	name        string
	cols        int
	chunk, done int // rows
	buf         []byte
}

// chunkValues is how many numbers a chunk has, about, where there is memory for them.
const chunkValues = 1 << 19

// NewReader reads the header of a vector or a matrix in C order, whose rows stand one after the
// other in the file; ErrWhole means that the array has another form and is for Read. Chunks take up
// to so many bytes of memory; 0 means half of the machine's.
func NewReader(src io.Reader, name string, bytes int64) (*Reader, error) {
	r := bufio.NewReaderSize(src, 1<<20)
	h, err := readHeader(r, name)
	if err != nil {
		return nil, err
	}
	out := &Reader{r: r, h: h, name: name, cols: 1}
	switch {
	case len(h.shape) == 1:
	case len(h.shape) == 2 && !h.fortran:
		out.cols = h.shape[1]
	default:
		return nil, ErrWhole
	}
	if h.count == 0 {
		return nil, &data.Error{File: name, Reason: fmt.Sprintf("an array of shape %v, which holds nothing", h.shape),
			Kind: data.ErrNoRows}
	}
	left := room.New(name, bytes)
	row := int64(out.cols) * int64(8+h.width)
	if err := left.Fits(1, row); err != nil {
		return nil, err
	}
	out.chunk = int(max(min(chunkValues/int64(out.cols), left.Left()/row/2), 1))
	return out, nil
}

// ErrWhole is the error of an array that cannot be read row by row.
var ErrWhole = fmt.Errorf("npy: the rows of this array do not stand one after the other")

// Rows is how many there are.
func (s *Reader) Rows() int { return s.h.shape[0] }

// Next is the next rows as columns x1, x2, …, or io.EOF.
func (s *Reader) Next() (*data.Dataset, error) {
	n := min(s.chunk, s.Rows()-s.done)
	if n == 0 {
		return nil, io.EOF
	}
	if size := n * s.cols * s.h.width; cap(s.buf) < size {
		s.buf = make([]byte, size)
	}
	buf := s.buf[:n*s.cols*s.h.width]
	if got, err := io.ReadFull(s.r, buf); err != nil {
		return nil, &data.Error{File: s.name, Row: s.done + got/(s.cols*s.h.width) + 1, Kind: data.ErrDamaged,
			Reason: fmt.Sprintf("the file ends here, of %s rows", phrase.Thousands(s.Rows())),
			Advice: "it was cut short: copy or write it again", Err: err}
	}
	d := &data.Dataset{Name: s.name}
	for j := range s.cols {
		values := make([]float64, n)
		s.column(values, buf, j)
		for i, x := range values {
			if math.IsInf(x, 0) {
				return nil, &data.Error{File: s.name, Row: s.done + i + 1, Column: "x" + strconv.Itoa(j+1),
					Value: phrase.Number(x), Kind: data.ErrNotFinite,
					Reason: fmt.Sprintf("column %q is %v; numbers must be finite", "x"+strconv.Itoa(j+1), x),
					Advice: "replace it before saving (NaN counts as missing)"}
			}
		}
		c := data.NumberColumn("x"+strconv.Itoa(j+1), values)
		for i, x := range values {
			if x >= 1<<53 || x <= -1<<53 {
				if digits := s.h.digits(buf[(i*s.cols+j)*s.h.width:]); digits != "" {
					if c.Digits == nil {
						c.Digits = map[int]string{}
					}
					c.Digits[i] = digits
				}
			}
		}
		d.Columns = append(d.Columns, c)
	}
	s.done += n
	return d, nil
}

// column decodes column j of rows.
func (s *Reader) column(dst []float64, buf []byte, j int) {
	w := s.h.width
	step := s.cols * w
	if s.h.kind == 'f' && w == 4 && s.h.order == binary.LittleEndian { // most large files
		for i := range dst {
			dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(buf[i*step+j*w:])))
		}
		return
	}
	for i := range dst {
		dst[i] = s.h.decode(buf[i*step+j*w:])
	}
}

// Close does nothing: who opened the file closes it.
func (s *Reader) Close() error { return nil }
