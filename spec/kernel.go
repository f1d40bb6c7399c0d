package spec

import (
	"fmt"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/kernel"
)

// ParseKernel reads a kernel on vectors. The error is an *Error that names the
// column.
func ParseKernel(text string) (kernel.Kernel[kernel.Vec], error) {
	return ParseWith(Vectors(), text)
}

// FormatKernel prints a kernel on vectors so that ParseKernel gives it back.
// Kernels that hold a Go function have no text.
func FormatKernel(k kernel.Kernel[kernel.Vec]) (string, error) {
	return FormatWith(Vectors(), k)
}

// ParseWith reads a kernel whose leaves are those of the catalogue.
func ParseWith[T any](c Catalogue[T], text string) (kernel.Kernel[T], error) {
	e, err := Parse(text)
	if err != nil {
		return nil, err
	}
	k, bad := (&builder[T]{source: text, catalogue: c}).kernel(e)
	if bad != nil {
		return nil, bad
	}
	return k, nil
}

// builder turns a tree into a kernel.
type builder[T any] struct {
	source    string
	catalogue Catalogue[T]
	table     tableOf[T] // what "on" means; nil: there are no columns with names
}

// tableOf builds what depends on the columns of a table.
type tableOf[T any] interface {
	// on is a kernel on columns that are named.
	on(b *builder[T], e On) (kernel.Kernel[T], *Error)
	// leaf is a kernel without columns; false where there is none of that name.
	leaf(b *builder[T], c Call) (kernel.Kernel[T], *Error, bool)
	names() []string
}

func (b *builder[T]) errorAt(e Expr, message, hint string) *Error {
	return &Error{Source: b.source, Column: e.column(), Message: message, Hint: hint}
}

func (b *builder[T]) kernel(e Expr) (kernel.Kernel[T], *Error) {
	switch e := e.(type) {
	case Number:
		if !(e.Value >= 0) {
			return nil, b.errorAt(e, fmt.Sprintf("the constant %g is negative", e.Value), "a kernel stays positive definite only when constants are ≥ 0")
		}
		return kernel.Constant[T](e.Value), nil
	case Sum:
		terms, err := b.kernels(e.Terms)
		if err != nil {
			return nil, err
		}
		return kernel.Sum(terms...), nil
	case Product:
		return b.product(e)
	case Power:
		k, err := b.kernel(e.Base)
		if err != nil {
			return nil, err
		}
		if e.Exponent != math.Trunc(e.Exponent) || e.Exponent < 1 || e.Exponent > 1e6 {
			return nil, b.errorAt(e, fmt.Sprintf("exponent %g", e.Exponent), "a kernel may be raised to the powers 1, 2, 3, …")
		}
		return kernel.Power(k, int(e.Exponent)), nil
	case Call:
		return b.call(e)
	case On:
		if b.table == nil {
			return nil, b.errorAt(e, "on "+strings.Join(e.Columns, ","), "columns have no names here; on(k, columns=[0, 1]) counts them")
		}
		return b.table.on(b, e)
	}
	return nil, b.errorAt(e, fmt.Sprintf("%s is not a kernel", Format(e)), "")
}

func (b *builder[T]) kernels(es []Expr) ([]kernel.Kernel[T], *Error) {
	ks := make([]kernel.Kernel[T], len(es))
	for i, e := range es {
		k, err := b.kernel(e)
		if err != nil {
			return nil, err
		}
		ks[i] = k
	}
	return ks, nil
}

// product takes the numbers among the factors together as one weight.
func (b *builder[T]) product(p Product) (kernel.Kernel[T], *Error) {
	weight, weighted := 1.0, false
	var factors []Expr
	for _, f := range p.Factors {
		if n, ok := f.(Number); ok {
			if !(n.Value >= 0) {
				return nil, b.errorAt(n, fmt.Sprintf("the weight %g is negative", n.Value), "a kernel stays positive definite only when weights are ≥ 0")
			}
			weight, weighted = weight*n.Value, true
		} else {
			factors = append(factors, f)
		}
	}
	if math.IsInf(weight, 0) {
		return nil, b.errorAt(p, "the weight overflows", "")
	}
	ks, err := b.kernels(factors)
	if err != nil {
		return nil, err
	}
	var k kernel.Kernel[T]
	switch len(ks) {
	case 0:
		return kernel.Constant[T](weight), nil
	case 1:
		k = ks[0]
	default:
		k = kernel.Product(ks...)
	}
	if weighted {
		k = kernel.Scale(weight, k)
	}
	return k, nil
}

func (b *builder[T]) call(c Call) (kernel.Kernel[T], *Error) {
	entry, ok := b.catalogue.find(c.Name)
	if !ok {
		entry, ok = Catalogue[T](functions[T]()).find(c.Name)
	}
	names := b.catalogue.Names()
	if !ok && b.table != nil {
		if k, err, known := b.table.leaf(b, c); known {
			return k, err
		}
		names = append(names, b.table.names()...)
	}
	if !ok {
		return nil, b.errorAt(c, fmt.Sprintf("unknown kernel %q", c.Name), meantKernel(c.Name, names))
	}
	a := &arguments[T]{builder: b, call: c, params: entry.Params, others: entry.Others, asked: map[string]bool{}}
	k := entry.build(a)
	a.unknown()
	if a.err != nil {
		return nil, a.err
	}
	if err := kernel.Validate(k); err != nil {
		return nil, b.errorAt(c, err.Error(), "")
	}
	return k, nil
}
