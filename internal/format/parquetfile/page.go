package parquetfile

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/bits"
)

// pageHeader says what a page is and how large.
type pageHeader struct {
	kind, plain, stored int
	checksum            uint32
	summed              bool
	values, encoding    int
	levelEncodings      [2]int // definition, repetition, of version 1
	levelBytes          [2]int // definition, repetition, of version 2
	compressed          bool   // the values of version 2
}

const (
	pageData       = 0
	pageIndex      = 1
	pageDictionary = 2
	pageDataV2     = 3
)

// The encodings, numbered as in parquet.thrift.
const (
	encodingPlain           = 0
	encodingPlainDictionary = 2
	encodingRLE             = 3
	encodingDelta           = 5
	encodingDeltaLength     = 6
	encodingDeltaBytes      = 7
	encodingRLEDictionary   = 8
	encodingSplit           = 9
)

var encodingNames = map[int]string{4: "BIT_PACKED", encodingDelta: "DELTA_BINARY_PACKED",
	encodingDeltaLength: "DELTA_LENGTH_BYTE_ARRAY",
	encodingDeltaBytes:  "DELTA_BYTE_ARRAY", encodingSplit: "BYTE_STREAM_SPLIT", encodingRLE: "RLE"}

func parsePageHeader(c *compact) pageHeader {
	h := pageHeader{kind: -1, compressed: true}
	integer := func(to *int) {
		x := c.int()
		if x < 0 || x > math.MaxInt32 {
			c.fail()
		}
		*to = int(x)
	}
	within := func(fields map[int]*int) {
		c.fields(func(number, kind int) bool {
			if to := fields[number]; to != nil && kind == thriftI32 {
				integer(to)
				return true
			}
			if number == 7 && (kind == thriftTrue || kind == thriftFalse) {
				h.compressed = kind == thriftTrue
			}
			return false
		})
	}
	c.fields(func(number, kind int) bool {
		switch {
		case number == 1 && kind == thriftI32:
			integer(&h.kind)
		case number == 2 && kind == thriftI32:
			integer(&h.plain)
		case number == 3 && kind == thriftI32:
			integer(&h.stored)
		case number == 4 && kind == thriftI32:
			h.checksum, h.summed = uint32(c.int()), true
		case number == 5 && kind == thriftStruct:
			within(map[int]*int{1: &h.values, 2: &h.encoding, 3: &h.levelEncodings[0], 4: &h.levelEncodings[1]})
		case number == 7 && kind == thriftStruct:
			within(map[int]*int{1: &h.values, 2: &h.encoding})
		case number == 8 && kind == thriftStruct:
			within(map[int]*int{1: &h.values, 4: &h.encoding, 5: &h.levelBytes[0], 6: &h.levelBytes[1]})
		default:
			return false
		}
		return true
	})
	return h
}

// maxPageHeader bounds a page header, in which writers keep statistics.
const maxPageHeader = 16 << 20

// header reads the header at the cursor and moves past it.
func (c *Cursor) header() (pageHeader, error) {
	for size := int64(256); ; size *= 4 {
		bytes := min(size, c.end-c.offset)
		if err := c.file.Memory.Take(bytes); err != nil {
			return pageHeader{}, err
		}
		buf := make([]byte, bytes)
		c.file.Memory.Give(bytes) // it is garbage when the page is read
		if _, err := io.ReadFull(io.NewSectionReader(c.file.src, c.offset, int64(len(buf))), buf); err != nil {
			return pageHeader{}, err
		}
		t := &compact{buf: buf}
		h := parsePageHeader(t)
		if !t.bad {
			c.offset += int64(t.pos)
			return h, nil
		}
		if int64(len(buf)) == c.end-c.offset || size > maxPageHeader {
			return pageHeader{}, fmt.Errorf("%w: its header", errPage)
		}
	}
}

// body reads the bytes of a page as they are stored and moves past them.
func (c *Cursor) body(h pageHeader) ([]byte, error) {
	if int64(h.stored) > c.end-c.offset {
		return nil, fmt.Errorf("%w: %d bytes where %d are left", errPage, h.stored, c.end-c.offset)
	}
	c.file.Memory.Give(c.held) // of the page before
	c.held = 0
	if err := c.hold(int64(h.stored)); err != nil {
		return nil, err
	}
	buf := make([]byte, h.stored)
	if _, err := io.ReadFull(io.NewSectionReader(c.file.src, c.offset, int64(h.stored)), buf); err != nil {
		return nil, err
	}
	c.offset += int64(h.stored)
	if h.summed && crc32.ChecksumIEEE(buf) != h.checksum {
		return nil, fmt.Errorf("%w: its checksum differs", errPage)
	}
	return buf, nil
}

// hold counts memory that is taken for as long as the page is read.
func (c *Cursor) hold(bytes int64) error {
	if err := c.file.Memory.Take(bytes); err != nil {
		return err
	}
	c.held += bytes
	return nil
}

// page moves on to the next page of data; io.EOF after the last.
func (c *Cursor) page() error {
	for c.offset < c.end {
		h, err := c.header()
		if err != nil {
			return err
		}
		stored, err := c.body(h)
		if err != nil {
			return err
		}
		switch h.kind {
		case pageDictionary:
			err = c.dictionaryPage(h, stored)
		case pageData:
			return c.dataPage(h, stored)
		case pageDataV2:
			return c.dataPageV2(h, stored)
		case pageIndex:
		default:
			err = fmt.Errorf("%w: a page of kind %d", errPage, h.kind)
		}
		if err != nil {
			return err
		}
	}
	return io.EOF
}

func (c *Cursor) dictionaryPage(h pageHeader, stored []byte) error {
	src, err := c.decode(stored, h.plain)
	if err != nil {
		return err
	}
	if h.encoding != encodingPlain && h.encoding != encodingPlainDictionary {
		return fmt.Errorf("%w: a dictionary in encoding %d", errPage, h.encoding)
	}
	least := max(1, c.column.width())
	if c.column.Physical == Bytes {
		least = 4
	}
	if h.values > len(src)/least {
		return fmt.Errorf("%w: %d bytes cannot hold a dictionary of %d", errPage, len(src), h.values)
	}
	// The entries stay as long as the column is read; texts point into the page.
	if err := c.file.Memory.Take(int64(h.values) * 16); err != nil {
		return err
	}
	c.kept += int64(h.values)*16 + c.held
	c.held = 0
	c.dictionary = &Values{}
	c.entries = h.values
	c.dictionary.reset(c.column.Physical, h.values)
	return newPlain(c.column, src).fill(c.dictionary, 0, h.values)
}

// dataPage begins a page of version 1: levels and values compressed together,
// each kind of level after its length.
func (c *Cursor) dataPage(h pageHeader, stored []byte) error {
	src, err := c.decode(stored, h.plain)
	if err != nil {
		return err
	}
	levels := func(most, encoding int) (hybrid, error) {
		if most == 0 {
			return hybrid{}, nil
		}
		if encoding != encodingRLE {
			return hybrid{}, &UnsupportedError{"its levels are in an encoding from before 2013",
				"write the file again with a newer program"}
		}
		if len(src) < 4 || uint64(binary.LittleEndian.Uint32(src)) > uint64(len(src)-4) {
			return hybrid{}, fmt.Errorf("%w: levels without an end", errPage)
		}
		n := int(binary.LittleEndian.Uint32(src))
		l, err := newHybrid(src[4:4+n], bits.Len(uint(most)))
		src = src[4+n:]
		return l, err
	}
	if c.repetition, err = levels(c.column.MaxRepetition, h.levelEncodings[1]); err != nil {
		return err
	}
	if c.definition, err = levels(c.column.Present, h.levelEncodings[0]); err != nil {
		return err
	}
	return c.values(h, src)
}

// dataPageV2 begins a page of version 2: levels plain, values compressed.
func (c *Cursor) dataPageV2(h pageHeader, stored []byte) error {
	def, rep := h.levelBytes[0], h.levelBytes[1]
	if int64(def)+int64(rep) > int64(min(len(stored), h.plain)) {
		return fmt.Errorf("%w: %d bytes of levels in %d", errPage, def+rep, len(stored))
	}
	var err error
	if c.repetition, err = newHybrid(stored[:rep], bits.Len(uint(c.column.MaxRepetition))); err != nil {
		return err
	}
	if c.definition, err = newHybrid(stored[rep:rep+def], bits.Len(uint(c.column.Present))); err != nil {
		return err
	}
	src := stored[rep+def:]
	if h.compressed {
		if src, err = c.decode(src, h.plain-rep-def); err != nil {
			return err
		}
	}
	return c.values(h, src)
}

// values chooses the decoder for the values of a page.
func (c *Cursor) values(h pageHeader, src []byte) (err error) {
	c.left, c.decoder = h.values, nil
	physical := c.column.Physical
	whole := physical == Int32 || physical == Int64
	text := physical == Bytes || physical == FixedBytes
	switch {
	case h.encoding == encodingPlain:
		c.decoder = newPlain(c.column, src)
	case h.encoding == encodingPlainDictionary || h.encoding == encodingRLEDictionary:
		if len(src) == 0 {
			return nil // nothing but nulls
		}
		if c.dictionary == nil {
			return fmt.Errorf("%w: its dictionary is missing", errPage)
		}
		indices, err := newHybrid(src[1:], int(src[0]))
		c.decoder = &indexed{column: c.column, dictionary: c.dictionary, entries: c.entries, indices: indices}
		return err
	case h.encoding == encodingRLE && physical == Boolean:
		if len(src) < 4 {
			return nil
		}
		values, err := newHybrid(src[4:], 1)
		c.decoder = &runs{hybrid: values}
		return err
	case h.encoding == encodingDelta && whole:
		if len(src) == 0 {
			return nil
		}
		d, err := newDelta(src)
		c.decoder = &deltas{column: c.column, delta: d}
		return err
	case h.encoding == encodingDeltaLength && physical == Bytes:
		if len(src) > 0 {
			c.decoder, err = newLengths(src)
		}
	case h.encoding == encodingDeltaBytes && text:
		if len(src) > 0 {
			size := 0
			if physical == FixedBytes {
				size = c.column.Size
			}
			c.decoder, err = newPrefixes(src, size, c.hold)
		}
	case h.encoding == encodingSplit && c.column.width() > 0:
		if src, err = unsplit(src, c.column.width()); err == nil {
			c.decoder = newPlain(c.column, src)
		}
	default:
		name := encodingNames[h.encoding]
		if name == "" {
			name = fmt.Sprintf("number %d", h.encoding)
		}
		return &UnsupportedError{"it is in encoding " + name + ", which is not known for its type",
			"write it with the plain or dictionary encoding"}
	}
	return err
}
