package parquet

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/celltext"
	"github.com/mercer-ml/mercer/internal/format/decimal"
	"github.com/mercer-ml/mercer/internal/format/float16"
	"github.com/mercer-ml/mercer/internal/format/parquetfile"
	"github.com/mercer-ml/mercer/internal/format/refuse"
	"github.com/mercer-ml/mercer/internal/format/room"
)

// leaf is a column of values and what they become.
type leaf struct {
	column *parquetfile.Column
	at     int // its number in the file
	kind   data.Kind
	words  bool // lists of strings, which become texts
}

func newLeaf(c *parquetfile.Column) (leaf, error) {
	l := leaf{column: c, kind: data.Numeric}
	switch {
	case c.Fault != nil:
		return l, c.Fault
	case c.Logical == parquetfile.Unread:
		return l, fmt.Errorf("it is of type %s, which is neither a number, a string, a time nor a list of those", c.Meaning)
	case c.Logical == parquetfile.Date || c.Logical == parquetfile.Timestamp || c.Logical == parquetfile.Clock ||
		c.Physical == parquetfile.Int96:
		l.kind = data.Time
	case (c.Physical == parquetfile.Bytes || c.Physical == parquetfile.FixedBytes) && c.Logical != parquetfile.Decimal &&
		c.Logical != parquetfile.Half:
		l.kind = data.Text
	}
	if c.Physical == parquetfile.Boolean && c.MaxRepetition == 0 {
		l.kind = data.Boolean
	}
	if c.MaxRepetition > 1 {
		return l, errors.New("it is a list of lists")
	}
	if c.MaxRepetition == 1 {
		switch l.kind {
		case data.Numeric:
			l.kind = data.Sequence
		case data.Text:
			l.words = true
		default:
			return l, fmt.Errorf("it is a list of %ss", l.kind)
		}
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
			if text, beyond := l.beyond(run, i); !missing(i) && (beyond || out.Kind == data.Text) {
				keepDigits(out)
				out.Strings = append(out.Strings, text)
				continue
			} else if out.Kind == data.Text {
				out.Strings = append(out.Strings, "")
				continue
			}
			x := math.NaN()
			if !missing(i) {
				x = l.number(run, i)
			}
			if math.IsInf(x, 0) {
				return refuse.NotFinite(l.column.Name, int(before)+len(out.Numbers)+1, x, false)
			}
			out.Numbers = append(out.Numbers, x)
		}
	case data.Boolean:
		out.Levels = []string{"false", "true"}
		for i := range run.Len {
			k := int32(-1)
			if !missing(i) {
				k = int32(run.Ints[i])
			}
			out.Codes = append(out.Codes, k)
		}
	case data.Time:
		for i := range run.Len {
			t := int64(data.NoTime)
			if !missing(i) {
				var ok bool
				if t, ok = l.micros(run, i); !ok {
					return refuse.TimeRange(l.column.Name, int(before)+len(out.Micros)+1)
				}
				if l.column.Logical == parquetfile.Clock {
					t = celltext.TimeOfDay(t)
				}
			}
			out.Micros = append(out.Micros, t)
		}
	case data.Sequence:
		return l.lists(out, run, before)
	default:
		for i, s := range run.Strings {
			if !missing(i) {
				s = l.text(s)
			}
			if !utf8.ValidString(s) {
				return refuse.NotUTF8(l.column.Name, int(before)+len(out.Strings)+1, s)
			}
			out.Strings = append(out.Strings, s)
		}
	}
	return nil
}

// beyond gives a whole number as text, and says whether float64 does not have all of those of its
// size: labels may differ in what is lost.
func (l *leaf) beyond(run *parquetfile.Run, i int) (string, bool) {
	c := l.column
	if run.Ints == nil || c.Physical != parquetfile.Int64 || c.Logical == parquetfile.Decimal {
		return "", false
	}
	x := run.Ints[i]
	if c.Logical == parquetfile.Unsigned {
		return strconv.FormatUint(uint64(x), 10), uint64(x) > 1<<53
	}
	return strconv.FormatInt(x, 10), x > 1<<53 || x < -1<<53
}

// keepDigits goes on with a column of whole numbers as text; what all of it is, is decided at the
// end (data.InferKinds).
func keepDigits(out *data.Column) {
	if out.Kind == data.Text {
		return
	}
	numbers := *out
	*out = data.Column{Name: out.Name, Kind: data.Text, Strings: make([]string, 0, cap(out.Numbers))}
	for i := range numbers.Numbers {
		out.Strings = append(out.Strings, numbers.String(i))
	}
}

// text is a string as it is shown.
func (l *leaf) text(s string) string {
	if l.column.Logical != parquetfile.UUID {
		return s
	}
	h := hex.EncodeToString([]byte(s))
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// runBytes is what texts and lists of a run take: unlike numbers, a few rows of them may be very
// many bytes.
func (l *leaf) runBytes(run *parquetfile.Run) int64 {
	switch {
	case l.words:
		return 16*int64(run.Len) + room.TextBytes(run.Strings)
	case l.kind == data.Sequence:
		return 16 * int64(run.Len) // a list that grows is copied
	case l.kind == data.Text:
		return room.TextBytes(run.Strings)
	}
	return 0
}

// addWords appends to the last list of strings, or begins new ones. Nulls within
// a list are left out.
func (l *leaf) addWords(out *[][]string, run *parquetfile.Run) {
	for i := range run.Len {
		if run.Repetitions[i] == 0 {
			*out = append(*out, nil)
		}
		if int(run.Definitions[i]) == l.column.Present {
			last := &(*out)[len(*out)-1]
			*last = append(*last, l.text(run.Strings[i]))
		}
	}
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
			return refuse.NotFinite(l.column.Name, int(before)+len(out.Sequences), x, true)
		}
		last := &out.Sequences[len(out.Sequences)-1]
		*last = append(*last, x)
	}
	return nil
}

// number is the value of entry i.
func (l *leaf) number(run *parquetfile.Run, i int) float64 {
	c := l.column
	switch {
	case run.Floats != nil:
		return run.Floats[i]
	case c.Logical == parquetfile.Half:
		s := run.Strings[i]
		return float16.Float64(uint16(s[0]) | uint16(s[1])<<8)
	case run.Strings != nil:
		return decimal.FromBig(bigEndian(run.Strings[i]), c.Scale)
	case c.Logical == parquetfile.Decimal:
		return decimal.Float64(run.Ints[i], c.Scale)
	case c.Logical == parquetfile.Unsigned && c.Physical == parquetfile.Int32:
		return float64(uint32(run.Ints[i]))
	case c.Logical == parquetfile.Unsigned:
		return float64(uint64(run.Ints[i]))
	}
	return float64(run.Ints[i])
}

// bigEndian reads a two's complement whole number.
func bigEndian(s string) *big.Int {
	x := new(big.Int).SetBytes([]byte(s))
	if len(s) > 0 && s[0]&0x80 != 0 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(s))))
	}
	return x
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
