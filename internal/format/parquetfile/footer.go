package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/mercer-ml/mercer/internal/format/decompress"
)

// File is an opened file.
type File struct {
	Rows    int64
	Columns []Column // the leaves of the schema
	Groups  []Group
	// Memory bounds what all cursors that are open hold of pages and dictionaries together.
	Memory decompress.Allowance

	src  io.ReaderAt
	size int64
}

// Group is a run of rows that is stored together.
type Group struct {
	Rows   int64
	chunks []chunk
}

// chunk is where the pages of a column in a group lie.
type chunk struct {
	codec         int
	values        int64
	offset, bytes int64
	elsewhere     bool // in another file
	encrypted     bool
}

// maxFooter bounds the metadata of a file.
const maxFooter = 512 << 20

// What the parts of a footer take when they are read, at the least; they may be of a few bytes
// each.
const (
	elementBytes = 160
	chunkBytes   = 64
	columnBytes  = 128
)

// Open reads the footer of a file of the given size. most bounds the memory for what it says of
// columns and groups, and is Memory.Most; 0: there is no bound.
func Open(src io.ReaderAt, size, most int64) (*File, error) {
	var tail [8]byte
	if size < 12 {
		return nil, io.ErrUnexpectedEOF
	}
	if _, err := src.ReadAt(tail[:], size-8); err != nil {
		return nil, err
	}
	switch string(tail[4:]) {
	case "PAR1":
	case "PARE":
		return nil, errors.New("its footer is encrypted")
	default:
		return nil, errors.New("it does not end with PAR1")
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	if length > size-12 || length > maxFooter {
		return nil, fmt.Errorf("%w: a footer of %d bytes in a file of %d", errThrift, length, size)
	}
	f := &File{src: src, size: size, Memory: decompress.Allowance{Most: most}}
	said := decompress.Allowance{Most: most} // by the footer
	if err := said.Take(length); err != nil {
		return nil, err
	}
	buf := make([]byte, length)
	if _, err := src.ReadAt(buf, size-8-length); err != nil {
		return nil, err
	}
	var elements []element
	c := &compact{buf: buf, memory: &said}
	c.fields(func(number, kind int) bool {
		switch {
		case number == 2 && kind == thriftList:
			c.list(thriftStruct, func() {
				if c.take(elementBytes) {
					elements = append(elements, c.element())
				}
			})
		case number == 3 && kind == thriftI64:
			f.Rows = c.int()
		case number == 4 && kind == thriftList:
			c.list(thriftStruct, func() {
				if c.take(chunkBytes) {
					f.Groups = append(f.Groups, c.group())
				}
			})
		default:
			return false
		}
		return true
	})
	if c.large != nil {
		return nil, c.large
	}
	if c.bad {
		return nil, errThrift
	}
	var err error
	if f.Columns, err = leaves(elements, &said); err != nil {
		return nil, err
	}
	return f, f.check()
}

func (c *compact) group() Group {
	var g Group
	c.fields(func(number, kind int) bool {
		switch {
		case number == 1 && kind == thriftList:
			c.list(thriftStruct, func() {
				if c.take(chunkBytes) {
					g.chunks = append(g.chunks, c.chunk())
				}
			})
		case number == 3 && kind == thriftI64:
			g.Rows = c.int()
		default:
			return false
		}
		return true
	})
	return g
}

func (c *compact) chunk() chunk {
	var k chunk
	c.fields(func(number, kind int) bool {
		switch {
		case number == 1 && kind == thriftBinary:
			k.elsewhere = len(c.bytes()) > 0
		case number == 3 && kind == thriftStruct:
			c.chunkMetadata(&k)
		case number == 8 && kind == thriftStruct:
			k.encrypted = true
			return false
		default:
			return false
		}
		return true
	})
	return k
}

func (c *compact) chunkMetadata(k *chunk) {
	var data, dictionary int64
	c.fields(func(number, kind int) bool {
		switch {
		case number == 4 && kind == thriftI32:
			k.codec = int(c.int())
		case number == 5 && kind == thriftI64:
			k.values = c.int()
		case number == 7 && kind == thriftI64:
			k.bytes = c.int()
		case number == 9 && kind == thriftI64:
			data = c.int()
		case number == 11 && kind == thriftI64:
			dictionary = c.int()
		default:
			return false
		}
		return true
	})
	k.offset = data
	if dictionary > 0 && dictionary < data {
		k.offset = dictionary
	}
}

// Size is how many bytes the file has.
func (f *File) Size() int64 { return f.size }

// check holds what groups and chunks claim against the file.
func (f *File) check() error {
	rows := int64(0)
	for i, g := range f.Groups {
		if len(g.chunks) != len(f.Columns) {
			return fmt.Errorf("row group %d has %d columns, the schema %d", i+1, len(g.chunks), len(f.Columns))
		}
		if g.Rows < 0 || rows > math.MaxInt64-g.Rows {
			return fmt.Errorf("%w: row group %d has %d rows", errThrift, i+1, g.Rows)
		}
		rows += g.Rows
		for j, k := range g.chunks {
			name, fault := f.Columns[j].Name, &f.Columns[j].Fault
			switch {
			case k.elsewhere:
				*fault = &UnsupportedError{"it is stored in another file", "write the table into one file"}
			case k.encrypted:
				*fault = &UnsupportedError{"it is encrypted", "write it without encryption"}
			case !k.decodable():
				*fault = k.unknownCodec()
			case g.Rows > 0 && k.offset < 4 || k.offset < 0 || k.bytes < 0 || k.offset > f.size || k.bytes > f.size-k.offset:
				return fmt.Errorf("%w: column %q lies at bytes %d to %d of %d", errThrift, name, k.offset, k.offset+k.bytes, f.size)
			}
		}
	}
	if rows != f.Rows {
		return fmt.Errorf("%w: the row groups have %d rows, the file %d", errThrift, rows, f.Rows)
	}
	return nil
}
