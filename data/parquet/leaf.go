package parquet

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/float16"
	"github.com/mercer-ml/mercer/internal/format/parquetfile"
)

// leaf is a column of values and what they become.
type leaf struct {
	column *parquetfile.Column
	kind   data.Kind
}

func newLeaf(c *parquetfile.Column) (leaf, error) {
	l := leaf{column: c, kind: data.Numeric}
	switch {
	case c.Logical == parquetfile.Unread:
		return l, fmt.Errorf("column %q is of type %s, which is neither a number, a string, a time nor a list of numbers", c.Name, c.Meaning)
	case c.Logical == parquetfile.Date || c.Logical == parquetfile.Timestamp || c.Physical == parquetfile.Int96:
		l.kind = data.Time
	case (c.Physical == parquetfile.Bytes || c.Physical == parquetfile.FixedBytes) && c.Logical != parquetfile.Decimal && c.Logical != parquetfile.Half:
		l.kind = data.Text
	}
	if c.MaxRepetition > 1 {
		return l, fmt.Errorf("column %q is a list of lists", c.Name)
	}
	if c.MaxRepetition == 1 {
		if l.kind != data.Numeric {
			return l, fmt.Errorf("column %q is a list of %s", c.Name, l.kind)
		}
		l.kind = data.Sequence
	}
	return l, nil
}

// add appends the entries of a run. before is the number of rows in earlier
// chunks, for messages.
func (l *leaf) add(out *data.Column, run *parquetfile.Run, before int64) error {
	present := uint32(l.column.Present)
	missing := func(i int) bool { return run.Definitions != nil && run.Definitions[i] != present }
	switch l.kind {
	case data.Numeric:
		for i := range run.Len {
			x := math.NaN()
			if !missing(i) {
				x = l.number(run, i)
			}
			if math.IsInf(x, 0) {
				return data.NotFiniteError(l.column.Name, int(before)+len(out.Numbers)+1, x, false)
			}
			out.Numbers = append(out.Numbers, x)
		}
	case data.Time:
		for i := range run.Len {
			t := int64(data.NoTime)
			if !missing(i) {
				var ok bool
				if t, ok = l.micros(run, i); !ok {
					return data.TimeRangeError(l.column.Name, int(before)+len(out.Micros)+1)
				}
			}
			out.Micros = append(out.Micros, t)
		}
	case data.Sequence:
		return l.lists(out, run, before)
	default:
		out.Strings = append(out.Strings, run.Strings...)
	}
	return nil
}

// lists appends to the last list, or begins new ones.
func (l *leaf) lists(out *data.Column, run *parquetfile.Run, before int64) error {
	for i := range run.Len {
		level := run.Definitions[i] // a list has definition levels
		if run.Repetitions[i] == 0 {
			var q []float64
			if int(level) >= l.column.Repeated-1 {
				q = []float64{}
			}
			out.Sequences = append(out.Sequences, q)
		}
		if int(level) < l.column.Repeated {
			continue
		}
		x := math.NaN()
		if int(level) == l.column.Present {
			x = l.number(run, i)
		}
		if x-x != 0 {
			return data.NotFiniteError(l.column.Name, int(before)+len(out.Sequences), x, true)
		}
		last := &out.Sequences[len(out.Sequences)-1]
		*last = append(*last, x)
	}
	return nil
}

// number is the value of entry i.
func (l *leaf) number(run *parquetfile.Run, i int) float64 {
	c := l.column
	x := 0.0
	switch {
	case run.Floats != nil:
		return run.Floats[i]
	case c.Logical == parquetfile.Half:
		s := run.Strings[i]
		return float16.Float64(uint16(s[0]) | uint16(s[1])<<8)
	case run.Strings != nil:
		x = bigEndian(run.Strings[i])
	case c.Logical == parquetfile.Unsigned && c.Physical == parquetfile.Int32:
		return float64(uint32(run.Ints[i]))
	case c.Logical == parquetfile.Unsigned:
		return float64(uint64(run.Ints[i]))
	default:
		x = float64(run.Ints[i])
	}
	if c.Logical == parquetfile.Decimal && c.Scale != 0 {
		x /= math.Pow10(c.Scale)
	}
	return x
}

// bigEndian reads a two's complement whole number.
func bigEndian(s string) float64 {
	x := new(big.Int).SetBytes([]byte(s))
	if len(s) > 0 && s[0]&0x80 != 0 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(s))))
	}
	f, _ := new(big.Float).SetInt(x).Float64()
	return f
}

const dayMicros = 24 * 3600 * 1e6

// micros is the instant of entry i in microseconds since 1970; ok is false where
// it is out of range.
func (l *leaf) micros(run *parquetfile.Run, i int) (t int64, ok bool) {
	c := l.column
	if c.Physical == parquetfile.Int96 { // nanoseconds of a Julian day, from old writers
		s := run.Strings[i]
		var nanos uint64
		for k := range 8 {
			nanos |= uint64(s[k]) << (8 * k)
		}
		day := int64(int32(uint32(s[8]) | uint32(s[9])<<8 | uint32(s[10])<<16 | uint32(s[11])<<24))
		day -= 2440588
		return day*dayMicros + int64(nanos/1000), nanos < 2*dayMicros*1000 && day > -1e8 && day < 1e8
	}
	x := run.Ints[i]
	per := c.Micros
	if c.Logical == parquetfile.Date {
		per = dayMicros
	}
	if per == 0 {
		return floorDiv(x, 1000), true
	}
	magnitude := uint64(x)
	if x < 0 {
		magnitude = -magnitude
	}
	hi, lo := bits.Mul64(magnitude, uint64(per))
	return x * per, hi == 0 && lo < math.MaxInt64
}

func floorDiv(x, y int64) int64 {
	q := x / y
	if x%y < 0 {
		q--
	}
	return q
}
