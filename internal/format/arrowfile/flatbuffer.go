package arrowfile

import (
	"encoding/binary"
	"errors"
)

var errMetadata = errors.New("damaged metadata")

// metadata is a FlatBuffer. Whatever in it points outside of it reads as zero
// and is remembered as a fault, so that a reader asks once, at the end.
type metadata struct {
	buf []byte
	bad bool
}

// table is a table of a FlatBuffer: fields by number, each there or not.
type table struct {
	m   *metadata
	pos int // 0: no table
}

func (m *metadata) at(pos, size int) []byte {
	if pos < 0 || size < 0 || pos > len(m.buf)-size {
		m.bad = true
		return make([]byte, 8)[:min(8, max(size, 0))]
	}
	return m.buf[pos : pos+size]
}

func (m *metadata) u16(pos int) int { return int(binary.LittleEndian.Uint16(m.at(pos, 2))) }

func (m *metadata) i32(pos int) int { return int(int32(binary.LittleEndian.Uint32(m.at(pos, 4)))) }

func (m *metadata) i64(pos int) int64 { return int64(binary.LittleEndian.Uint64(m.at(pos, 8))) }

// follow is the place that the offset at pos points to.
func (m *metadata) follow(pos int) int { return pos + int(binary.LittleEndian.Uint32(m.at(pos, 4))) }

// root is the outermost table.
func (m *metadata) root() table { return table{m, m.follow(0)} }

// field is the place of a field, or 0 where the table does not hold it.
func (t table) field(number int) int {
	if t.pos <= 0 {
		return 0
	}
	virtual := t.pos - t.m.i32(t.pos)
	if entry := 4 + 2*number; entry+2 <= t.m.u16(virtual) {
		if offset := t.m.u16(virtual + entry); offset != 0 {
			return t.pos + offset
		}
	}
	return 0
}

func (t table) byte(number int, otherwise uint8) uint8 {
	if p := t.field(number); p > 0 {
		return t.m.at(p, 1)[0]
	}
	return otherwise
}

func (t table) int16(number, otherwise int) int {
	if p := t.field(number); p > 0 {
		return int(int16(t.m.u16(p)))
	}
	return otherwise
}

func (t table) int32(number, otherwise int) int {
	if p := t.field(number); p > 0 {
		return t.m.i32(p)
	}
	return otherwise
}

func (t table) int64(number int) int64 {
	if p := t.field(number); p > 0 {
		return t.m.i64(p)
	}
	return 0
}

func (t table) table(number int) table {
	if p := t.field(number); p > 0 {
		return table{t.m, t.m.follow(p)}
	}
	return table{t.m, 0}
}

// vector is the place of the first element of a vector and their number, all
// of which are within the buffer.
func (t table) vector(number, elementSize int) (first, n int) {
	p := t.field(number)
	if p == 0 {
		return 0, 0
	}
	p = t.m.follow(p)
	n = t.m.i32(p)
	if n < 0 || n > len(t.m.buf)/elementSize {
		t.m.bad = true
		return 0, 0
	}
	t.m.at(p+4, n*elementSize)
	if t.m.bad {
		return 0, 0
	}
	return p + 4, n
}

func (t table) string(number int) string {
	first, n := t.vector(number, 1)
	return string(t.m.at(first, n))
}

// tables is a vector of tables.
func (t table) tables(number int) []table {
	first, n := t.vector(number, 4)
	out := make([]table, n)
	for i := range out {
		out[i] = table{t.m, t.m.follow(first + 4*i)}
	}
	return out
}
