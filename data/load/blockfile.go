package load

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/files"
	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// blockFile is the columns of a table as numbers, block after block: text is read once, and passes
// read this. It has no name while it is used where the system allows that, so that nothing is left
// of it however the process ends.
//
// A block is its rows (4 bytes), the bytes that follow and their checksum (4 each), then its
// columns: a byte that says how numbers are written, and the numbers. Numbers take the fewest bytes
// that lose none of their digits; categories are places in a list that is kept in memory.
type blockFile struct {
	f      *os.File
	path   string // to be removed at the end; empty: already is
	size   int64
	head   *data.Dataset // names and kinds, no rows
	levels [][]string
}

// Ways to write a number.
const (
	asInt8 = iota
	asInt16
	asInt32
	asFloat32
	asFloat64
	asInt64
)

var wayBytes = [...]int{1, 2, 4, 4, 8, 8}

// missingInt stands for a missing number among whole ones of each width: the least.
func missingInt(way int) int64 { return -1 << (8*wayBytes[way] - 1) }

type blockWriter struct {
	b     *blockFile
	out   *bufio.Writer
	place []map[string]int32
	bytes int // of levels
	buf   []byte
}

// newBlockFile makes the file beside a name, whose unfinished forms of crashed processes it
// removes.
func newBlockFile(beside string) (*blockFile, *blockWriter, error) {
	f, err := files.New(beside)
	if err != nil {
		return nil, nil, noRoom(beside, err)
	}
	b := &blockFile{f: f, path: f.Name()}
	if os.Remove(b.path) == nil {
		b.path = ""
	}
	return b, &blockWriter{b: b, out: bufio.NewWriterSize(f, 1<<20)}, nil
}

// noRoom is the fault of a disk.
func noRoom(file string, err error) error {
	return &data.Error{File: file, Kind: data.ErrDisk, Remedy: mend.Temp,
		Reason: "the rows as a file of numbers could not be written", Err: err}
}

func (b *blockFile) close() error {
	err := b.f.Close()
	if b.path != "" {
		os.Remove(b.path)
	}
	return err
}

// add writes the rows of a chunk.
func (w *blockWriter) add(d *data.Dataset) error {
	if w.b.head == nil {
		w.begin(d)
	}
	w.buf = w.buf[:0]
	for j := range d.Columns {
		if err := w.column(j, &d.Columns[j]); err != nil {
			return err
		}
	}
	var head [12]byte
	binary.LittleEndian.PutUint32(head[0:], uint32(d.Len()))
	binary.LittleEndian.PutUint32(head[4:], uint32(len(w.buf)))
	binary.LittleEndian.PutUint32(head[8:], crc32.ChecksumIEEE(w.buf))
	for _, part := range [][]byte{head[:], w.buf} {
		if _, err := w.out.Write(part); err != nil {
			return noRoom(d.Name, err)
		}
		w.b.size += int64(len(part))
	}
	return nil
}

func (w *blockWriter) begin(d *data.Dataset) {
	head := *d
	head.Columns = nil
	for _, c := range d.Columns {
		head.Columns = append(head.Columns, c.Gather(nil))
		w.place = append(w.place, map[string]int32{})
	}
	w.b.head, w.b.levels = &head, make([][]string, len(d.Columns))
}

// mostNames is the memory for names of categories.
const mostNames = 64 << 20

func (w *blockWriter) column(j int, c *data.Column) error {
	switch c.Kind {
	case data.Numeric:
		w.numbers(c.Numbers)
	case data.Time:
		w.buf = append(w.buf, asInt64)
		for _, v := range c.Micros {
			w.buf = binary.LittleEndian.AppendUint64(w.buf, uint64(v))
		}
	case data.Categorical, data.Boolean:
		known := make([]float64, len(c.Levels))
		for i, l := range c.Levels {
			if c.Kind == data.Boolean && i < 2 { // false and true, however this part writes them
				l = [2]string{"false", "true"}[i]
			}
			at, ok := w.place[j][l]
			if !ok {
				at = int32(len(w.b.levels[j]))
				w.place[j][l] = at
				w.b.levels[j] = append(w.b.levels[j], l)
				w.bytes += 2*len(l) + 64
			}
			known[i] = float64(at)
		}
		if w.bytes > mostNames {
			return &data.Error{File: w.b.head.Name, Column: c.Name, Kind: data.ErrTooLarge, Bytes: int64(w.bytes),
				Reason: fmt.Sprintf("column %q has %s categories so far", c.Name, phrase.Thousands(len(w.b.levels[j]))),
				Advice: "leave it out, or give more memory"}
		}
		codes := make([]float64, len(c.Codes))
		for i, k := range c.Codes {
			if codes[i] = math.NaN(); k >= 0 {
				codes[i] = known[k]
			}
		}
		w.numbers(codes)
	default:
		return &data.Error{File: w.b.head.Name, Column: c.Name, Kind: data.ErrTooLarge,
			Reason: fmt.Sprintf("column %q is %s, which is read whole", c.Name, c.Kind),
			Advice: "give more memory, leave the column out, or tell its kind: numbers, categories and instants are read a " +
				"part at a time"}
	}
	return nil
}

// numbers writes them in the fewest bytes.
func (w *blockWriter) numbers(x []float64) {
	way := asInt8
	for _, v := range x {
		for !holds(way, v) {
			way++
		}
	}
	w.buf = append(w.buf, byte(way))
	for _, v := range x {
		switch way {
		case asFloat64:
			w.buf = binary.LittleEndian.AppendUint64(w.buf, math.Float64bits(v))
		case asFloat32:
			w.buf = binary.LittleEndian.AppendUint32(w.buf, math.Float32bits(float32(v)))
		default:
			n := missingInt(way)
			if !math.IsNaN(v) {
				n = int64(v)
			}
			for b := range wayBytes[way] {
				w.buf = append(w.buf, byte(n>>(8*b)))
			}
		}
	}
}

// holds says whether a way of writing keeps all digits of a number; a negative zero is not whole.
func holds(way int, v float64) bool {
	switch {
	case way == asFloat64 || math.IsNaN(v):
		return true
	case way == asFloat32:
		return float64(float32(v)) == v
	}
	return v == math.Trunc(v) && !(v == 0 && math.Signbit(v)) && v > float64(missingInt(way)) &&
		v < -float64(missingInt(way))
}

func (w *blockWriter) finish() error {
	if err := w.out.Flush(); err != nil {
		return noRoom(w.b.head.Name, err)
	}
	w.place = nil
	return nil
}

// pass reads all blocks.
func (b *blockFile) pass(ctx context.Context, f func(*data.Dataset) error) error {
	r := bufio.NewReaderSize(io.NewSectionReader(b.f, 0, b.size), 1<<20)
	var head [12]byte
	var buf []byte
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := io.ReadFull(r, head[:]); err == io.EOF {
			return nil
		} else if err != nil {
			return b.damaged(err)
		}
		rows, size := int(binary.LittleEndian.Uint32(head[0:])), int(binary.LittleEndian.Uint32(head[4:]))
		if cap(buf) < size {
			buf = make([]byte, size)
		}
		buf = buf[:size]
		if _, err := io.ReadFull(r, buf); err != nil {
			return b.damaged(err)
		}
		if crc32.ChecksumIEEE(buf) != binary.LittleEndian.Uint32(head[8:]) {
			return b.damaged(fmt.Errorf("a checksum does not agree"))
		}
		if err := f(b.decode(buf, rows)); err != nil {
			return err
		}
	}
}

func (b *blockFile) damaged(err error) error {
	return &data.Error{File: b.head.Name, Kind: data.ErrDamaged,
		Reason: "the file of numbers that was made of it could not be read again", Err: err}
}

func (b *blockFile) decode(buf []byte, rows int) *data.Dataset {
	out := *b.head
	out.Columns = make([]data.Column, len(b.head.Columns))
	for j, c := range b.head.Columns {
		way := int(buf[0])
		part := buf[1 : 1+rows*wayBytes[way]]
		buf = buf[1+len(part):]
		switch c.Kind {
		case data.Time:
			c.Micros = make([]int64, rows)
			for i := range c.Micros {
				c.Micros[i] = int64(binary.LittleEndian.Uint64(part[8*i:]))
			}
		case data.Categorical, data.Boolean:
			c.Levels, c.Codes = b.levels[j], make([]int32, rows)
			for i := range c.Codes {
				if c.Codes[i] = -1; !math.IsNaN(numberAt(part, way, i)) {
					c.Codes[i] = int32(numberAt(part, way, i))
				}
			}
		default:
			c.Numbers = make([]float64, rows)
			for i := range c.Numbers {
				c.Numbers[i] = numberAt(part, way, i)
			}
		}
		out.Columns[j] = c
	}
	return &out
}

func numberAt(b []byte, way, i int) float64 {
	switch way {
	case asFloat64:
		return math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	case asFloat32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	}
	var n int64
	switch way {
	case asInt8:
		n = int64(int8(b[i]))
	case asInt16:
		n = int64(int16(binary.LittleEndian.Uint16(b[2*i:])))
	default:
		n = int64(int32(binary.LittleEndian.Uint32(b[4*i:])))
	}
	if n == missingInt(way) {
		return math.NaN()
	}
	return float64(n)
}
