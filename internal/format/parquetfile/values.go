package parquetfile

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Values are decoded values of a column, in the one of the lists that its
// physical type calls for.
type Values struct {
	Ints    []int64   // Boolean (0 or 1), Int32, Int64
	Floats  []float64 // Float, Double
	Strings []string  // Bytes, FixedBytes, Int96: the bytes
}

// reset makes room for n values of a physical type.
func (v *Values) reset(p Physical, n int) {
	switch p {
	case Boolean, Int32, Int64:
		v.Ints = sized(v.Ints, n)
	case Float, Double:
		v.Floats = sized(v.Floats, n)
	default:
		v.Strings = sized(v.Strings, n)
	}
}

func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// decoder decodes the values of a page that are there, in order. fill replaces
// n values of v from index at on.
type decoder interface {
	fill(v *Values, at, n int) error
}

// width is the bytes of a value in PLAIN and BYTE_STREAM_SPLIT encoding.
func (c *Column) width() int {
	switch c.Physical {
	case Int32, Float:
		return 4
	case Int64, Double:
		return 8
	case Int96:
		return 12
	case FixedBytes:
		return c.Size
	}
	return 0
}

// plain decodes values one after another.
type plain struct {
	column *Column
	src    []byte
	text   string // src as a string, for values that are parts of it
	bit    int
}

func newPlain(c *Column, src []byte) *plain {
	p := &plain{column: c, src: src}
	if c.Physical == Bytes || c.Physical == FixedBytes || c.Physical == Int96 {
		p.text, p.src = string(src), nil
	}
	return p
}

func (p *plain) fill(v *Values, at, n int) error {
	few := fmt.Errorf("%w: too few values", errPage)
	switch p.column.Physical {
	case Boolean:
		if n > 8*len(p.src)-p.bit {
			return few
		}
		for i := range v.Ints[at : at+n] {
			v.Ints[at+i] = int64(p.src[p.bit>>3] >> (p.bit & 7) & 1)
			p.bit++
		}
		return nil
	case Bytes:
		for i := range v.Strings[at : at+n] {
			if len(p.text) < 4 {
				return few
			}
			size := uint32(p.text[0]) | uint32(p.text[1])<<8 | uint32(p.text[2])<<16 | uint32(p.text[3])<<24
			if uint64(size) > uint64(len(p.text)-4) {
				return fmt.Errorf("%w: a string of %d bytes where %d are left", errPage, size, len(p.text)-4)
			}
			v.Strings[at+i] = p.text[4 : 4+size]
			p.text = p.text[4+size:]
		}
		return nil
	case FixedBytes, Int96:
		w := p.column.width()
		if n > len(p.text)/w {
			return few
		}
		for i := range v.Strings[at : at+n] {
			v.Strings[at+i] = p.text[:w]
			p.text = p.text[w:]
		}
		return nil
	}
	w := p.column.width()
	if n > len(p.src)/w {
		return few
	}
	src := p.src[:n*w]
	p.src = p.src[n*w:]
	switch p.column.Physical {
	case Int32:
		for i := range v.Ints[at : at+n] {
			v.Ints[at+i] = int64(int32(binary.LittleEndian.Uint32(src[4*i:])))
		}
	case Int64:
		for i := range v.Ints[at : at+n] {
			v.Ints[at+i] = int64(binary.LittleEndian.Uint64(src[8*i:]))
		}
	case Float:
		for i := range v.Floats[at : at+n] {
			v.Floats[at+i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:])))
		}
	case Double:
		for i := range v.Floats[at : at+n] {
			v.Floats[at+i] = math.Float64frombits(binary.LittleEndian.Uint64(src[8*i:]))
		}
	}
	return nil
}

// unsplit undoes BYTE_STREAM_SPLIT: first the first bytes of all values, then
// the second, and so on.
func unsplit(src []byte, width int) ([]byte, error) {
	if width == 0 || len(src)%width != 0 {
		return nil, fmt.Errorf("%w: %d bytes are not split into values of %d", errPage, len(src), width)
	}
	n := len(src) / width
	out := make([]byte, len(src))
	for k := range width {
		for i, b := range src[k*n : (k+1)*n] {
			out[i*width+k] = b
		}
	}
	return out, nil
}

// indexed looks values up in a dictionary.
type indexed struct {
	column     *Column
	dictionary *Values
	entries    int
	indices    hybrid
	buf        []uint32
}

func (d *indexed) fill(v *Values, at, n int) error {
	d.buf = sized(d.buf, n)
	if err := d.indices.next(d.buf); err != nil {
		return err
	}
	for _, k := range d.buf {
		if uint64(k) >= uint64(d.entries) {
			return fmt.Errorf("%w: entry %d of a dictionary of %d", errPage, k, d.entries)
		}
	}
	switch d.column.Physical {
	case Boolean, Int32, Int64:
		for i, k := range d.buf {
			v.Ints[at+i] = d.dictionary.Ints[k]
		}
	case Float, Double:
		for i, k := range d.buf {
			v.Floats[at+i] = d.dictionary.Floats[k]
		}
	default:
		for i, k := range d.buf {
			v.Strings[at+i] = d.dictionary.Strings[k]
		}
	}
	return nil
}

// runs are booleans as a hybrid.
type runs struct {
	hybrid hybrid
	buf    []uint32
}

func (r *runs) fill(v *Values, at, n int) error {
	r.buf = sized(r.buf, n)
	if err := r.hybrid.next(r.buf); err != nil {
		return err
	}
	for i, x := range r.buf {
		v.Ints[at+i] = int64(x)
	}
	return nil
}

// deltas are integers by differences.
type deltas struct {
	column *Column
	delta  delta
}

func (d *deltas) fill(v *Values, at, n int) error {
	if err := d.delta.next(v.Ints[at : at+n]); err != nil {
		return err
	}
	if d.column.Physical == Int32 {
		for i, x := range v.Ints[at : at+n] {
			v.Ints[at+i] = int64(int32(x)) // differences wrap
		}
	}
	return nil
}
