package spec

import (
	"fmt"
	"math"
)

// Learner is a learner as it is written: svm(kernel=matern(nu=2.5), C=[1, 10]). What its parameters
// mean is the table of learners' to say.
type Learner struct {
	Name     string
	Kernel   string // as text; empty: not said
	Settings []Setting

	source string
	column int
}

// Setting is a parameter of a Learner with the values to try: numbers, or words.
type Setting struct {
	Name   string
	Values []float64
	Words  []string // in place of Values

	column int
}

// ParseLearners reads learners with commas between them. The error is an *Error that names the
// column.
func ParseLearners(text string) ([]Learner, error) {
	e, err := Parse("[" + text + "]")
	if err != nil {
		if bad, ok := err.(*Error); ok {
			if bad.Source, bad.Column = text, max(bad.Column-1, 1); bad.Column > len([]rune(text)) {
				bad.Message, bad.Hint = "the text ends too early", "a parenthesis or bracket is not closed"
			}
		}
		return nil, err
	}
	var out []Learner
	for _, item := range e.(List).Items {
		l, err := learnerOf(text, item)
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	if len(out) == 0 {
		return nil, &Error{Source: text, Column: 1, Message: "no learner", Hint: "write svm, or svm(C=10)"}
	}
	return out, nil
}

func learnerOf(source string, e Expr) (Learner, error) {
	fault := func(column int, message, hint string) (Learner, error) {
		return Learner{}, &Error{Source: source, Column: max(column-1, 1), Message: message, Hint: hint}
	}
	c, ok := e.(Call)
	if !ok {
		return fault(e.column(), Format(e)+" is no learner", "write svm, or svm(C=10)")
	}
	l := Learner{Name: c.Name, source: source, column: c.column() - 1}
	seen := map[string]bool{}
	for _, a := range c.Args {
		switch {
		case a.Name == "" || seen[a.Name]:
			return fault(a.Column, fmt.Sprintf("%s in %s", Format(a.Value), c.Name), "write each parameter once, by its name: "+
				c.Name+"(NAME=VALUE)")
		case a.Name == "kernel":
			l.Kernel = Format(a.Value)
		default:
			s := Setting{Name: a.Name, column: a.Column - 1}
			items := []Expr{a.Value}
			if list, ok := a.Value.(List); ok {
				items = list.Items
			}
			for _, item := range items {
				switch v := item.(type) {
				case Number:
					s.Values = append(s.Values, v.Value)
				case Call:
					switch {
					case !v.Bare || len(v.Args) > 0:
						return fault(v.column(), fmt.Sprintf("%s is %s", a.Name, Format(v)), "write a number or a word")
					case v.Name == infinite:
						s.Values = append(s.Values, math.Inf(1))
					default:
						s.Words = append(s.Words, v.Name)
					}
				default:
					return fault(item.column(), fmt.Sprintf("%s is %s", a.Name, Format(item)),
						"write a number, a word, or several in brackets")
				}
			}
			if len(items) == 0 || len(s.Values) > 0 && len(s.Words) > 0 {
				return fault(a.Column, fmt.Sprintf("%s is %s", a.Name, Format(a.Value)), "write numbers or words, one or more")
			}
			l.Settings = append(l.Settings, s)
		}
		seen[a.Name] = true
	}
	return l, nil
}

// Fault is an error about the learner, at its place.
func (l Learner) Fault(message, hint string) error {
	return &Error{Source: l.source, Column: max(l.column, 1), Message: message, Hint: hint}
}

// FaultAt is an error about one of its settings, at its place.
func (l Learner) FaultAt(s Setting, message, hint string) error {
	return &Error{Source: l.source, Column: max(s.column, 1), Message: message, Hint: hint}
}

// Meant suggests the nearest of the known names, or lists them.
func Meant(name string, known []string) string { return didYouMean(name, known) }
