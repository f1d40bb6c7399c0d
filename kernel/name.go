package kernel

import (
	"fmt"
	"strings"
)

// NameOf is what messages call a kernel, as the user knows it and whatever stands around it: its
// Name, of an operator the names of its parts too, as in sum(gaussian, linear), else that of its
// type.
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
	return fmt.Sprintf("%s(%s)", name, strings.Join(names, ", "))
}

// typeName is the name of a type without its package and the types that it is made with; of
// operators, which are called SumOf and so on, as the language of kernels has it.
func typeName(k any) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(fmt.Sprintf("%T", k), "*"), "[")
	name = name[strings.LastIndex(name, ".")+1:]
	if short := strings.TrimSuffix(name, "Of"); short != name {
		return strings.ToLower(short)
	}
	return name
}
