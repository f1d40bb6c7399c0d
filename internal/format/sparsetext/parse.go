// Package sparsetext reads rows of sparse numbers, as LIBSVM's files and its models have them, on
// all cores:
//
//	number … number [qid:q] index:value index:value … [# comment]
//
// with a given count of numbers before the entries, whose indices increase.
package sparsetext

import (
	"bytes"
	"math"

	"github.com/mercer-ml/mercer/internal/format/decimal"
)

// MaxIndex bounds an index.
const MaxIndex = math.MaxInt32

// Form is how rows are written.
type Form struct {
	Lead int // numbers before the entries
	Low  int // the least index: 1, or 0
}

// Rows are those of a piece of text: entries of row i are Index and Value from Ptr[i] to Ptr[i+1],
// indices counted from 0.
type Rows struct {
	Lead  []float64 // Form.Lead for each row
	Qid   []float64 // by row, NaN where it has none; nil where none has
	Line  []int     // by row
	Ptr   []int
	Index []int32
	Value []float64
	// Fault is what is wrong with the row after the last one; nil where nothing is.
	Fault *Fault
}

// Len is the number of rows.
func (r *Rows) Len() int { return len(r.Line) }

// parse reads the rows of text, which ends with a line end and begins with the line of that number.
func (f Form) parse(text []byte, line int) *Rows {
	entries, lines := bytes.Count(text, []byte{':'}), bytes.Count(text, []byte{'\n'})
	r := &Rows{Lead: make([]float64, 0, f.Lead*lines), Line: make([]int, 0, lines),
		Ptr:   append(make([]int, 0, lines+1), 0),
		Index: make([]int32, 0, entries), Value: make([]float64, 0, entries)}
	five := decimal.Table()
	for pos := 0; pos < len(text) && r.Fault == nil; line++ {
		if next := f.plain(r, five, text, pos); next > 0 {
			pos = next
		} else {
			n := bytes.IndexByte(text[pos:], '\n')
			row := text[pos : pos+n]
			pos += n + 1
			if !f.careful(r, row, line) {
				continue
			}
		}
		r.Line = append(r.Line, line)
		r.Ptr = append(r.Ptr, len(r.Value))
	}
	return r
}

// plain reads the row at pos as nearly all are written, and returns where the next line begins. It
// returns 0, with nothing added to r, where there is anything else, faults among them.
func (f Form) plain(r *Rows, five *decimal.Powers, text []byte, pos int) int {
	lead, index, value := r.Lead, r.Index, r.Value
	for range f.Lead {
		x, n := five.Scan(text[pos:], '.')
		if n == 0 || !blank(text[pos+n]) || x-x != 0 {
			return 0
		}
		lead = append(lead, x)
		for pos += n; text[pos] == ' '; {
			pos++
		}
	}
	previous, low := uint64(f.Low), uint64(f.Low) // previous is one more than the index before
	for {
		for text[pos] == ' ' || text[pos] == '\t' || text[pos] == '\r' {
			pos++
		}
		if text[pos] == '\n' {
			break
		}
		j, from := uint64(0), pos
		for ; text[pos]-'0' < 10; pos++ {
			j = j*10 + uint64(text[pos]-'0')
		}
		if text[pos] != ':' || pos == from || pos-from > 10 || j < previous || j > MaxIndex {
			return 0
		}
		pos++
		var x float64
		if c := text[pos] - '0'; c < 10 && blank(text[pos+1]) {
			x = float64(c)
			pos++
		} else {
			var n int
			if x, n = five.Scan(text[pos:], '.'); n == 0 || !blank(text[pos+n]) || x-x != 0 {
				return 0
			}
			pos += n
		}
		index, value = append(index, int32(j-low)), append(value, x)
		previous = j + 1
	}
	if f.Lead == 0 && len(value) == len(r.Value) { // a line without anything is no row
		return 0
	}
	if r.Qid != nil {
		r.Qid = append(r.Qid, math.NaN())
	}
	r.Lead, r.Index, r.Value = lead, index, value
	return pos + 1
}

func blank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
