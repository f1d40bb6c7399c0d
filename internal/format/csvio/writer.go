package csvio

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
)

// Writer writes chunks of rows as CSV, with one header line before the first.
// Numbers have the fewest digits that read back as the same float64.
type Writer struct {
	w         *bufio.Writer
	delimiter byte
	names     []string
	line      []byte
}

// NewWriter writes to w with the given delimiter; 0 is a comma. Call Flush at
// the end.
func NewWriter(w io.Writer, delimiter byte) *Writer {
	if delimiter == 0 {
		delimiter = ','
	}
	return &Writer{w: bufio.NewWriterSize(w, 1<<16), delimiter: delimiter}
}

// Write appends the rows of d.
func (w *Writer) Write(d *data.Dataset) error {
	if d.Sparse != nil {
		return fmt.Errorf("%s: sparse features do not go into a CSV file; write LIBSVM", d.Name)
	}
	if w.names == nil {
		w.names = d.Names()
		for j, n := range w.names {
			w.cell(j, n)
		}
		if err := w.endLine(len(w.names)); err != nil {
			return err
		}
	}
	if len(d.Columns) != len(w.names) {
		return fmt.Errorf("%d columns after a header of %d", len(d.Columns), len(w.names))
	}
	for i := range d.Len() {
		for j := range d.Columns {
			c := &d.Columns[j]
			if _, exact := c.Digits[i]; c.Kind == data.Numeric && !c.IsMissing(i) && !exact {
				if j > 0 {
					w.line = append(w.line, w.delimiter)
				}
				form, x := byte('g'), c.Numbers[i]
				if x == math.Trunc(x) && math.Abs(x) <= 1<<53 { // as phrase.Number: an id of a million is not 1e+06
					form = 'f'
				}
				w.line = strconv.AppendFloat(w.line, x, form, -1, 64)
				continue
			}
			w.cell(j, c.String(i))
		}
		if err := w.endLine(len(d.Columns)); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) cell(j int, s string) {
	if j > 0 {
		w.line = append(w.line, w.delimiter)
	}
	if !strings.ContainsAny(s, "\"\r\n") && strings.IndexByte(s, w.delimiter) < 0 && strings.TrimSpace(s) == s {
		w.line = append(w.line, s...)
		return
	}
	w.line = append(w.line, '"')
	w.line = append(w.line, strings.ReplaceAll(s, `"`, `""`)...)
	w.line = append(w.line, '"')
}

// endLine writes the line. A lone empty cell is quoted, since a blank line
// would be skipped when read.
func (w *Writer) endLine(cells int) error {
	if cells == 1 && len(w.line) == 0 {
		w.line = append(w.line, `""`...)
	}
	w.line = append(w.line, '\n')
	_, err := w.w.Write(w.line)
	w.line = w.line[:0]
	return err
}

// Flush writes out what is buffered.
func (w *Writer) Flush() error { return w.w.Flush() }
