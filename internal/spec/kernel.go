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
	return typedVectors(ParseWith(Vectors(), text))
}

// typedVectors is a kernel on vectors that was read.
func typedVectors(k kernel.Kernel[any], err error) (kernel.Kernel[kernel.Vec], error) {
	if err != nil {
		return nil, err
	}
	typed, _ := kernel.Retyped[kernel.Vec](k)
	return typed, nil
}

// FormatKernel prints a kernel on vectors so that ParseKernel gives it back.
// Kernels that hold a Go function have no text.
func FormatKernel(k kernel.Kernel[kernel.Vec]) (string, error) {
	return Vectors().format(kernel.OnVectors(k))
}

// ParseWith reads a kernel whose leaves are those of the catalogue, on erased points of their type.
// kernel.Retyped is the same kernel on points of that type.
func ParseWith(c Catalogue, text string) (kernel.Kernel[any], error) {
	e, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return (&builder{source: text, catalogue: c}).read(e)
}

// builder turns a tree into a kernel.
type builder struct {
	source    string
	catalogue Catalogue
	table     tableOf // what "on" means; nil: there are no columns with names
}

// tableOf builds what depends on the columns of a table.
type tableOf interface {
	// on is a kernel on columns that are named.
	on(b *builder, e On) (kernel.Kernel[any], *Error)
	// leaf is a kernel without columns; false where there is none of that name.
	leaf(b *builder, c Call) (kernel.Kernel[any], *Error, bool)
	names() []string
}

// read is the kernel of a whole text.
func (b *builder) read(e Expr) (kernel.Kernel[any], error) {
	k, bad := b.kernel(e)
	if bad != nil {
		return nil, bad
	}
	return k, nil
}

func (b *builder) errorAt(e Expr, message, hint string) *Error {
	return &Error{Source: b.source, Column: e.column(), Message: message, Hint: hint}
}

func (b *builder) kernel(e Expr) (kernel.Kernel[any], *Error) {
	switch e := e.(type) {
	case Number:
		if !(e.Value >= 0) {
			return nil, b.errorAt(e, fmt.Sprintf("the constant %g is negative", e.Value),
				"a kernel stays positive definite only when constants are ≥ 0")
		}
		return kernel.Constant[any](e.Value), nil
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
			return nil, b.errorAt(e, "on "+strings.Join(e.Columns, ","),
				"columns have no names here; on(k, columns=[0, 1]) counts them")
		}
		return b.table.on(b, e)
	}
	return nil, b.errorAt(e, fmt.Sprintf("%s is not a kernel", Format(e)), "")
}

func (b *builder) kernels(es []Expr) ([]kernel.Kernel[any], *Error) {
	ks := make([]kernel.Kernel[any], len(es))
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
func (b *builder) product(p Product) (kernel.Kernel[any], *Error) {
	weight, weighted := 1.0, false
	var factors []Expr
	for _, f := range p.Factors {
		if n, ok := f.(Number); ok {
			if !(n.Value >= 0) {
				return nil, b.errorAt(n, fmt.Sprintf("the weight %g is negative", n.Value),
					"a kernel stays positive definite only when weights are ≥ 0")
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
	var k kernel.Kernel[any]
	switch len(ks) {
	case 0:
		return kernel.Constant[any](weight), nil
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

func (b *builder) call(c Call) (kernel.Kernel[any], *Error) {
	entry, ok := b.catalogue.find(c.Name)
	if !ok {
		entry, ok = Catalogue(functions()).find(c.Name)
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
	a := &arguments{builder: b, call: c, params: entry.Params, others: entry.Others, asked: map[string]bool{}}
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
