package csvio

import (
	"bytes"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/celltext"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// builder collects the values of one column.
type builder struct {
	kind    rawKind
	point   byte
	numbers []float64
	codes   []int32
	levels  []string
	code    map[string]int32
	arena   []byte // text of a column with many distinct values
	ends    []int
	gap     *data.Gap
	faults  [faultSorts]*fault
	recoded int // fields that were not UTF-8
	odd     bool
	digits  map[int]string // of whole numbers that float64 does not keep, by row
	truth   *fault         // the first truth value, where 0 and 1 are wanted
}

// note takes down a value that is not what the column has.
func (b *builder) note(sort faultSort, column int, text []byte, line, offset int) {
	if f := b.faults[sort]; f != nil {
		f.count++
		return
	}
	b.faults[sort] = &fault{column, sort, line, offset, clip(string(text)), 1}
}

// checkTruth takes down a truth value among numbers that are neither 0 nor 1.
func (b *builder) checkTruth() {
	if b.truth != nil && b.faults[isWord] == nil &&
		slices.ContainsFunc(b.numbers, func(x float64) bool { return x == x && x != 0 && x != 1 }) {
		b.faults[isWord] = b.truth
	}
}

func (b *builder) addString(s []byte) {
	if b.code == nil {
		b.arena = append(b.arena, s...)
		b.ends = append(b.ends, len(b.arena))
		return
	}
	k, ok := b.code[string(s)]
	if !ok {
		k = int32(len(b.levels))
		if len(b.levels) > tooMany && 2*len(b.levels) > len(b.codes) {
			b.toText()
			b.addString(s)
			return
		}
		name := string(s)
		b.levels = append(b.levels, name)
		b.code[name] = k
	}
	b.codes = append(b.codes, k)
}

func (b *builder) toText() {
	for _, k := range b.codes {
		b.arena = append(b.arena, b.levels[k]...)
		b.ends = append(b.ends, len(b.arena))
	}
	b.code, b.codes, b.levels = nil, nil, nil
}

func (b *builder) column(name string) data.Column {
	c := data.Column{Name: name, Gap: b.gap}
	switch {
	case b.kind == rawNumber:
		c.Kind, c.Numbers, c.Digits = data.Numeric, b.numbers, b.digits
	case b.code != nil:
		c.Kind, c.Codes, c.Levels = data.Categorical, b.codes, b.levels
	default:
		c.Kind = data.Text
		all := string(b.arena)
		c.Strings = make([]string, len(b.ends))
		from := 0
		for i, to := range b.ends {
			c.Strings[i] = all[from:to]
			from = to
		}
	}
	return c
}

// seeDigits looks at a whole number that may be a name: with a zero before it, or more digits than
// float64 keeps.
func (b *builder) seeDigits(row int, x float64, text []byte, j, pos int, rec *cursor) {
	digits := bytes.TrimLeft(text, "-")
	if len(digits) < 2 || digits[0] != '0' && len(digits) < 16 {
		return
	}
	for _, c := range digits {
		if c-'0' > 9 {
			return
		}
	}
	if digits[0] == '0' || phrase.Number(x) != string(text) {
		b.note(isLossy, j, text, rec.line, pos-rec.start+1)
		if digits := celltext.WholeDigits(string(text)); digits != "" {
			if b.digits == nil {
				b.digits = map[int]string{}
			}
			b.digits[row] = digits
		}
	}
}
