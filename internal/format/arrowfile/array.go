package arrowfile

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"

	"github.com/mercer-ml/mercer/internal/format/decimal"
	"github.com/mercer-ml/mercer/internal/format/float16"
)

// Array is a column of a batch.
type Array struct {
	Type
	Len int

	valid   []byte // a bit for each value that is there; nil: all are
	data    []byte
	ends    []byte // offsets of lists and strings
	blocks  [][]byte
	element *Array   // values of lists
	entries []*Array // of a dictionary: what came first, then what was added
}

// IsNull says whether value i is null.
func (a *Array) IsNull(i int) bool {
	return a.Kind == Null || a.valid != nil && a.valid[i>>3]>>(i&7)&1 == 0
}

func (a *Array) offset(i int) int64 {
	if a.Width == 64 {
		return int64(binary.LittleEndian.Uint64(a.ends[8*i:]))
	}
	return int64(int32(binary.LittleEndian.Uint32(a.ends[4*i:])))
}

// Bounds is where list i lies in the values.
func (a *Array) Bounds(i int) (from, to int) {
	if a.Kind == FixedList {
		return i * a.Size, (i + 1) * a.Size
	}
	return int(a.offset(i)), int(a.offset(i + 1))
}

// Values are the values of lists, one after another.
func (a *Array) Values() *Array { return a.element }

// Entries are the entries of the dictionary, in one or more parts.
func (a *Array) Entries() []*Array { return a.entries }

// whole is integer i.
func (a *Array) whole(i int) int64 {
	switch {
	case a.Width == 64:
		return int64(binary.LittleEndian.Uint64(a.data[8*i:]))
	case a.Width == 32 && a.Signed:
		return int64(int32(binary.LittleEndian.Uint32(a.data[4*i:])))
	case a.Width == 32:
		return int64(binary.LittleEndian.Uint32(a.data[4*i:]))
	case a.Width == 16 && a.Signed:
		return int64(int16(binary.LittleEndian.Uint16(a.data[2*i:])))
	case a.Width == 16:
		return int64(binary.LittleEndian.Uint16(a.data[2*i:]))
	case a.Signed:
		return int64(int8(a.data[i]))
	}
	return int64(a.data[i])
}

// IsNumber says whether Numbers reads the column.
func (a *Array) IsNumber() bool {
	return a.Kind == Null || a.Kind == Int || a.Kind == Float || a.Kind == Bool || a.Kind == Decimal
}

// Numbers gives the values of a column of numbers, NaN for null.
func (a *Array) Numbers() []float64 {
	out := make([]float64, a.Len)
	switch {
	case a.Kind == Float && a.Width == 64:
		for i := range out {
			out[i] = math.Float64frombits(binary.LittleEndian.Uint64(a.data[8*i:]))
		}
	case a.Kind == Float && a.Width == 32:
		for i := range out {
			out[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(a.data[4*i:])))
		}
	case a.Kind == Float:
		for i := range out {
			out[i] = float16.Float64(binary.LittleEndian.Uint16(a.data[2*i:]))
		}
	case a.Kind == Int && a.Width == 64 && !a.Signed:
		for i := range out {
			out[i] = float64(uint64(a.whole(i)))
		}
	case a.Kind == Int:
		for i := range out {
			out[i] = float64(a.whole(i))
		}
	case a.Kind == Bool:
		for i := range out {
			out[i] = float64(a.data[i>>3] >> (i & 7) & 1)
		}
	case a.Kind == Decimal:
		for i := range out {
			if !a.IsNull(i) {
				out[i] = a.decimal(i)
			}
		}
	}
	if a.valid != nil || a.Kind == Null {
		for i := range out {
			if a.IsNull(i) {
				out[i] = math.NaN()
			}
		}
	}
	return out
}

// decimal is a two's complement number divided by a power of ten, rounded once.
func (a *Array) decimal(i int) float64 {
	bytes := a.Width / 8
	b := a.data[bytes*i : bytes*(i+1)]
	text := make([]byte, bytes) // the other way round, as big.Int reads it
	for k, x := range b {
		text[bytes-1-k] = x
	}
	x := new(big.Int).SetBytes(text)
	if text[0]&0x80 != 0 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(a.Width)))
	}
	return decimal.FromBig(x, a.Scale)
}

// Beyond says whether a column of whole numbers has some of which float64 does not have all.
func (a *Array) Beyond() bool {
	if a.Kind != Int || a.Width != 64 {
		return false
	}
	for i := range a.Len {
		x := a.whole(i)
		if !a.IsNull(i) && (x > 1<<53 || x < -1<<53) { // of unsigned ones the largest are negative here
			return true
		}
	}
	return false
}

// WholeText is whole number i, digit for digit.
func (a *Array) WholeText(i int) string {
	if a.Signed {
		return strconv.FormatInt(a.whole(i), 10)
	}
	return strconv.FormatUint(uint64(a.whole(i)), 10)
}

// Micros is instant i in microseconds since 1970, rounded down; ok is false
// where it is out of range.
func (a *Array) Micros(i int) (micros int64, ok bool) {
	x := a.whole(i)
	if a.Type.Micros == 0 {
		q := x / 1000
		if x%1000 < 0 {
			q--
		}
		return q, true
	}
	magnitude := uint64(x)
	if x < 0 {
		magnitude = -magnitude
	}
	hi, lo := bits.Mul64(magnitude, uint64(a.Type.Micros))
	return x * a.Type.Micros, hi == 0 && lo < math.MaxInt64
}

// IsText says whether String reads the column.
func (a *Array) IsText() bool { return a.Kind == Text || a.Kind == TextView }

// TextBytes is how many bytes all strings together have. Views may lie over one another: a few
// bytes can stand for very many.
func (a *Array) TextBytes() (total int64) {
	for i := range a.Len {
		if a.Kind == Text {
			from, to := a.Bounds(i)
			total += int64(to - from)
		} else {
			total += int64(binary.LittleEndian.Uint32(a.data[16*i:]))
		}
	}
	return total
}

// String is a copy of string i.
func (a *Array) String(i int) string {
	if a.Kind == Text {
		from, to := a.Bounds(i)
		return string(a.data[from:to])
	}
	v := a.data[16*i : 16*i+16]
	length := binary.LittleEndian.Uint32(v)
	if length <= 12 {
		return string(v[4 : 4+length])
	}
	block, offset := binary.LittleEndian.Uint32(v[8:]), binary.LittleEndian.Uint32(v[12:])
	return string(a.blocks[block][offset : offset+length])
}

// Codes gives the indices of a column into all parts of its dictionary, -1 for
// null.
func (a *Array) Codes() ([]int32, error) {
	entries := 0
	for _, p := range a.entries {
		entries += p.Len
	}
	out := make([]int32, a.Len)
	for i := range out {
		if a.IsNull(i) {
			out[i] = -1
			continue
		}
		k := a.whole(i)
		if k < 0 || k >= int64(entries) {
			return nil, fmt.Errorf("value %d is entry %d of a dictionary of %d", i+1, k, entries)
		}
		out[i] = int32(k)
	}
	return out, nil
}
