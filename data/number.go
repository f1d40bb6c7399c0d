package data

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// form is how numbers are written: the decimal mark, and what stands between thousands.
type form struct{ decimal, group byte }

// forms are tried in order; those with the decimal comma first where other columns of the file have
// it. A comma before three digits throughout stands between thousands, a point before three digits
// is a decimal point, unless other columns say otherwise.
var forms = []form{{'.', 0}, {'.', ','}, {',', 0}, {',', '.'}, {'.', ' '}, {',', ' '}, {'.', '\''}, {',', '\''}}

// form is that of a notation whose decimal mark is known.
func (n *Notation) form() form {
	f := form{decimal: n.Decimal[0]}
	if n.Group != "" {
		f.group = n.Group[0]
	}
	return f
}

// units are signs and codes that stand before or after an amount, and the sign of a share in
// hundred.
var units = []string{"$", "€", "£", "¥", "₹", "₽", "₩", "₺", "₴", "₪", "฿", "USD", "EUR", "GBP", "CHF", "JPY", "CNY",
	"INR", "CAD", "AUD", "SEK", "NOK", "DKK", "PLN", "CZK"}

const percentSign = "%"

// amount is a text cut into what a number is made of.
type amount struct {
	negative bool
	unit     string
	digits   string // digits, marks and an exponent
}

// cutAmount finds sign, unit and digits: -$1,234, ($5), 45 %, 1.234,50 €. It is false where
// something else is there.
func cutAmount(s string) (a amount, ok bool) {
	s = strings.TrimSpace(s)
	if n := len(s); n > 2 && s[0] == '(' && s[n-1] == ')' { // as in the books of accountants
		a.negative, s = true, strings.TrimSpace(s[1:n-1])
	}
	signed := a.negative
	for s != "" {
		switch c := s[0]; {
		case c-'0' < 10 || c == '.' || c == ',':
			if s, ok = a.cutSuffix(s); !ok || s == "" {
				return a, false
			}
			if strings.ContainsAny(s, "\u00a0\u202f\u2009") {
				s = blanks.Replace(s)
			}
			a.digits = s
			return a, true
		case (c == '-' || c == '+') && !signed:
			signed, a.negative, s = true, c == '-', strings.TrimSpace(s[1:])
		case !signed && strings.HasPrefix(s, "−"):
			signed, a.negative, s = true, true, strings.TrimSpace(s[len("−"):])
		default:
			found := false
			for _, u := range units {
				if rest, cut := strings.CutPrefix(s, u); cut && a.unit == "" {
					a.unit, s, found = u, strings.TrimSpace(rest), true
					break
				}
			}
			if !found {
				return a, false
			}
		}
	}
	return a, false
}

// blanks are what stands between thousands in some countries.
var blanks = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ")

// cutSuffix takes a unit off the end.
func (a *amount) cutSuffix(s string) (string, bool) {
	last := s[len(s)-1]
	if last-'0' < 10 || last == '.' || last == ',' {
		return s, true
	}
	if a.unit != "" {
		return s, false
	}
	if rest, ok := strings.CutSuffix(s, percentSign); ok {
		a.unit = percentSign
		return strings.TrimSpace(rest), true
	}
	for _, u := range units {
		if rest, ok := strings.CutSuffix(s, u); ok {
			a.unit = u
			return strings.TrimSpace(rest), true
		}
	}
	return s, false
}

// plain says that every form reads the digits in the same way: there are no marks.
func (a *amount) plain() bool {
	for i := range len(a.digits) {
		if a.digits[i]-'0' > 9 {
			return false
		}
	}
	return true
}

// read gives the number that the digits spell in a form.
func (a *amount) read(f form) (float64, bool) {
	var plain [64]byte
	out, ok := a.spell(plain[:0], f)
	if !ok {
		return 0, false
	}
	x, err := strconv.ParseFloat(string(out), 64)
	return x, err == nil && !math.IsInf(x, 0)
}

// fits says whether read would give a number.
func (a *amount) fits(f form) bool {
	var plain [64]byte
	_, ok := a.spell(plain[:0], f)
	if ok && (len(a.digits) > 300 || strings.ContainsAny(a.digits, "eE")) { // it may be out of range
		_, ok = a.read(f)
	}
	return ok
}

// spell appends the number as strconv reads it. Thousands stand in
// groups of three after a first of one to three digits that is not 0.
func (a *amount) spell(out []byte, f form) ([]byte, bool) {
	if a.negative {
		out = append(out, '-')
	}
	whole, s := 0, a.digits
	i := 0
	grouped, since := false, 0
	for ; i < len(s); i++ {
		c := s[i]
		if c-'0' < 10 {
			out = append(out, c)
			whole++
			since++
			continue
		}
		if f.group == 0 || c != f.group {
			break
		}
		if grouped && since != 3 || !grouped && (since == 0 || since > 3 || s[0] == '0') {
			return nil, false
		}
		grouped, since = true, 0
	}
	if grouped && (since != 3 || whole > 15) {
		return nil, false
	}
	fraction := 0
	if i < len(s) && s[i] == f.decimal {
		out = append(out, '.')
		for i++; i < len(s) && s[i]-'0' < 10; i++ {
			out = append(out, s[i])
			fraction++
		}
	}
	if whole+fraction == 0 {
		return nil, false
	}
	if i < len(s) && s[i]|0x20 == 'e' && !grouped && a.unit == "" {
		out = append(out, 'e')
		if i++; i < len(s) && (s[i] == '-' || s[i] == '+') {
			out = append(out, s[i])
			i++
		}
		if i == len(s) {
			return nil, false
		}
		for ; i < len(s) && s[i]-'0' < 10; i++ {
			out = append(out, s[i])
		}
	}
	if i < len(s) {
		return nil, false
	}
	return out, true
}

// Number reads one value by a notation whose decimal mark is known. Blanks, a
// sign and the unit of the column may stand beside it, and marks between
// thousands even where the column was not known to have any: beside a known
// decimal mark they cannot be mistaken.
func (n *Notation) Number(s string) (float64, bool) {
	a, ok := cutAmount(s)
	if !ok || a.unit != n.Unit && a.unit != "" {
		return 0, false
	}
	x, ok := a.read(n.form())
	for _, f := range forms {
		if !ok && f.decimal == n.Decimal[0] {
			x, ok = a.read(f)
		}
	}
	// 0.45 where others are 45%: which is meant?
	return x, ok && (a.unit == n.Unit || n.Unit != percentSign || x == 0)
}

// NumberIn says whether a text is a number in some way of writing, the plain one or another.
func NumberIn(s string) bool {
	if len(s) > 64 || !utf8.ValidString(s) {
		return false
	}
	a, ok := cutAmount(s)
	if !ok {
		return false
	}
	return slices.ContainsFunc(forms, a.fits)
}
