package spec

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/kernel"
)

// arguments are the arguments of one call while its kernel is built. Getters
// return a default when the argument is absent; the first problem is kept, and
// what nobody asked for is one.
type arguments struct {
	builder *builder
	call    Call
	params  []Parameter
	others  []Parameter // by name alone
	asked   map[string]bool
	err     *Error
}

func (a *arguments) fail(column int, message, hint string) {
	if a.err == nil {
		a.err = &Error{Source: a.builder.source, Column: column, Message: message, Hint: hint}
	}
}

// get finds an argument by name or by place.
func (a *arguments) get(name string) (Expr, bool) {
	a.asked[name] = true
	for i, arg := range a.call.Args {
		if arg.Name == name || arg.Name == "" && i < len(a.params) && a.params[i].Name == name {
			return arg.Value, true
		}
	}
	return nil, false
}

// unknown reports the first argument that is doubled or that the entry does not have.
func (a *arguments) unknown() {
	var known []string
	for _, p := range a.params {
		known = append(known, p.Name)
	}
	for _, p := range a.others {
		known = append(known, p.Name)
	}
	seen := map[string]bool{}
	for i, arg := range a.call.Args {
		name := arg.Name
		if name == "" {
			if i >= len(a.params) {
				a.fail(arg.Column, fmt.Sprintf("%s has only %d parameters", a.call.Name, len(a.params)), "")
				return
			}
			name = a.params[i].Name
		}
		if !a.asked[name] {
			hint := didYouMean(name, known)
			if len(known) == 0 {
				hint = "it has no parameters"
			}
			a.fail(arg.Column, fmt.Sprintf("%s has no parameter %q", a.call.Name, name), hint)
		}
		if seen[name] {
			a.fail(arg.Column, fmt.Sprintf("%q is given twice", name), "")
		}
		seen[name] = true
	}
}

func (a *arguments) missing(name string) {
	a.fail(a.call.column(), fmt.Sprintf("%s needs %q", a.call.Name, name),
		fmt.Sprintf("write %s(%s=…)", a.call.Name, name))
}

func (a *arguments) asNumber(name string, e Expr) float64 {
	n, ok := e.(Number)
	if !ok {
		a.fail(e.column(), fmt.Sprintf("%s is %s where a number was expected", name, Format(e)), "")
		return math.NaN()
	}
	return n.Value
}

// number is an argument with a default; NaN as the default means it must be
// given.
func (a *arguments) number(name string, missing float64) float64 {
	e, ok := a.get(name)
	if !ok {
		if math.IsNaN(missing) {
			a.missing(name)
		}
		return missing
	}
	return a.asNumber(name, e)
}

// integer is a number without a fraction.
func (a *arguments) integer(name string, missing int) int {
	v := a.number(name, float64(missing))
	if v != math.Trunc(v) || math.Abs(v) > 1e9 {
		e, _ := a.get(name)
		a.fail(e.column(), fmt.Sprintf("%s = %g, want a whole number", name, v), "")
		return missing
	}
	return int(v)
}

func (a *arguments) asList(name string, e Expr) []float64 {
	l, ok := e.(List)
	if !ok {
		return []float64{a.asNumber(name, e)}
	}
	values := make([]float64, len(l.Items))
	for i, item := range l.Items {
		values[i] = a.asNumber(fmt.Sprintf("%s[%d]", name, i), item)
	}
	return values
}

// asScales is a list of length-scales, of which the word inf is one.
func (a *arguments) asScales(name string, e Expr) []float64 {
	l, ok := e.(List)
	if !ok {
		return a.asList(name, e)
	}
	values := make([]float64, len(l.Items))
	for i, item := range l.Items {
		if word, ok := item.(Call); ok && word.Bare && word.Name == infinite {
			values[i] = math.Inf(1)
			continue
		}
		values[i] = a.asNumber(fmt.Sprintf("%s[%d]", name, i), item)
	}
	return values
}

// scales is a list of length-scales that must be given.
func (a *arguments) scales(name string) []float64 {
	e, ok := a.get(name)
	if !ok {
		a.missing(name)
		return nil
	}
	return a.asScales(name, e)
}

// list is a list of numbers, or one number, that must be given.
func (a *arguments) list(name string) []float64 {
	e, ok := a.get(name)
	if !ok {
		a.missing(name)
		return nil
	}
	return a.asList(name, e)
}

// matrix is a list of lists of one length, that must be given.
func (a *arguments) matrix(name string) [][]float64 {
	e, ok := a.get(name)
	if !ok {
		a.missing(name)
		return nil
	}
	l, ok := e.(List)
	if !ok || len(l.Items) == 0 {
		a.fail(e.column(), fmt.Sprintf("%s is %s where a list of rows was expected", name, Format(e)), "")
		return nil
	}
	m := make([][]float64, len(l.Items))
	for i, item := range l.Items {
		m[i] = a.asList(fmt.Sprintf("%s[%d]", name, i), item)
		if len(m[i]) != len(m[0]) {
			a.fail(item.column(), fmt.Sprintf("row %d of %s has %d entries, the first has %d", i, name, len(m[i]), len(m[0])),
				"")
		}
	}
	return m
}

// texts is a list of quoted texts, that must be given.
func (a *arguments) texts(name string) []string {
	e, ok := a.get(name)
	if !ok {
		a.missing(name)
		return nil
	}
	l, ok := e.(List)
	out := make([]string, len(l.Items))
	for i, item := range l.Items {
		t, isText := item.(Text)
		out[i], ok = t.Value, ok && isText
	}
	if !ok {
		a.fail(e.column(), name+" is not a list of texts in quotes", "")
	}
	return out
}

// kernel is an argument that is itself a kernel; it must be given.
func (a *arguments) kernel(name string) kernel.Kernel[any] {
	e, ok := a.get(name)
	if !ok {
		a.missing(name)
		return nil
	}
	k, err := a.builder.kernel(e)
	if err != nil && a.err == nil {
		a.err = err
	}
	return k
}

// vectorKernel is kernel for an argument on vectors.
func (a *arguments) vectorKernel(name string) kernel.Kernel[vec] {
	typed, _ := kernel.Retyped[vec](a.kernel(name))
	return typed
}
