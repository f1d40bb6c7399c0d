// Package mtx reads sparse matrices in the coordinate form of Matrix Market (R. Boisvert, R. Pozo
// and K. Remington, The Matrix Market Exchange Formats: Initial Design, NISTIR 5935, 1996): a
// banner, comments, the size, and an entry "row column value" a line.
package mtx

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/room"
)

// Banner is how a file begins.
const Banner = "%%MatrixMarket"

// Matrix is a sparse matrix by its entries, in the order of the file. Of a symmetric one the file
// has the lower triangle, and so has this.
type Matrix struct {
	Rows, Cols int
	Symmetric  bool
	Row, Col   []int32   // from 0
	Value      []float64 // nil: a pattern, of which only the places are known
}

// entryBytes is what an entry takes, its share of lists that grow among it.
const entryBytes = 32

// Read reads a matrix in so many bytes of memory; 0 means half of the machine's. The file's name is
// for errors.
func Read(r io.Reader, file string, bytesOf int64) (*Matrix, error) {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 1<<16), 1<<20)
	line := 0
	fault := func(reason, advice string) error {
		return &data.Error{File: file, Line: line, Kind: data.ErrSyntax, Reason: reason, Advice: advice}
	}
	next := func() (string, bool) {
		for s.Scan() {
			line++
			if text := bytes.TrimSpace(s.Bytes()); len(text) > 0 && text[0] != '%' {
				return string(text), true
			}
		}
		return "", false
	}
	if !s.Scan() {
		return nil, &data.Error{File: file, Kind: data.ErrFormat, Reason: "an empty file, or one whose first line has no end",
			Advice: "begin with " + Banner, Err: s.Err()}
	}
	line++
	m, pattern, err := banner(s.Text(), fault)
	if err != nil {
		return nil, err
	}
	text, ok := next()
	if !ok {
		return nil, &data.Error{File: file, Line: line, Kind: data.ErrDamaged, Reason: "no line with the size of the matrix",
			Advice: "write: rows columns entries", Err: s.Err()}
	}
	size := make([]int64, 3)
	f := strings.Fields(text)
	for i := range size {
		var bad error
		if len(f) == 3 {
			size[i], bad = strconv.ParseInt(f[i], 10, 64)
		}
		if len(f) != 3 || bad != nil || size[i] < 0 || i < 2 && size[i] > math.MaxInt32 {
			return nil, fault(fmt.Sprintf("%.60q is no size of a matrix", text), "write: rows columns entries")
		}
	}
	m.Rows, m.Cols = int(size[0]), int(size[1])
	if m.Symmetric && m.Rows != m.Cols {
		return nil, fault(fmt.Sprintf("a symmetric matrix of %d rows and %d columns", m.Rows, m.Cols),
			"call it general, or make it square")
	}
	left := room.New(file, bytesOf)
	if err := left.Fits(size[2], entryBytes); err != nil {
		return nil, err
	}
	for n := int64(0); ; n++ {
		text, ok := next()
		if !ok {
			if s.Err() != nil {
				return nil, &data.Error{File: file, Line: line + 1, Err: s.Err()}
			}
			if n < size[2] {
				return nil, &data.Error{File: file, Line: line, Kind: data.ErrDamaged,
					Reason: fmt.Sprintf("the file ends after %d of %d entries", n, size[2]), Advice: "it was cut short: copy it again"}
			}
			return m, nil
		}
		if n == size[2] {
			return nil, fault(fmt.Sprintf("more than the %d entries that the file speaks of", size[2]),
				"correct the line of the size")
		}
		if err := left.Take(entryBytes); err != nil {
			return nil, err
		}
		if err := m.entry(text, pattern, fault); err != nil {
			return nil, err
		}
	}
}

// banner reads the first line.
func banner(text string, fault func(reason, advice string) error) (m *Matrix, pattern bool, err error) {
	f := strings.Fields(strings.ToLower(text))
	if len(f) != 5 || f[0] != strings.ToLower(Banner) || f[1] != "matrix" {
		return nil, false, fault(fmt.Sprintf("%.60q is no banner", text), "begin with "+Banner+
			" matrix coordinate real general")
	}
	if f[2] != "coordinate" {
		return nil, false, fault(fmt.Sprintf("a matrix in the form %q", f[2]), "write the coordinate form, an entry a line")
	}
	switch f[3] {
	case "real", "integer":
	case "pattern":
		pattern = true
	default:
		return nil, false, fault(fmt.Sprintf("entries that are %q", f[3]), "write real, integer or pattern")
	}
	switch f[4] {
	case "general":
		return &Matrix{}, pattern, nil
	case "symmetric":
		return &Matrix{Symmetric: true}, pattern, nil
	}
	return nil, false, fault(fmt.Sprintf("a matrix that is %q", f[4]), "write general or symmetric")
}

func (m *Matrix) entry(text string, pattern bool, fault func(reason, advice string) error) error {
	f := strings.Fields(text)
	want := 3
	if pattern {
		want = 2
	}
	if len(f) != want {
		return fault(fmt.Sprintf("%.60q: %d fields, want %d", text, len(f), want),
			"write: row column value, or of a pattern row column")
	}
	i, bad := strconv.Atoi(f[0])
	j, worse := strconv.Atoi(f[1])
	if bad != nil || worse != nil || i < 1 || j < 1 || i > m.Rows || j > m.Cols {
		return fault(fmt.Sprintf("%.60q: no place in a matrix of %d rows and %d columns", text, m.Rows, m.Cols),
			"rows and columns are numbered from 1")
	}
	if m.Symmetric && j > i {
		return fault(fmt.Sprintf("%.60q: above the diagonal of a symmetric matrix", text),
			"write its lower triangle, or call it general")
	}
	m.Row, m.Col = append(m.Row, int32(i-1)), append(m.Col, int32(j-1))
	if !pattern {
		v, err := strconv.ParseFloat(f[2], 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return fault(fmt.Sprintf("%.60q: %q is no finite number", text, f[2]), "correct the value")
		}
		m.Value = append(m.Value, v)
	}
	return nil
}
