package jsonl

import (
	"iter"
	"unsafe"
)

// cell is one value: a number, a string or a sequence. Rows that do not have it have no cell:
// objects whose members all differ cost what they say, and not a table of all rows and all names.
type cell struct {
	row  int
	kind cellKind
	x    float64
	s    string
	q    []float64
	step int // numbers of a step, where q is a list of lists
}

const cellBytes = int64(unsafe.Sizeof(cell{}))

func (c *cell) bytes() int64 { return cellBytes + int64(len(c.s)) + 8*int64(len(c.q)) }

type cellKind uint8

const (
	cellMissing cellKind = iota
	cellNumber
	cellString
	cellSequence
	cellTruth
)

// lineBytes is what a row takes beside its cells: where it stands, twice while the list grows.
const lineBytes = 16

// mostOfPiece is how many cells lie in one piece of memory.
const mostOfPiece = 1 << 12

// cells are those of a column, in pieces: one array that grows is there twice whenever it does.
type cells struct{ pieces [][]cell }

func (s *cells) add(c cell) {
	last := len(s.pieces) - 1
	if last < 0 || len(s.pieces[last]) == cap(s.pieces[last]) {
		size := 1
		if last >= 0 {
			size = min(2*cap(s.pieces[last]), mostOfPiece)
		}
		s.pieces = append(s.pieces, make([]cell, 0, size))
		last++
	}
	s.pieces[last] = append(s.pieces[last], c)
}

// lastRow is the row of the last cell, or -1.
func (s *cells) lastRow() int {
	if len(s.pieces) == 0 {
		return -1
	}
	last := s.pieces[len(s.pieces)-1]
	return last[len(last)-1].row
}

func (s *cells) all() iter.Seq[*cell] {
	return func(yield func(*cell) bool) {
		for _, piece := range s.pieces {
			for i := range piece {
				if !yield(&piece[i]) {
					return
				}
			}
		}
	}
}

// width is the bytes of a row in the column that the cells make, beside the strings and lists
// themselves.
func (s *cells) width() int64 {
	width := int64(8)
	for c := range s.all() {
		switch c.kind {
		case cellSequence:
			return 24
		case cellString:
			width = 16
		}
	}
	return width
}

// firstGap is the first row without a value, or the number of rows.
func (s *cells) firstGap(rows int) int {
	next := 0
	for c := range s.all() {
		if c.row > next || c.kind == cellMissing {
			return next
		}
		next++
	}
	return min(next, rows)
}
