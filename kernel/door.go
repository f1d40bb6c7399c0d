package kernel

import (
	"context"
	"reflect"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// door is what of an erased kernel needs the type of its points. It is compiled again for each type
// in every package that erases a kernel, so that it holds as little as can be.
type door interface {
	// bare is the kernel as it was given.
	bare() any
	eval(x, y any) float64
	// with is the door of the kernel with other parameters.
	with(theta []float64) door
	// times is c·k.
	times(c float64) Kernel[any]
	// shut is an operator of the kind of the kernel as one on its type, where its parts are on that
	// type.
	shut(o operator) (Kernel[any], bool)

	checksPoints() bool
	checkPoints(x data.Points[any]) error
	// checkPair asks a PairChecker; false where the kernel is none.
	checkPair(x, y data.Points[any]) (error, bool)

	// prepares and blocks say whether the kernel is a Preparer, and whether it is a Blocker.
	prepares() bool
	blocks() bool
	// rectangle is what a Preparer makes ready.
	rectangle(ctx context.Context, x, y side) Rectangle
	// block is what a Blocker fills.
	block(x, y data.Points[any]) func(dst linalg.Matrix[float64], i, j int)
	// row sets dst[b] = k(xᵢ, yⱼ₊ᵦ) by a call for each pair, until stopped.
	row(x, y data.Points[any]) func(dst []float64, i, j int, stopped func() bool)
	// selves is k(xᵢ, xᵢ).
	selves(x data.Points[any]) func(i int) float64
	// eachFeature is φ of a SparseMapper; nil where the kernel is none.
	eachFeature() func(x any, add func(name string, value float64))
	// evalGrad asks a PairDifferentiable; false where the kernel is none.
	evalGrad(x, y any, dtheta []float64) bool
}

// side is the points of one side of a Gram matrix, and what is remembered of them.
type side struct {
	points data.Points[any]
	memory *memory // nil: nothing
}

// doorFor is the door of a kernel; one that takes points of any type has none of its own.
func doorFor(k Kernel[any]) door {
	if e, ok := k.(erased); ok {
		return e.door
	}
	return doorOf[any]{k}
}

type doorOf[T any] struct{ kernel Kernel[T] }

func (d doorOf[T]) bare() any { return d.kernel }

func (d doorOf[T]) eval(x, y any) float64 { return d.kernel.Eval(x.(T), y.(T)) }

func (d doorOf[T]) with(theta []float64) door { return doorOf[T]{withOne(d.kernel, theta)} }

func (d doorOf[T]) times(c float64) Kernel[any] { return Erase[T](ScaleOf[T]{c, d.kernel}) }

func (d doorOf[T]) shut(o operator) (Kernel[any], bool) {
	c, ok := d.kernel.(composite[T])
	if !ok {
		return nil, false
	}
	for _, p := range o.parts() {
		if _, ok := Typed[T](p); !ok {
			return nil, false
		}
	}
	return Erase(c.shut(o)), true
}

func (d doorOf[T]) checksPoints() bool {
	_, points := d.kernel.(PointChecker[T])
	_, pairs := d.kernel.(PairChecker[T])
	return points || pairs
}

func (d doorOf[T]) checkPoints(x data.Points[any]) error {
	typed, ok := data.Typed[T](x)
	if !ok {
		return wrongType(reflect.TypeFor[T](), x)
	}
	if c, ok := d.kernel.(PointChecker[T]); ok {
		return c.CheckPoints(typed)
	}
	return nil
}

func (d doorOf[T]) checkPair(x, y data.Points[any]) (error, bool) {
	c, ok := d.kernel.(PairChecker[T])
	if !ok {
		return nil, false
	}
	left, ok := data.Typed[T](x)
	if !ok {
		return wrongType(reflect.TypeFor[T](), x), true
	}
	right, ok := data.Typed[T](y)
	if !ok {
		return wrongType(reflect.TypeFor[T](), y), true
	}
	return c.CheckPair(left, right), true
}

func (d doorOf[T]) prepares() bool {
	_, ok := d.kernel.(Preparer[T])
	return ok
}

func (d doorOf[T]) blocks() bool {
	_, ok := d.kernel.(Blocker[T])
	return ok
}

func (d doorOf[T]) rectangle(ctx context.Context, x, y side) Rectangle {
	return d.kernel.(Preparer[T]).PreparePoints(ctx, remembered[T](x), remembered[T](y))
}

func (d doorOf[T]) block(x, y data.Points[any]) func(dst linalg.Matrix[float64], i, j int) {
	k := d.kernel.(Blocker[T])
	left, right := mustPoints[T](x), mustPoints[T](y)
	return func(dst linalg.Matrix[float64], i, j int) {
		if dst.Rows > 0 && dst.Cols > 0 {
			k.Block(linalg.Dense(dst), run(left, i, dst.Rows), run(right, j, dst.Cols))
		}
	}
}

func (d doorOf[T]) row(x, y data.Points[any]) func(dst []float64, i, j int, stopped func() bool) {
	left, right := mustPoints[T](x), mustPoints[T](y)
	return func(dst []float64, i, j int, stopped func() bool) {
		xi := left.At(i)
		for b := 0; b < len(dst) && !stopped(); b++ {
			dst[b] = d.kernel.Eval(xi, right.At(j+b))
		}
	}
}

func (d doorOf[T]) selves(x data.Points[any]) func(i int) float64 {
	points := mustPoints[T](x)
	return func(i int) float64 {
		xi := points.At(i)
		return d.kernel.Eval(xi, xi)
	}
}

func (d doorOf[T]) eachFeature() func(x any, add func(name string, value float64)) {
	k, ok := d.kernel.(SparseMapper[T])
	if !ok {
		return nil
	}
	if sometimes, ok := d.kernel.(interface{ HasFeatures() bool }); ok && !sometimes.HasFeatures() {
		return nil
	}
	return func(x any, add func(name string, value float64)) { k.EachFeature(x.(T), add) }
}

func (d doorOf[T]) evalGrad(x, y any, dtheta []float64) bool {
	g, ok := d.kernel.(PairDifferentiable[T])
	if ok {
		g.EvalGrad(x.(T), y.(T), dtheta)
	}
	return ok
}

// mustPoints is erased points whose type the caller knows.
func mustPoints[T any](x data.Points[any]) data.Points[T] {
	typed, ok := data.Typed[T](x)
	if !ok {
		panic(typeMismatch(reflect.TypeFor[T]()))
	}
	return typed
}
