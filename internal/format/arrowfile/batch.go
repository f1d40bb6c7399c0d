package arrowfile

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/format/decompress"
)

// Batch is a run of rows.
type Batch struct {
	Rows    int
	Columns []Array
}

// maxHollow bounds the rows of a column that no buffer stands behind.
const maxHollow = 1 << 24

// unpacker hands out the nodes and buffers of a record batch in the order in
// which the columns want them.
type unpacker struct {
	metadata  *metadata
	body      []byte
	bigEndian bool
	codec     int // -1: none; 0: LZ4 frames; 1: zstd
	zstd      *decompress.Zstd
	memory    *decompress.Allowance
	node, nodes,
	buffer, buffers,
	variadic, variadics int // place of the next, and how many are left
}

func (r *Reader) newUnpacker(t table, body []byte, memory *decompress.Allowance) (*unpacker, int, error) {
	u := &unpacker{metadata: t.m, body: body, bigEndian: r.schema.bigEndian, codec: -1, zstd: &r.zstd, memory: memory}
	u.node, u.nodes = t.vector(1, 16)
	u.buffer, u.buffers = t.vector(2, 16)
	u.variadic, u.variadics = t.vector(4, 8)
	if c := t.table(3); c.pos > 0 {
		u.codec = int(c.byte(0, 0))
		if method := c.byte(1, 0); u.codec > 1 || method != 0 {
			return nil, 0, fmt.Errorf("compression %d by method %d is not known", u.codec, method)
		}
	}
	rows := t.int64(0)
	if t.m.bad || rows < 0 || rows > math.MaxInt32 {
		return nil, 0, fmt.Errorf("%w: a batch of %d rows", errMetadata, rows)
	}
	return u, int(rows), nil
}

// next is the next buffer, decompressed; least is what it must hold.
func (u *unpacker) next(least int64) ([]byte, error) {
	if u.buffers == 0 {
		return nil, fmt.Errorf("%w: too few buffers", errMetadata)
	}
	offset, length := u.metadata.i64(u.buffer), u.metadata.i64(u.buffer+8)
	u.buffer += 16
	u.buffers--
	if offset < 0 || length < 0 || offset > int64(len(u.body)) || length > int64(len(u.body))-offset {
		return nil, fmt.Errorf("%w: a buffer of %d bytes at %d in a body of %d", errMetadata, length, offset, len(u.body))
	}
	b := u.body[offset : offset+length : offset+length]
	if u.codec >= 0 && len(b) > 0 {
		var err error
		if b, err = u.plain(b); err != nil {
			return nil, err
		}
	}
	if int64(len(b)) < least {
		return nil, fmt.Errorf("%w: a buffer of %d bytes where %d are needed", errMetadata, len(b), least)
	}
	return b, nil
}

// plain undoes the compression of a buffer: 8 bytes of plain size, or -1 for
// one that is stored as it is.
func (u *unpacker) plain(b []byte) ([]byte, error) {
	if len(b) < 8 {
		return nil, fmt.Errorf("%w: a compressed buffer of %d bytes", errMetadata, len(b))
	}
	size := int64(binary.LittleEndian.Uint64(b))
	b = b[8:]
	switch {
	case size == -1:
		return b, nil
	case size == 0:
		return nil, nil
	case size < 0 || size > math.MaxInt32*16:
		return nil, fmt.Errorf("%w: a buffer of %d bytes", errMetadata, size)
	}
	if err := u.memory.Take(size); err != nil {
		return nil, err
	}
	if u.codec == 0 {
		return decompress.LZ4Frame(b, int(size))
	}
	return u.zstd.Decode(b, int(size))
}

// array takes a column of the given type from the batch; length is what it must
// have, or -1 where only its node says.
func (u *unpacker) array(ty Type, length int) (Array, error) {
	a := Array{Type: ty}
	if u.nodes == 0 {
		return a, fmt.Errorf("%w: too few columns in a batch", errMetadata)
	}
	n, nulls := u.metadata.i64(u.node), u.metadata.i64(u.node+8)
	u.node += 16
	u.nodes--
	if n < 0 || n > math.MaxInt32*8 || nulls < 0 || nulls > n || length >= 0 && n != int64(length) {
		return a, fmt.Errorf("%w: a column of %d values, %d of them null, in a batch of %d", errMetadata, n, nulls, length)
	}
	a.Len = int(n)
	if ty.Kind == Null {
		if n > maxHollow {
			return a, fmt.Errorf("a column of %d nulls", n)
		}
		return a, nil
	}
	valid, err := u.next(0)
	if err != nil {
		return a, err
	}
	if nulls > 0 {
		if int64(len(valid)) < (n+7)/8 {
			return a, fmt.Errorf("%w: %d bytes say which of %d values are null", errMetadata, len(valid), n)
		}
		a.valid = valid
	}
	switch ty.Kind {
	case List:
		return a, u.list(&a)
	case FixedList:
		if ty.Size == 0 && n > maxHollow {
			return a, fmt.Errorf("a column of %d lists of nothing", n)
		}
		if ty.Size > 0 && n > math.MaxInt32*8/int64(ty.Size) {
			return a, fmt.Errorf("%w: %d lists of %d", errMetadata, n, ty.Size)
		}
		element, err := u.array(*ty.Element, int(n)*ty.Size)
		a.element = &element
		return a, err
	case Text:
		if err := u.offsets(&a); err != nil {
			return a, err
		}
		last := int64(0)
		if a.Len > 0 {
			last = a.offset(a.Len)
		}
		a.data, err = u.next(last)
		return a, err
	case TextView:
		return a, u.views(&a)
	}
	a.data, err = u.next((n*int64(ty.Width) + 7) / 8)
	if err == nil && u.bigEndian && ty.Width > 8 {
		a.data = swapped(a.data, ty.Width/8)
	}
	return a, err
}

// offsets takes the n + 1 ends of lists or strings, which must not decrease.
func (u *unpacker) offsets(a *Array) error {
	bytes := a.Width / 8
	least := int64(a.Len+1) * int64(bytes)
	if a.Len == 0 {
		least = 0 // an empty column may leave its offsets out
	}
	var err error
	if a.ends, err = u.next(least); err != nil {
		return err
	}
	if u.bigEndian {
		a.ends = swapped(a.ends, bytes)
	}
	if a.Len == 0 {
		return nil
	}
	before := a.offset(0)
	if before < 0 {
		return fmt.Errorf("%w: an offset of %d", errMetadata, before)
	}
	for i := 1; i <= a.Len; i++ {
		end := a.offset(i)
		if end < before {
			return fmt.Errorf("%w: offset %d is %d after %d", errMetadata, i, end, before)
		}
		before = end
	}
	return nil
}

func (u *unpacker) list(a *Array) error {
	if err := u.offsets(a); err != nil {
		return err
	}
	element, err := u.array(*a.Element, -1)
	if err != nil {
		return err
	}
	if a.Len > 0 && a.offset(a.Len) > int64(element.Len) {
		return fmt.Errorf("%w: lists of %d values in all, of which %d are there", errMetadata, a.offset(a.Len), element.Len)
	}
	a.element = &element
	return nil
}

// views takes strings of up to 12 bytes in place, and longer ones as a buffer,
// an offset and a length.
func (u *unpacker) views(a *Array) error {
	var err error
	if a.data, err = u.next(16 * int64(a.Len)); err != nil {
		return err
	}
	if u.variadics == 0 {
		return fmt.Errorf("%w: the number of buffers of a column of views is missing", errMetadata)
	}
	count := u.metadata.i64(u.variadic)
	u.variadic += 8
	u.variadics--
	if count < 0 || count > int64(u.buffers) {
		return fmt.Errorf("%w: a column of views with %d buffers", errMetadata, count)
	}
	for range count {
		b, err := u.next(0)
		if err != nil {
			return err
		}
		a.blocks = append(a.blocks, b)
	}
	if u.bigEndian {
		a.data = swapped(a.data[:16*a.Len], 4)
		for i := range a.Len { // strings in place, and the first bytes of others, are bytes
			v := a.data[16*i : 16*i+16]
			copy(v[4:8], swapped(v[4:8], 4))
			if binary.LittleEndian.Uint32(v) <= 12 {
				copy(v[8:], swapped(v[8:], 4))
			}
		}
	}
	for i := range a.Len {
		v := a.data[16*i : 16*i+16]
		length := binary.LittleEndian.Uint32(v)
		if length <= 12 || a.IsNull(i) {
			continue
		}
		block, offset := binary.LittleEndian.Uint32(v[8:]), binary.LittleEndian.Uint32(v[12:])
		if uint64(block) >= uint64(len(a.blocks)) || uint64(offset)+uint64(length) > uint64(len(a.blocks[block])) {
			return fmt.Errorf("%w: string %d lies outside its buffers", errMetadata, i)
		}
	}
	return nil
}

// swapped is a copy with the bytes of each value in reverse order.
func swapped(b []byte, width int) []byte {
	out := make([]byte, len(b)/width*width)
	for i := 0; i < len(out); i += width {
		for k := range width {
			out[i+k] = b[i+width-1-k]
		}
	}
	return out
}
