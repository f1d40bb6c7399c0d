package data

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/celltext"
	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// numberEvidence is what the texts of a column say about how its numbers are written, and whether
// they are numbers at all.
type numberEvidence struct {
	alive    []form // every value so far can be read so
	units    string // the unit that values have
	without  bool   // a value that is not 0 has none
	marks    int    // values with a mark in them
	digits   bool   // nothing but digits, and a minus
	padded   bool   // a 0 before other digits
	width    int    // digits of every value; -1: they differ
	beyond   bool   // a whole number whose digits float64 does not keep
	values   int
	negative bool
}

// see takes in one value; false ends it: the column is not numbers.
func (e *numberEvidence) see(s string) bool {
	a, ok := cutAmount(s)
	if !ok {
		return false
	}
	e.values++
	e.negative = e.negative || a.negative
	if a.unit != "" && e.units != "" && a.unit != e.units {
		return false
	}
	if a.unit != "" {
		e.units = a.unit
	}
	if a.plain() {
		e.seeDigits(&a)
		return a.fits(forms[0]) // hundreds of digits may be out of range
	}
	e.digits = false
	e.marks++
	e.without = e.without || a.unit == ""
	fitting := 0
	for _, f := range e.alive {
		if a.fits(f) {
			fitting++
		}
	}
	if fitting < len(e.alive) { // the list may be the one of all
		e.alive = slices.DeleteFunc(slices.Clone(e.alive), func(f form) bool { return !a.fits(f) })
	}
	return fitting > 0
}

// seeDigits takes in a value without marks.
func (e *numberEvidence) seeDigits(a *amount) {
	n := len(a.digits)
	if e.width == 0 {
		e.width = n
	} else if e.width != n {
		e.width = -1
	}
	zeros := strings.TrimLeft(a.digits, "0")
	e.without = e.without || a.unit == "" && zeros != ""
	e.padded = e.padded || n > 1 && a.digits[0] == '0'
	if len(zeros) >= 16 {
		x, _ := a.read(form{decimal: '.'})
		e.beyond = e.beyond || phrase.Number(x) != signed(a.negative, zeros)
	}
}

func signed(negative bool, digits string) string {
	if negative {
		return "-" + digits
	}
	return digits
}

// texts gives the values of a column of strings, blanks around them removed; those of categories
// once each.
func (c *Column) texts() iter.Seq[string] {
	return func(yield func(string) bool) {
		if c.Kind.named() {
			for _, l := range c.Levels {
				if !yield(strings.TrimSpace(l)) {
					return
				}
			}
			return
		}
		for i := range c.Len() {
			if !yield(strings.TrimSpace(c.String(i))) {
				return
			}
		}
	}
}

// numberEvidence goes through the column; ok is false where a value is no number in any way of
// writing. A decimal mark that is known leaves the forms that have it.
func (c *Column) numberEvidence(n *Notation) (e numberEvidence, ok bool) {
	e = numberEvidence{alive: forms, digits: true, units: n.Unit}
	if n.Decimal != "" {
		e.alive = slices.DeleteFunc(slices.Clone(forms), func(f form) bool { return f.decimal != n.Decimal[0] })
	}
	for s := range c.texts() {
		if !n.isNA(s) && !e.see(s) {
			return e, false
		}
	}
	if e.units == percentSign && e.without && n.Unit == "" { // 45% beside 0.45: which is meant?
		return e, false
	}
	return e, e.values > 0
}

// settle chooses among the forms that are left, by the decimal mark of other columns where that is
// known, and fills in the notation.
func (e *numberEvidence) settle(n *Notation, decimal string) {
	f := e.alive[0]
	for _, other := range e.alive {
		if decimal != "" && f.decimal != decimal[0] && other.decimal == decimal[0] {
			f = other
		}
	}
	if e.marks == 0 && decimal != "" && n.Decimal == "" {
		f.decimal = decimal[0]
	}
	n.Kind, n.Decimal, n.Unit = Numeric, string(f.decimal), e.units
	if f.group != 0 {
		n.Group = string(f.group)
	}
	// Forms are only told apart by a group of three digits; the point before three digits is the
	// usual decimal point and no doubt. What stands between thousands and is no decimal mark in
	// another form leaves none.
	for _, other := range e.alive {
		n.Ambiguous = n.Ambiguous || e.marks > 0 && decimal == "" && f.group != 0 && other.decimal == f.group
	}
	if e.digits && e.padded && e.width > 0 && !e.negative {
		n.Width = e.width
	}
}

// codes says that whole numbers are rather names: zeros before them would be lost, or digits at the
// end. Two digits are days, months and hours, whose zeros are kept by their width.
func (e *numberEvidence) codes(again bool) bool {
	if !e.digits || e.units != "" {
		return false
	}
	return e.padded && !e.negative && e.width != 2 || e.beyond && again
}

// DecimalMark is the decimal mark that columns of strings settle: "," or ".", or empty where none
// does, or some one and some the other.
func DecimalMark(columns iter.Seq[Column]) string {
	mark := ""
	for c := range columns {
		e, ok := c.numberEvidence(&Notation{})
		if !ok || e.marks == 0 {
			continue
		}
		own := e.alive[0].decimal
		if slices.ContainsFunc(e.alive, func(f form) bool { return f.decimal != own }) {
			continue
		}
		if mark != "" && mark[0] != own {
			return ""
		}
		mark = string(own)
	}
	return mark
}

// SettleNumbers finds how the numbers of a column of strings are written, beside what is known, in
// a file where other columns have a decimal mark. It is false where the column is no numbers, or
// names rather than numbers.
func (c *Column) SettleNumbers(n Notation, decimal string) (Notation, bool) {
	e, ok := c.numberEvidence(&n)
	if !ok || n.Kind != Numeric && e.codes(true) {
		return n, false
	}
	e.settle(&n, decimal)
	return n, true
}

// readNumbers reads the column by the notation; what that leaves open is found from the values.
func (c *Column) readNumbers(n Notation, decimal string) (Column, error) {
	if n.Decimal == "" || !n.Settled {
		if e, ok := c.numberEvidence(&n); ok {
			e.settle(&n, decimal)
		}
	}
	if n.Decimal == "" {
		n.Decimal = cmp.Or(decimal, ".")
	}
	n.Kind = Numeric
	if out, ok := c.truthNumbers(&n); ok {
		return out, nil
	}
	out := Column{Name: c.Name, Kind: Numeric, Gap: c.Gap, Notation: &n, Numbers: make([]float64, c.Len())}
	levels, err := c.levelNumbers(&n)
	if err != nil {
		return out, err
	}
	for i := range out.Numbers {
		if levels != nil {
			out.Numbers[i] = math.NaN()
			if k := c.Codes[i]; k >= 0 {
				if out.Numbers[i] = levels[k]; math.Abs(levels[k]) >= 1<<53 {
					out.seeDigits(i, c.Levels[k])
				}
			}
			continue
		}
		s := strings.TrimSpace(c.String(i))
		if n.isNA(s) {
			out.Numbers[i] = math.NaN()
			continue
		}
		x, ok := n.Number(s)
		if !ok {
			return out, c.notNumber(i, s, &n)
		}
		if out.Numbers[i] = x; math.Abs(x) >= 1<<53 {
			out.seeDigits(i, s)
		}
	}
	return out, nil
}

// seeDigits remembers the digits of a text, where float64 does not keep them.
func (c *Column) seeDigits(i int, s string) {
	if digits := celltext.WholeDigits(strings.TrimSpace(s)); digits != "" {
		c.keepDigits(i, digits)
	}
}

// levelNumbers reads each level of a column of categories once; nil where the column is none.
func (c *Column) levelNumbers(n *Notation) ([]float64, error) {
	if !c.Kind.named() {
		return nil, nil
	}
	out := make([]float64, len(c.Levels))
	for k, l := range c.Levels {
		s := strings.TrimSpace(l)
		if n.isNA(s) {
			out[k] = math.NaN()
			continue
		}
		x, ok := n.Number(s)
		if !ok {
			if i := slices.Index(c.Codes, int32(k)); i >= 0 {
				return nil, c.notNumber(i, s, n)
			}
		}
		out[k] = x
	}
	return out, nil
}

// notNumber is the fault of a value that is no number by the column's notation.
func (c *Column) notNumber(i int, s string, n *Notation) error {
	needed, remedy := "a number is needed", Remedy(mend.None)
	if NumberIn(s) {
		remedy = mend.Numbers
		needed = "a number with a decimal point is needed"
		if n.Decimal == "," {
			needed = "a number with a decimal comma is needed"
		}
		if n.Group != "" {
			needed += " (thousands by " + n.Group + ")"
		}
		if n.Unit != "" {
			needed += " (in " + n.Unit + ")"
		}
	}
	return c.notKind(i, s, needed, remedy)
}
