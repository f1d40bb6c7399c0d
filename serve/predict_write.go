package serve

import (
	"bufio"
	"cmp"
	"io"
	"net/http"
	"slices"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/csvio"
)

// tableWriter writes the chunks of an answer.
type tableWriter interface {
	// first is the column that predictions begin with; remarks are those of rows
	write(d *data.Dataset, first int, remarks map[int][]string) error
	close() error
}

// writer answers in kind: JSON with JSON, anything else with CSV.
func (t *table) writer(w http.ResponseWriter, v *served) tableWriter {
	h := w.Header()
	switch {
	case t.single:
		h.Set("Content-Type", "application/json")
	case t.format == "jsonl":
		h.Set("Content-Type", "application/jsonl")
	default:
		h.Set("Content-Type", "text/csv; charset=utf-8")
		buffered := bufio.NewWriterSize(w, 1<<16)
		return &csvAnswer{buffered, csvio.NewWriter(buffered, ',')}
	}
	return &jsonAnswer{w: bufio.NewWriterSize(w, 1<<16), single: t.single, list: t.list,
		labels: len(v.model.Classes()) > 0}
}

type csvAnswer struct {
	buffered *bufio.Writer
	out      *csvio.Writer
}

func (a *csvAnswer) write(d *data.Dataset, _ int, _ map[int][]string) error {
	return cmp.Or(a.out.Write(d), a.out.Flush(), a.buffered.Flush())
}

func (a *csvAnswer) close() error { return nil }

// jsonAnswer writes an object for each row: a line each, or one object or list where that was sent.
type jsonAnswer struct {
	w            *bufio.Writer
	single, list bool
	labels       bool // predictions are texts
	rows         int
	line         []byte
}

func (a *jsonAnswer) write(d *data.Dataset, first int, remarks map[int][]string) error {
	numbers := first
	if a.labels {
		numbers++
	}
	for i := range d.Len() {
		b := a.line[:0]
		switch {
		case a.list && a.rows == 0:
			b = append(b, '[')
		case a.list:
			b = append(b, ",\n"...)
		}
		b = append(b, '{')
		for j := range d.Columns {
			c := &d.Columns[j]
			if j > 0 {
				b = append(b, ',')
			}
			b = append(appendText(b, c.Name), ':')
			switch {
			case c.IsMissing(i):
				b = append(b, "null"...)
			case j >= numbers:
				b = append(b, c.Strings[i]...)
			case c.Kind == data.Boolean && c.Codes[i] < 2:
				b = strconv.AppendBool(b, c.Codes[i] == 1)
			case c.Digits[i] != "":
				b = append(b, c.Digits[i]...)
			case c.Kind == data.Numeric:
				b = appendNumber(b, c.Numbers[i])
			default:
				b = appendText(b, c.String(i))
			}
		}
		b = appendRemarks(b, d, remarks[i])
		b = append(b, '}')
		if !a.list {
			b = append(b, '\n')
		}
		a.line = b
		a.rows++
		if _, err := a.w.Write(b); err != nil {
			return err
		}
	}
	return a.w.Flush()
}

func (a *jsonAnswer) close() error {
	if a.list {
		_, _ = io.WriteString(a.w, "]\n")
	}
	return a.w.Flush()
}

// appendRemarks adds the member of a row that says what is doubtful about it, under a name that no
// column has.
func appendRemarks(b []byte, d *data.Dataset, remarks []string) []byte {
	if len(remarks) == 0 {
		return b
	}
	name := remarksMember
	for slices.Contains(d.Names(), name) {
		name += "_"
	}
	b = append(appendText(append(b, ','), name), ":["...)
	for i, text := range remarks {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, text)
	}
	return append(b, ']')
}
