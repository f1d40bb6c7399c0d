package rkhs

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Erase is f as a function of points that have forgotten their type. It shares the coefficients of f.
func Erase[T any](f *Func[T]) *Func[any] {
	if same, ok := any(f).(*Func[any]); ok || f == nil {
		return same
	}
	g := &Func[any]{Kernel: kernel.Erase(f.Kernel), Centers: data.Erase(f.Centers), Coef: f.Coef, Bias: f.Bias, device: f.device}
	if f.base != nil {
		g.Prepare()
	}
	return g
}

// Of is f as a function of points of type U, and whether it is one: of its own type, or of what was erased. It shares the
// coefficients of f.
func Of[U, T any](f *Func[T]) (*Func[U], bool) {
	if same, ok := any(f).(*Func[U]); ok {
		return same, true
	}
	e, ok := any(f).(*Func[any])
	if !ok || f == nil {
		return nil, false
	}
	k, ok := kernel.Typed[U](e.Kernel)
	centers, also := data.Typed[U](e.Centers)
	if !ok || !also {
		return nil, false
	}
	g := &Func[U]{Kernel: k, Centers: centers, Coef: e.Coef, Bias: e.Bias, device: e.device}
	if e.base != nil {
		g.Prepare()
	}
	return g, true
}
