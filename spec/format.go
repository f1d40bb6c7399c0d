package spec

import (
	"fmt"

	"github.com/mercer-ml/mercer/kernel"
)

// FormatWith prints a kernel whose leaves are those of the catalogue, so that
// ParseWith gives it back.
func FormatWith[T any](c Catalogue[T], k kernel.Kernel[T]) (string, error) {
	e, err := c.expr(k)
	if err != nil {
		return "", err
	}
	return Format(e), nil
}

func (c Catalogue[T]) exprs(ks []kernel.Kernel[T]) ([]Expr, error) {
	es := make([]Expr, len(ks))
	for i, k := range ks {
		e, err := c.expr(k)
		if err != nil {
			return nil, err
		}
		es[i] = e
	}
	return es, nil
}

func (c Catalogue[T]) expr(k kernel.Kernel[T]) (Expr, error) {
	switch k := k.(type) {
	case kernel.ConstantOf[T]:
		return num(k.C), nil
	case kernel.SumOf[T]:
		terms, err := c.exprs(k.Terms)
		return Sum{Terms: terms}, err
	case kernel.ProductOf[T]:
		factors, err := c.exprs(k.Factors)
		for i, f := range factors {
			// a bare number among factors would be read as a weight
			if n, ok := f.(Number); ok {
				factors[i] = Call{Name: "constant", Args: []Arg{named("c", n)}}
			}
		}
		return Product{Factors: factors}, err
	case kernel.ScaleOf[T]:
		e, err := c.expr(k.Kernel)
		switch inner := e.(type) {
		case Number:
			e = Call{Name: "constant", Args: []Arg{named("c", inner)}}
		case Product:
			// weight*(a*b) is what a*b with a weight in front parses to
			if _, weighted := inner.Factors[0].(Number); !weighted {
				return Product{Factors: append([]Expr{num(k.Factor)}, inner.Factors...)}, err
			}
		}
		return Product{Factors: []Expr{num(k.Factor), e}}, err
	case kernel.PowerOf[T]:
		e, err := c.expr(k.Kernel)
		return Power{Base: e, Exponent: float64(k.Exponent)}, err
	}
	if e, ok, err := c.algebraExpr(k); ok || err != nil {
		return e, err
	}
	for _, entry := range c {
		if args, ok := entry.args(k); ok {
			return Call{Name: entry.Name, Args: args}, nil
		}
	}
	return nil, fmt.Errorf("spec: a kernel of type %T has no text (it holds a Go function, or is not in the catalogue)", k)
}
