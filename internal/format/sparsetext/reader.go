package sparsetext

import (
	"bytes"
	"io"

	"github.com/mercer-ml/mercer/internal/engine/par"
)

// blockBytes is how much text is parsed at a time by one core.
const blockBytes = 1 << 17

// Reader gives the rows of a text a few blocks at a time. It reads no further than what it gives:
// nothing goes on between calls.
type Reader struct {
	src     io.Reader
	form    Form
	threads int
	line    int      // of the first byte that is not yet parsed
	rest    []byte   // read, not yet parsed: the beginning of a line
	room    [][]byte // memory of blocks
	eof     bool
	// Refuse, where it is set, is asked whether a line of at least so many bytes is too long: an
	// error ends the reading.
	Refuse func(bytes int) error
}

// NewReader reads from src; its first line has the given number. threads is as in par.Workers.
func NewReader(src io.Reader, form Form, line, threads int) *Reader {
	return &Reader{src: src, form: form, line: line, threads: threads}
}

// Line is the number of the line that the next row begins at, or where reading failed.
func (r *Reader) Line() int { return r.line }

// Next is the rows of the next blocks, in order; io.EOF where there are no more.
func (r *Reader) Next() ([]*Rows, error) {
	type block struct {
		text []byte
		line int
	}
	var blocks []block
	workers := par.Workers(r.threads)
	for len(blocks) < workers && !r.eof {
		text, err := r.block(len(blocks))
		if err != nil {
			return nil, err
		}
		if len(text) > 0 {
			blocks = append(blocks, block{text, r.line})
			r.line += bytes.Count(text, []byte{'\n'})
		}
	}
	if len(blocks) == 0 {
		return nil, io.EOF
	}
	out := make([]*Rows, len(blocks))
	par.For(workers, len(blocks), 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			out[i] = r.form.parse(blocks[i].text, blocks[i].line)
		}
	})
	return out, nil
}

// block is the next lines, about blockBytes of them, in memory that is its own among those of one
// call of Next.
func (r *Reader) block(i int) ([]byte, error) {
	if i == len(r.room) {
		r.room = append(r.room, make([]byte, 0, blockBytes+1)) // and a line end
	}
	text := append(r.room[i][:0], r.rest...)
	searched := 0
	for {
		for len(text) < cap(text)-1 && !r.eof {
			n, err := r.src.Read(text[len(text) : cap(text)-1])
			text = text[:len(text)+n]
			if err == io.EOF {
				r.eof = true
			} else if err != nil {
				return nil, err
			}
		}
		r.room[i] = text
		if r.eof {
			r.rest = r.rest[:0]
			if len(text) > 0 && text[len(text)-1] != '\n' {
				text = append(text, '\n')
			}
			return text, nil
		}
		if end := bytes.LastIndexByte(text[searched:], '\n'); end >= 0 {
			end += searched + 1
			r.rest = append(r.rest[:0], text[end:]...)
			return text[:end], nil
		}
		searched = len(text)
		if r.Refuse != nil {
			if err := r.Refuse(len(text)); err != nil {
				return nil, err
			}
		}
		text = append(make([]byte, 0, 2*cap(text)), text...)
	}
}
