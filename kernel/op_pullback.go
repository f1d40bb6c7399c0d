package kernel

import (
	"github.com/mercer-ml/mercer/data"
)

// PullbackOf is k(φ(x), φ(y)); Pullback makes one.
type PullbackOf[T, U any] struct {
	Kernel Kernel[U]
	Map    func(x T) U
	Name   string // of the map, where it has one: a column of a table
	// Injective says that the map is continuous and takes different objects to different points, so
	// that properties of the kernel are passed on.
	Injective bool
}

// Pullback is k(φ(x), φ(y)) for a map φ from objects of type T to points of k.
// In a Gram matrix each object is mapped once.
func Pullback[T, U any](k Kernel[U], phi func(x T) U) Kernel[T] {
	return PullbackOf[T, U]{Kernel: k, Map: phi}
}

// PullbackInjective is Pullback for a map that is continuous and takes different objects to
// different points. It has the properties of k that do not depend on where points lie.
func PullbackInjective[T, U any](k Kernel[U], phi func(x T) U) Kernel[T] {
	return PullbackOf[T, U]{Kernel: k, Map: phi, Injective: true}
}

// Eval returns k(φ(x), φ(y)).
func (k PullbackOf[T, U]) Eval(x, y T) float64 { return k.Kernel.Eval(k.Map(x), k.Map(y)) }

// pullback is a PullbackOf on erased points, by which everything but its values is known.
type pullback struct {
	kernel Kernel[any]
	// image is φ of a point, images of all of a side, and next of one that others take the place
	// of: with what maps the next.
	image     func(x any) any
	images    func(x data.Points[any]) data.Points[any]
	next      func(x data.Points[any]) (data.Points[any], func())
	shown     any // the kernel as it was given
	injective bool
}

func (k PullbackOf[T, U]) open() operator {
	return pullback{
		kernel: Erase(k.Kernel),
		image:  func(x any) any { return k.Map(x.(T)) },
		images: func(x data.Points[any]) data.Points[any] { return data.Erase(mapPoints(k.Map, mustPoints[T](x))) },
		next: func(x data.Points[any]) (data.Points[any], func()) {
			from := mustPoints[T](x)
			at := &point[U]{k.Map(from.At(0))}
			return data.Erase(data.Points[U](at)), func() { at.x = k.Map(from.At(0)) }
		},
		shown: k, injective: k.Injective,
	}
}

func (k PullbackOf[T, U]) shut(o operator) Kernel[T] {
	k.Kernel = mustTyped[U](o.(pullback).kernel)
	return k
}

// Params are those of the kernel.
func (k PullbackOf[T, U]) Params() []Param { return Params(k.Kernel) }

// With sets the parameters of the kernel.
func (k PullbackOf[T, U]) With(theta []float64) Kernel[T] {
	k.Kernel = withOne(k.Kernel, theta)
	return k
}

// Validate asks the kernel.
func (k PullbackOf[T, U]) Validate() error { return validate(k.Kernel) }

// CheckPoints asks the kernel about the mapped points.
func (k PullbackOf[T, U]) CheckPoints(x data.Points[T]) error {
	return k.open().(pullback).checkPoints(data.Erase(x))
}

// Properties of a pull-back: a kernel with the same bound; the rest depends on the map. One that is
// injective keeps distinct points distinct, hence strictness; with continuity a compact set is
// mapped to one like it, hence universality (Christmann and Steinwart 2010, theorem 2.2); and
// different measures have different images, hence characteristic kernels. What k is not, it may be
// on the part of the space that is reached.
func (k PullbackOf[T, U]) Properties() Properties { return k.open().properties() }

func (k pullback) whole() Kernel[any] {
	return PullbackOf[any, any]{Kernel: k.kernel, Map: k.image, Injective: k.injective}
}

func (k pullback) params() []Param { return Params(k.kernel) }

func (k pullback) with(theta []float64) operator {
	k.kernel = withOne(k.kernel, theta)
	return k
}

func (k pullback) validate() error { return validate(k.kernel) }

func (k pullback) checkPoints(x data.Points[any]) error { return checkPoints(k.kernel, k.images(x)) }

func (k pullback) properties() Properties {
	in := PropertiesOf(k.kernel)
	out := nothingKnown()
	out.PSD, out.Bound = yesOrUnknown(in.PSD), in.Bound
	if k.injective {
		out.Strict, out.Continuous = yesOrUnknown(in.Strict), yesOrUnknown(in.Continuous)
		out.Universal, out.Characteristic = yesOrUnknown(in.Universal), yesOrUnknown(in.Characteristic)
	}
	return out
}

func yesOrUnknown(t Tri) Tri {
	if t == Yes {
		return Yes
	}
	return Unknown
}

func (k pullback) pairGrad(x, y any, dtheta []float64) float64 {
	return pairGrad(k.kernel, k.image(x), k.image(y), dtheta)
}

func (pullback) parts() []Kernel[any]                     { return nil }
func (k pullback) of([]Kernel[any]) operator              { return k }
func (pullback) pointwise() bool                          { return false }
func (pullback) spectral([]Spectral) Spectral             { return nil }
func (k pullback) inputGrad(Vec, float64, any, any) error { return noInputGrad(k.shown) }
func (k pullback) lower(b *builder, p pair[any]) node     { return lower(b, k.kernel, k.mapped(b, p)) }
func (k pullback) lowerGrad(b *builder, p pair[any]) gradNode {
	return lowerGrad(b, k.kernel, k.mapped(b, p))
}

// mapped is φ of all points.
func (k pullback) mapped(b *builder, p pair[any]) pair[any] {
	out := pair[any]{same: p.same, key: b.opaqueKey(p.key), theta: p.theta}
	if b.row.wanted {
		var next func()
		out.x, next = k.next(p.x)
		b.repeat(next)
	} else {
		out.x = k.images(p.x)
	}
	out.y = out.x
	if !p.same {
		out.y = ofColumns(b, "map"+out.key, func() data.Points[any] { return k.images(p.y) })
	}
	return out
}

// sparse expands a row for the map, which wants all of it; the kernel does not.
func (k pullback) sparse(_ []Kernel[data.SparseVec], dim int) Kernel[data.SparseVec] {
	return PullbackOf[data.SparseVec, any]{
		Kernel: k.kernel, Map: afterExpanding(dim, func(x Vec) any { return k.image(x) }), Injective: k.injective,
	}
}
