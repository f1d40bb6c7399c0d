package parquetfile

import (
	"encoding/binary"
	"errors"

	"github.com/mercer-ml/mercer/internal/format/decompress"
)

var errThrift = errors.New("damaged metadata")

// compact reads the Thrift compact protocol. After a fault everything reads as
// zero and every loop ends; a reader asks for it once, at the end.
type compact struct {
	buf []byte
	pos int
	bad bool

	memory *decompress.Allowance // of what is made of the bytes; nil: it is not counted
	large  error                 // there was no room for it
}

// take counts the memory of what is read next, and is false where there is none left: nothing more
// is read then.
func (c *compact) take(bytes int64) bool {
	if c.memory == nil {
		return true
	}
	if err := c.memory.Take(bytes); err != nil {
		c.large = err
		c.fail()
		return false
	}
	return true
}

// The types of the compact protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
	thriftUUID   = 13
)

// maxDepth bounds structures within structures.
const maxDepth = 32

func (c *compact) fail() {
	c.bad = true
	c.pos = len(c.buf)
}

func (c *compact) byte() byte {
	if c.pos >= len(c.buf) {
		c.fail()
		return 0
	}
	c.pos++
	return c.buf[c.pos-1]
}

func (c *compact) uvarint() uint64 {
	x, n := binary.Uvarint(c.buf[c.pos:])
	if n <= 0 {
		c.fail()
		return 0
	}
	c.pos += n
	return x
}

// int is a number of any width: zigzag.
func (c *compact) int() int64 {
	x := c.uvarint()
	return int64(x>>1) ^ -int64(x&1)
}

func (c *compact) bytes() []byte {
	n := c.uvarint()
	if n > uint64(len(c.buf)-c.pos) {
		c.fail()
		return nil
	}
	c.pos += int(n)
	return c.buf[c.pos-int(n) : c.pos]
}

// fields calls read for every field of a structure with its number and type.
// read takes the value, or returns false to have it passed over.
func (c *compact) fields(read func(number, kind int) bool) {
	number := 0
	for !c.bad {
		b := c.byte()
		if b == 0 {
			return
		}
		if delta := int(b >> 4); delta > 0 {
			number += delta
		} else {
			number = int(c.int())
		}
		if !read(number, int(b&15)) {
			c.skip(int(b&15), maxDepth)
		}
	}
}

// list calls read for every element of a list whose elements are of that type.
func (c *compact) list(kind int, read func()) {
	n, k := c.listHead()
	if n > 0 && k != kind {
		c.fail()
	}
	for i := 0; i < n && !c.bad; i++ {
		read()
	}
}

// listHead is the number of elements and their type. An element has at least a
// byte.
func (c *compact) listHead() (n, kind int) {
	b := c.byte()
	size := uint64(b >> 4)
	if size == 15 {
		size = c.uvarint()
	}
	if size > uint64(len(c.buf)-c.pos) {
		c.fail()
		return 0, 0
	}
	return int(size), int(b & 15)
}

func (c *compact) skip(kind, depth int) {
	if depth == 0 {
		c.fail()
	}
	if c.bad {
		return
	}
	switch kind {
	case thriftTrue, thriftFalse: // the value is in the type
	case thriftByte:
		c.byte()
	case thriftI16, thriftI32, thriftI64:
		c.uvarint()
	case thriftDouble:
		c.advance(8)
	case thriftUUID:
		c.advance(16)
	case thriftBinary:
		c.bytes()
	case thriftList, thriftSet:
		n, k := c.listHead()
		for i := 0; i < n && !c.bad; i++ {
			c.skipElement(k, depth-1)
		}
	case thriftMap:
		n := c.uvarint()
		if n == 0 {
			return
		}
		kinds := c.byte()
		for i := uint64(0); i < n && !c.bad; i++ {
			c.skipElement(int(kinds>>4), depth-1)
			c.skipElement(int(kinds&15), depth-1)
		}
	case thriftStruct:
		for !c.bad {
			b := c.byte()
			if b == 0 {
				return
			}
			if b>>4 == 0 {
				c.int()
			}
			c.skip(int(b&15), depth-1)
		}
	default:
		c.fail()
	}
}

// skipElement passes over an element of a list or map, where a boolean is a
// byte. Every element has at least one, so that no count can be endless.
func (c *compact) skipElement(kind, depth int) {
	if kind == thriftTrue || kind == thriftFalse {
		kind = thriftByte
	}
	c.skip(kind, depth)
}

func (c *compact) advance(n int) {
	if n > len(c.buf)-c.pos {
		c.fail()
		return
	}
	c.pos += n
}
