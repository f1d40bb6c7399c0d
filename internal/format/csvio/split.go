package csvio

import (
	"bytes"
	"errors"
	"io"
)

// block is a run of whole records of a file.
type block struct {
	text  []byte // ends with a line end
	line  int    // line number of its first byte
	lines int    // line ends in it
	room  []byte // what text lies in, for use again once it is parsed
}

// splitter cuts a file into blocks at record boundaries.
type splitter struct {
	src       io.Reader
	size      int
	delimiter byte
	rest      []byte // read, not yet given out; starts at a record boundary
	scanned   int    // bytes of rest that cut has been through
	boundary  int    // the last record end within rest[:scanned]
	quoted    bool   // whether scanned is inside a quoted field
	start     bool   // whether scanned is at the start of a field
	line      int
	eof       bool
	free      chan []byte       // memory of blocks that were parsed
	fits      func(n int) error // refuses a record of n bytes that has no room
}

// maxRecord bounds one record: a quote that is never closed is told from a long
// field before the whole file is in memory.
const maxRecord = 64 << 20

var errRecordTooLong = errors.New("record longer than 64 MiB")

// fill reads until rest holds at least n bytes or the source ends.
func (s *splitter) fill(n int) error {
	for len(s.rest) < n && !s.eof {
		if len(s.rest) == cap(s.rest) { // as bytes come: there may be no more
			grown := make([]byte, len(s.rest), min(n+n/8, max(2*cap(s.rest), 1<<20)))
			copy(grown, s.rest)
			s.rest = grown
		}
		k, err := s.src.Read(s.rest[len(s.rest):cap(s.rest)])
		s.rest = s.rest[:len(s.rest)+k]
		if err == io.EOF {
			s.eof = true
		} else if err != nil {
			return err
		}
	}
	return nil
}

// next returns the next block, or io.EOF.
func (s *splitter) next() (block, error) {
	want := s.size
	for {
		if err := s.fits(want); err != nil {
			return block{}, err
		}
		if err := s.fill(want); err != nil {
			return block{}, err
		}
		if len(s.rest) == 0 {
			return block{}, io.EOF
		}
		s.scan(min(want, len(s.rest)))
		if s.eof && s.scanned == len(s.rest) {
			text := s.rest
			if text[len(text)-1] != '\n' {
				text = append(text, '\n')
			}
			s.rest = nil
			return block{text, s.line, bytes.Count(text, newline), nil}, nil
		}
		if s.boundary > 0 {
			break
		}
		if s.scanned > maxRecord {
			return block{}, errRecordTooLong
		}
		want = 2 * s.scanned
	}
	text := s.rest[:s.boundary:s.boundary]
	left := s.rest[s.boundary:]
	b := block{text, s.line, bytes.Count(text, newline), s.rest[:0]}
	s.line += b.lines
	s.rest = append(s.memory(max(s.size+s.size/8, len(left))), left...)
	s.scanned, s.boundary = s.scanned-s.boundary, 0
	return b, nil
}

// memory gives room for n bytes, that of an earlier block where it does.
func (s *splitter) memory(n int) []byte {
	select {
	case m := <-s.free:
		if cap(m) >= n {
			return m
		}
	default:
	}
	return make([]byte, 0, n)
}

// release takes the memory of a block back.
func (s *splitter) release(b block) {
	select {
	case s.free <- b.room:
	default:
	}
}

var newline = []byte{'\n'}

// scan moves through the unscanned bytes below limit and finds the last record boundary.
// Without a quote character in sight that is the last line end.
func (s *splitter) scan(limit int) {
	rest := s.rest[:max(limit, s.scanned)]
	fresh := rest[s.scanned:]
	if !s.quoted && bytes.IndexByte(fresh, '"') < 0 {
		if i := bytes.LastIndexByte(fresh, '\n'); i >= 0 {
			s.boundary = s.scanned + i + 1
		}
		if n := len(rest); n > 0 {
			c := rest[n-1]
			s.start = c == '\n' || c == s.delimiter
		}
		s.scanned = len(rest)
		return
	}
	if s.scanned == 0 {
		s.start = true
	}
	for i := s.scanned; i < len(rest); i++ {
		c := rest[i]
		if s.quoted {
			// A doubled quote closes and opens again: the state comes out right.
			j := bytes.IndexByte(rest[i:], '"')
			if j < 0 {
				break
			}
			i += j
			s.quoted = false
			// A quote right after this one continues the field.
			s.start = true
			continue
		}
		switch {
		case c == '"' && s.start:
			s.quoted = true
		case c == '\n':
			s.boundary = i + 1
			s.start = true
			continue
		}
		s.start = c == s.delimiter
	}
	s.scanned = len(rest)
}
