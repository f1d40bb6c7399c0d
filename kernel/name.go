package kernel

import (
	"fmt"
	"strings"
)

// NameOf is what messages call a kernel, as the user knows it and whatever stands around it: its
// Name, of an operator the names of its parts too, with the signs of the language of kernels, as in
// gaussian + 2*linear, else that of its type. It says nothing of parameters; spec.Printed does.
func NameOf[T any](k Kernel[T]) string { return nameOf(k) }

func nameOf(k any) string {
	if k == nil {
		return "no kernel"
	}
	of := bare(k)
	if n, ok := of.(Named); ok {
		return n.Name()
	}
	name := typeName(of)
	o, ok := operatorOf(k)
	if !ok || len(o.parts()) == 0 {
		return name
	}
	names := make([]string, len(o.parts()))
	for i, p := range o.parts() {
		names[i] = nameOf(p)
	}
	switch o := o.(type) {
	case sum:
		return strings.Join(names, " + ")
	case product:
		for i, n := range names {
			names[i] = within(n, " +")
		}
		return strings.Join(names, "*")
	case scale:
		return fmt.Sprintf("%.4g*%s", o.Factor, within(names[0], " +"))
	case power:
		return fmt.Sprintf("%s^%d", within(names[0], "*+^"), o.Exponent)
	}
	return fmt.Sprintf("%s(%s)", name, strings.Join(names, ", "))
}

// within puts a name in brackets where it has one of the signs, which bind looser.
func within(name, signs string) string {
	if depth := 0; strings.ContainsFunc(name, func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		return depth == 0 && strings.ContainsRune(signs, r)
	}) {
		return "(" + name + ")"
	}
	return name
}

// typeName is the name of a type without its package and the types that it is made with; of
// operators, which are called SumOf and so on, as the language of kernels has it.
func typeName(k any) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(fmt.Sprintf("%T", k), "*"), "[")
	name = name[strings.LastIndex(name, ".")+1:]
	switch name {
	case "PowersOf":
		return "polynomial"
	case "OnColumns":
		return "on"
	}
	if short := strings.TrimSuffix(name, "Of"); short != name {
		return strings.ToLower(short)
	}
	return name
}
