package spec

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxDepth bounds nesting, so that a hostile text cannot exhaust the stack.
const maxDepth = 100

// Parse reads one expression. The error is an *Error.
func Parse(text string) (e Expr, err error) {
	p := &parser{text: text}
	defer func() {
		if r := recover(); r != nil {
			bad, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			e, err = nil, bad
		}
	}()
	p.next()
	e = p.expr(0)
	if p.kind != 0 {
		p.fail("unexpected "+p.describe(), "an operator + * ^ or the end was expected here")
	}
	return e, nil
}

// parser is a recursive descent over one token of look-ahead; it reports
// errors by panicking with an *Error that Parse catches.
type parser struct {
	text  string
	at    int  // byte offset after the current token
	start int  // byte offset of the current token
	kind  rune // 0 end, 'n' number, 's' text, 'w' word, or the character itself
	value string
}

func (p *parser) col(offset int) position {
	return position(utf8.RuneCountInString(p.text[:offset]) + 1)
}

func (p *parser) fail(message, hint string) {
	panic(&Error{Source: p.text, Column: int(p.col(p.start)), Message: message, Hint: hint})
}

func (p *parser) describe() string {
	if p.kind == 0 {
		return "end of text"
	}
	return strconv.Quote(p.text[p.start:p.at])
}

func wordRune(r rune, first bool) bool {
	return unicode.IsLetter(r) || r == '_' || !first && (unicode.IsDigit(r) || r == '-')
}

func (p *parser) next() {
	rest := strings.TrimLeftFunc(p.text[p.at:], unicode.IsSpace)
	p.start = len(p.text) - len(rest)
	p.at, p.kind = p.start, 0
	if rest == "" {
		return
	}
	r, size := utf8.DecodeRuneInString(rest)
	n := size
	switch {
	case r == '"':
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			p.fail("text without a closing quote", "")
		}
		p.value, _ = strconv.Unquote(quoted)
		n, p.kind = len(quoted), 's'
	case r >= '0' && r <= '9' || r == '.' || r == '-':
		n = numberLength(rest)
		p.value, p.kind = rest[:n], 'n'
	case wordRune(r, true):
		for n < len(rest) {
			r, size := utf8.DecodeRuneInString(rest[n:])
			if !wordRune(r, false) {
				break
			}
			n += size
		}
		p.value, p.kind = rest[:n], 'w'
	default:
		p.kind = r
	}
	p.at = p.start + n
}

// numberLength is how much of s looks like a number; whether it is one is
// strconv's to say.
func numberLength(s string) int {
	n := 1
	for n < len(s) {
		c := s[n]
		exponentSign := (c == '+' || c == '-') && (s[n-1] == 'e' || s[n-1] == 'E')
		if !(c >= '0' && c <= '9' || c == '.' || c == 'e' || c == 'E' || exponentSign) {
			break
		}
		n++
	}
	return n
}

func (p *parser) number() float64 {
	v, err := strconv.ParseFloat(p.value, 64)
	if err != nil || math.IsInf(v, 0) {
		p.fail(fmt.Sprintf("%q is not a number", p.value), "")
	}
	p.next()
	return v
}

func (p *parser) expr(depth int) Expr {
	if depth > maxDepth {
		p.fail("nested too deeply", "")
	}
	first := p.term(depth)
	if p.kind != '+' {
		return first
	}
	s := Sum{position(first.column()), []Expr{first}}
	for p.kind == '+' {
		p.next()
		s.Terms = append(s.Terms, p.term(depth))
	}
	return s
}

func (p *parser) term(depth int) Expr {
	first := p.factor(depth)
	if p.kind != '*' {
		return first
	}
	t := Product{position(first.column()), []Expr{first}}
	for p.kind == '*' {
		p.next()
		t.Factors = append(t.Factors, p.factor(depth))
	}
	return t
}

func (p *parser) factor(depth int) Expr {
	base := p.atom(depth)
	if p.kind == '^' {
		p.next()
		if p.kind != 'n' {
			p.fail("unexpected "+p.describe(), "an exponent was expected after ^")
		}
		base = Power{position(base.column()), base, p.number()}
	}
	if p.kind == 'w' && p.value == "on" {
		on := On{position: position(base.column()), Kernel: base}
		for {
			p.next()
			on.Columns = append(on.Columns, p.columnName())
			if p.kind != ',' || !p.columnFollows() {
				return on
			}
		}
	}
	return base
}

// columnName passes the name of a column, in quotes or not.
func (p *parser) columnName() string {
	if p.kind != 'w' && p.kind != 's' {
		p.fail("unexpected "+p.describe(),
			"the name of a column was expected here; put it in quotes where it has blanks or signs")
	}
	name := p.value
	p.next()
	return name
}

// columnFollows says whether the comma ahead is followed by another column, and not by the next
// argument of a call: that is a name with = or ( after it, or no name.
func (p *parser) columnFollows() bool {
	ahead := *p
	ahead.next()
	if ahead.kind != 'w' && ahead.kind != 's' {
		return false
	}
	ahead.next()
	return ahead.kind != '=' && ahead.kind != '('
}

func (p *parser) atom(depth int) Expr {
	at := p.col(p.start)
	switch p.kind {
	case 'n':
		return Number{at, p.number()}
	case 's':
		v := p.value
		p.next()
		return Text{at, v}
	case 'w':
		return p.call(depth)
	case '[':
		p.next()
		l := List{position: at}
		for p.kind != ']' {
			l.Items = append(l.Items, p.expr(depth+1))
			p.separator(']')
		}
		p.next()
		return l
	case '(':
		p.next()
		e := p.expr(depth + 1)
		if p.kind != ')' {
			p.fail("unexpected "+p.describe(), "a closing ) was expected here")
		}
		p.next()
		return e
	}
	if p.kind == '<' {
		p.fail("unexpected "+p.describe(), opaqueHint)
	}
	p.fail("unexpected "+p.describe(), "a name, a number or ( was expected here")
	return nil
}

func (p *parser) call(depth int) Expr {
	c := Call{position: p.col(p.start), Name: p.value}
	p.next()
	if p.kind != '(' {
		c.Bare = true
		return c
	}
	p.next()
	for p.kind != ')' {
		a := Arg{Column: int(p.col(p.start))}
		value := p.expr(depth + 1)
		if word, ok := value.(Call); ok && word.Bare && p.kind == '=' {
			a.Name = word.Name
			p.next()
			value = p.expr(depth + 1)
		}
		a.Value = value
		c.Args = append(c.Args, a)
		p.separator(')')
	}
	p.next()
	return c
}

// separator passes a comma, or stops before the closing bracket.
func (p *parser) separator(closing rune) {
	switch p.kind {
	case ',':
		p.next()
		if p.kind == closing {
			p.fail("unexpected "+p.describe(), "a value was expected after the comma")
		}
	case closing:
	default:
		p.fail("unexpected "+p.describe(), fmt.Sprintf("%q or a comma was expected here", closing))
	}
}
