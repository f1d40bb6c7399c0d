package jsonl

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/room"
)

// objects gives the text of a file object by object: a line each or, where the file is one array,
// an element each, on as many lines as it takes.
type objects struct {
	name  string
	lines room.Lines
	line  int  // of the file, where the object begins
	begin int  // bytes before it in that line, of an array
	begun bool // the first byte has been looked at
	array bool
	ended bool // the array
	read  int  // lines that have ended, of an array
	past  int  // bytes read of the line after them
	text  []byte
}

func newObjects(src io.Reader, name string) *objects {
	return &objects{name: name, lines: room.Lines{Src: bufio.NewReaderSize(src, 1<<18)}}
}

// next is the next object, good until the next call, or io.EOF; lines may be blank.
func (o *objects) next(r *room.Room) ([]byte, error) {
	if !o.begun {
		o.begun = true
		o.array = o.opensArray()
	}
	if o.array {
		return o.element(r)
	}
	line, err := o.lines.Next(r)
	if err == io.EOF {
		return nil, err
	}
	o.line++
	if err == nil && o.line == 1 {
		line = bytes.TrimPrefix(line, byteOrderMark)
	}
	return bytes.TrimSpace(line), err
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// opensArray takes the bracket away that a file which is an array begins with.
func (o *objects) opensArray() bool {
	src := o.lines.Src
	for peek := 1; ; peek *= 2 { // no more than is needed: it may be somebody's keyboard
		head, err := src.Peek(peek)
		text := bytes.TrimLeft(bytes.TrimPrefix(head, byteOrderMark), blanks)
		switch {
		case err == nil && (len(text) == 0 || len(head) < len(byteOrderMark) && bytes.HasPrefix(byteOrderMark, head)):
			continue
		case len(text) == 0 || text[0] != '[':
			return false
		}
		begin := len(head) - len(text) + 1
		o.read = bytes.Count(head[:begin], []byte{'\n'})
		o.past = begin - 1 - bytes.LastIndexByte(head[:begin], '\n')
		_, _ = src.Discard(begin) // it was there to be looked at
		return true
	}
}

const blanks = " \t\r\n"

// element is the next element of the array, without the comma after it: what it holds is left to
// who reads it.
func (o *objects) element(r *room.Room) ([]byte, error) {
	o.text = o.text[:0]
	depth, quoted, escaped := 0, false, false
	o.line = o.read + 1
	if o.ended {
		return nil, o.after()
	}
	for {
		b, err := o.lines.Src.ReadByte()
		if err == io.EOF {
			return nil, &data.Error{File: o.name, Line: o.read + 1, Kind: data.ErrSyntax, Reason: "the array has no end",
				Advice: "copy the file again: some of it is missing"}
		}
		if err != nil {
			return nil, err
		}
		if o.past++; b == '\n' {
			o.read, o.past = o.read+1, 0
		}
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = b == '\\', b != '"'
		case b == '"':
			quoted = true
		case b == '{' || b == '[':
			depth++
		case depth == 0 && (b == ',' || b == ']'):
			o.ended = b == ']'
			if text := bytes.TrimSpace(o.text); len(text) > 0 {
				return text, nil
			}
			if b == ',' {
				return nil, &data.Error{File: o.name, Line: o.read + 1, Kind: data.ErrSyntax,
					Reason: "a comma with nothing before it", Advice: "take it out"}
			}
			return nil, o.after()
		case b == '}' || b == ']':
			depth = max(depth-1, 0)
		}
		if len(o.text) == 0 {
			if strings.IndexByte(blanks, b) >= 0 {
				continue
			}
			o.line, o.begin = o.read+1, o.past-1
		}
		if len(o.text) == cap(o.text) {
			if err := r.Text(len(o.text)); err != nil {
				return nil, err
			}
		}
		o.text = append(o.text, b)
	}
}

// after sees that nothing follows the array.
func (o *objects) after() error {
	for {
		b, err := o.lines.Src.ReadByte()
		switch {
		case err != nil:
			return err // io.EOF, as it should be
		case b == '\n':
			o.read++
		case strings.IndexByte(blanks, b) < 0:
			return &data.Error{File: o.name, Line: o.read + 1, Kind: data.ErrSyntax, Reason: "more after the array",
				Advice: "write one array of objects, or one object per line"}
		}
	}
}

// at is the line and the byte in it, from 1, of a place in an object.
func (o *objects) at(object []byte, offset int64) (line, byteInLine int) {
	before := object[:min(int(offset), len(object))]
	if newline := bytes.LastIndexByte(before, '\n'); newline >= 0 {
		return o.line + bytes.Count(before, []byte{'\n'}), len(before) - newline
	}
	return o.line, o.begin + len(before) + 1
}

// failed is the fault of an object that could not be read.
func (o *objects) failed(err error) error {
	var said *data.Error
	if !errors.As(err, &said) {
		return &data.Error{File: o.name, Line: o.line, Err: err}
	}
	if said.Line == 0 {
		said.Line = o.line
	}
	return said
}
