package spec

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/learnt"
	"github.com/mercer-ml/mercer/kernel"
)

// FormatWith prints a kernel whose leaves are those of the catalogue, so that
// ParseWith gives it back.
func FormatWith[T any](c Catalogue, k kernel.Kernel[T]) (string, error) {
	return c.format(kernel.Erase(k))
}

func (c Catalogue) format(k kernel.Kernel[any]) (string, error) {
	e, err := c.expr(k)
	if err != nil {
		return "", err
	}
	return Format(e), nil
}

func (c Catalogue) exprs(ks []kernel.Kernel[any]) ([]Expr, error) {
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

func (c Catalogue) expr(k kernel.Kernel[any]) (Expr, error) {
	if fitted, ok := kernel.Concrete(k).(learnt.Written); ok {
		for _, entry := range c {
			if entry.args == nil {
				continue
			}
			if args, ok := entry.args(fitted.Form()); ok {
				return Call{Name: entry.Name, Args: args}, nil
			}
		}
	}
	k = kernel.Opened(k)
	for _, entry := range Algebra() {
		if e, ok, err := entry.print(c, k); ok || err != nil {
			return e, err
		}
	}
	for _, entry := range c {
		if entry.print != nil {
			if e, ok, err := entry.print(c, k); ok || err != nil {
				return e, err
			}
		} else if args, ok := entry.args(kernel.Concrete(k)); ok {
			return Call{Name: entry.Name, Args: args}, nil
		}
	}
	return nil, fmt.Errorf("spec: a kernel of type %T has no text (it holds a Go function, or is not in the catalogue)",
		kernel.Concrete(k))
}
