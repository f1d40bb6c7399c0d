package rkhs

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Erase is f as a function of points that have forgotten their type. It shares the coefficients of
// f, and its centres as they were prepared.
func Erase[T any](f *Func[T]) *Func[any] { return f.open() }

// EraseVectors is Erase of a function of vectors.
//
//go:noinline
func EraseVectors(f *Func[kernel.Vec]) *Func[any] { return Erase(f) }

// OnVectors is f as a function of vectors, and whether it is one before it was erased. It shares
// the coefficients of f.
//
//go:noinline
func OnVectors(f *Func[any]) (*Func[kernel.Vec], bool) {
	if f == nil {
		return nil, false
	}
	k, ok := kernel.Concrete(f.Kernel).(kernel.Kernel[kernel.Vec])
	centers, also := data.VectorsOf(f.Centers)
	if !ok || !also {
		return nil, false
	}
	g := &Func[kernel.Vec]{Kernel: k, Centers: centers, Coef: f.Coef, Bias: f.Bias, device: f.device}
	if f.base != nil {
		g.Prepare()
	}
	return g, true
}

// Typed gives the points of an erased function their type back, as the kernel k has it. It shares
// the coefficients of f.
func Typed[T any](k kernel.Kernel[T], f *Func[any]) *Func[T] {
	if same, ok := any(f).(*Func[T]); ok || f == nil {
		return same
	}
	centers, ok := data.Typed[T](f.Centers)
	if !ok {
		panic("rkhs: the kernel is on points of another type than the function")
	}
	g := &Func[T]{Kernel: k, Centers: centers, Coef: f.Coef, Bias: f.Bias, device: f.device}
	if f.base != nil {
		g.Prepare()
	}
	return g
}
