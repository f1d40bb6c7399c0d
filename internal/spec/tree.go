package spec

import (
	"math"
	"strconv"
	"strings"
)

// Expr is a node of a parsed text.
type Expr interface {
	// column is where the node starts, counted from 1.
	column() int
	// format appends the node's text, in parentheses where it binds looser
	// than its surroundings.
	format(b *strings.Builder, around binding)
}

// binding orders the operators by how tightly they hold their operands.
type binding int

const (
	looseBinding  binding = iota // a whole expression
	termBinding                  // an operand of +
	factorBinding                // an operand of *
	powerBinding                 // the base of ^
)

type position int

func (p position) column() int { return int(p) }

// Number is a literal.
type Number struct {
	position
	Value float64
}

// Text is a quoted string.
type Text struct {
	position
	Value string
}

// List is a bracketed list.
type List struct {
	position
	Items []Expr
}

// Arg is one argument of a Call; Name is empty when it is given by place.
type Arg struct {
	Name   string
	Value  Expr
	Column int
}

// Call is a name with arguments: a kernel, a learner, a word such as true.
type Call struct {
	position
	Name string
	Args []Arg
	Bare bool // written without parentheses
}

// Sum is a + b + ….
type Sum struct {
	position
	Terms []Expr
}

// Product is a * b * ….
type Product struct {
	position
	Factors []Expr
}

// Power is base ^ exponent.
type Power struct {
	position
	Base     Expr
	Exponent float64
}

// On is a kernel on some columns of a table.
type On struct {
	position
	Kernel  Expr
	Columns []string
}

// Format prints a tree so that Parse gives it back.
func Format(e Expr) string {
	var b strings.Builder
	e.format(&b, looseBinding)
	return b.String()
}

// infinite is the word for a length-scale that leaves its column out.
const infinite = "inf"

func formatNumber(v float64) string {
	if math.IsInf(v, 1) {
		return infinite
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func (n Number) format(b *strings.Builder, _ binding) { b.WriteString(formatNumber(n.Value)) }
func (t Text) format(b *strings.Builder, _ binding)   { b.WriteString(strconv.Quote(t.Value)) }

func (l List) format(b *strings.Builder, _ binding) {
	b.WriteByte('[')
	for i, item := range l.Items {
		if i > 0 {
			b.WriteString(", ")
		}
		item.format(b, looseBinding)
	}
	b.WriteByte(']')
}

func (c Call) format(b *strings.Builder, _ binding) {
	b.WriteString(c.Name)
	if c.Bare {
		return
	}
	b.WriteByte('(')
	for i, a := range c.Args {
		if i > 0 {
			b.WriteString(", ")
		}
		if a.Name != "" {
			b.WriteString(a.Name)
			b.WriteByte('=')
		}
		a.Value.format(b, looseBinding)
	}
	b.WriteByte(')')
}

func formatJoined(b *strings.Builder, parts []Expr, sep string, own, around binding) {
	if around > own {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	for i, p := range parts {
		if i > 0 {
			b.WriteString(sep)
		}
		p.format(b, own+1)
	}
}

func (s Sum) format(b *strings.Builder, around binding) {
	formatJoined(b, s.Terms, " + ", looseBinding, around)
}

func (p Product) format(b *strings.Builder, around binding) {
	formatJoined(b, p.Factors, "*", termBinding, around)
}

func (p Power) format(b *strings.Builder, around binding) {
	if around > factorBinding {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	p.Base.format(b, powerBinding)
	b.WriteByte('^')
	b.WriteString(formatNumber(p.Exponent))
}

func (o On) format(b *strings.Builder, around binding) {
	if around >= factorBinding {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	o.Kernel.format(b, factorBinding+1)
	b.WriteString(" on ")
	for i, name := range o.Columns {
		if i > 0 {
			b.WriteByte(',')
		}
		if plainName(name) {
			b.WriteString(name)
		} else {
			b.WriteString(strconv.Quote(name))
		}
	}
}

// plainName says whether a column's name can stand without quotes.
func plainName(name string) bool {
	for i, r := range name {
		if !wordRune(r, i == 0) {
			return false
		}
	}
	return name != ""
}
