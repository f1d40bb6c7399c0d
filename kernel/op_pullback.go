package kernel

import (
	"github.com/mercer-ml/mercer/data"
)

// PullbackOf is k(φ(x), φ(y)); Pullback makes one.
type PullbackOf[T, U any] struct {
	Kernel Kernel[U]
	Map    func(x T) U
	Name   string // of the map, where it has one: a column of a table
	// Injective says that the map is continuous and takes different objects to different points, so that properties of the
	// kernel are passed on.
	Injective bool
}

// Pullback is k(φ(x), φ(y)) for a map φ from objects of type T to points of k.
// In a Gram matrix each object is mapped once.
func Pullback[T, U any](k Kernel[U], phi func(x T) U) Kernel[T] {
	return PullbackOf[T, U]{Kernel: k, Map: phi}
}

// PullbackInjective is Pullback for a map that is continuous and takes different objects to different points. It has the properties of
// k that do not depend on where points lie.
func PullbackInjective[T, U any](k Kernel[U], phi func(x T) U) Kernel[T] {
	return PullbackOf[T, U]{Kernel: k, Map: phi, Injective: true}
}

// Eval returns k(φ(x), φ(y)).
func (k PullbackOf[T, U]) Eval(x, y T) float64 { return k.Kernel.Eval(k.Map(x), k.Map(y)) }

// Params are those of the kernel.
func (k PullbackOf[T, U]) Params() []Param { return Params(k.Kernel) }

// With sets the parameters of the kernel.
func (k PullbackOf[T, U]) With(theta []float64) Kernel[T] {
	return PullbackOf[T, U]{withOne(k.Kernel, theta), k.Map, k.Name, k.Injective}
}

// Validate asks the kernel.
func (k PullbackOf[T, U]) Validate() error { return validate(k.Kernel) }

// CheckPoints asks the kernel about the mapped points.
func (k PullbackOf[T, U]) CheckPoints(x data.Points[T]) error {
	return checkPoints(k.Kernel, mapPoints(k.Map, x))
}

// Properties of a pull-back: a kernel with the same bound; the rest depends on the map. One that is injective keeps distinct points
// distinct, hence strictness; with continuity a compact set is mapped to one like it, hence universality (Christmann and
// Steinwart 2010, theorem 2.2); and different measures have different images, hence characteristic kernels. What k is not, it may be
// on the part of the space that is reached.
func (k PullbackOf[T, U]) Properties() Properties {
	in := PropertiesOf(k.Kernel)
	out := nothingKnown()
	out.PSD, out.Bound = yesOrUnknown(in.PSD), in.Bound
	if k.Injective {
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

func (k PullbackOf[T, U]) pairGrad(x, y T, dtheta []float64) float64 {
	return pairGrad(k.Kernel, k.Map(x), k.Map(y), dtheta)
}

func (PullbackOf[T, U]) parts() []Kernel[T]                   { return nil }
func (k PullbackOf[T, U]) of([]Kernel[T]) Kernel[T]           { return k }
func (PullbackOf[T, U]) pointwise() bool                      { return false }
func (PullbackOf[T, U]) spectral([]Spectral) Spectral         { return nil }
func (k PullbackOf[T, U]) inputGrad(Vec, float64, T, T) error { return noInputGrad[T](k) }
func (k PullbackOf[T, U]) lower(b *builder, p pair[T]) node {
	return lower(b, k.Kernel, k.mapped(b, p))
}
func (k PullbackOf[T, U]) lowerGrad(b *builder, p pair[T]) gradNode {
	return lowerGrad(b, k.Kernel, k.mapped(b, p))
}

// mapped is φ of all points.
func (k PullbackOf[T, U]) mapped(b *builder, p pair[T]) pair[U] {
	out := pair[U]{same: p.same, key: b.opaqueKey(p.key), theta: p.theta}
	if b.row.wanted {
		at := &point[U]{k.Map(p.x.At(0))}
		b.repeat(func() { at.x = k.Map(p.x.At(0)) })
		out.x = at
	} else {
		out.x = mapPoints(k.Map, p.x)
	}
	out.y = out.x
	if !p.same {
		out.y = ofColumns(b, "map"+out.key, func() data.Points[U] { return mapPoints(k.Map, p.y) })
	}
	return out
}

// sparse expands a row for the map, which wants all of it; the kernel does not.
func (k PullbackOf[T, U]) sparse(_ []Kernel[data.SparseVec], dim int) Kernel[data.SparseVec] {
	return PullbackOf[data.SparseVec, U]{k.Kernel, afterExpanding(dim, any(k.Map).(func(Vec) U)), k.Name, k.Injective}
}
