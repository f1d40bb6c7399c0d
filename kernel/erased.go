package kernel

import (
	"context"

	"github.com/mercer-ml/mercer/data"
)

// A learner sees rows of K, never a point; so the type of points ends at the kernel. An erased kernel holds the kernel as it
// was given, and takes erased points. Its tiles are those of the kernel on the points as they were: the
// door is passed once for a matrix, never for a pair, and no fast path is lost.

// erased is a kernel that has forgotten the type of its points.
type erased[T any] struct{ kernel Kernel[T] }

// Erase forgets the type of the points of k. What it was is found again by Typed and Concrete.
func Erase[T any](k Kernel[T]) Kernel[any] {
	if k == nil {
		return nil
	}
	if same, ok := k.(Kernel[any]); ok {
		return same
	}
	return erased[T]{k}
}

// Typed is an erased kernel with the type of its points, and whether it was of that type.
func Typed[T any](k Kernel[any]) (Kernel[T], bool) {
	if e, ok := k.(erased[T]); ok {
		return e.kernel, true
	}
	same, ok := k.(Kernel[T])
	return same, ok
}

// Concrete is what stands behind a kernel: the one that was erased, or the kernel itself. Who looks for a kernel of a certain
// kind looks at this.
func Concrete[T any](k Kernel[T]) any {
	if e, ok := k.(interface{ concrete() any }); ok {
		return e.concrete()
	}
	return k
}

// Opened is an erased sum, product, multiple, power or constant as one of erased kernels, and any other kernel as it is: for
// who walks the algebra by the types of its operators.
func Opened[T any](k Kernel[T]) Kernel[T] {
	if e, ok := k.(interface{ opened() Kernel[any] }); ok {
		return any(e.opened()).(Kernel[T])
	}
	return k
}

// ChecksPoints says whether a kernel is undefined for some points of its type, or some pairs.
func ChecksPoints[T any](k Kernel[T]) bool {
	if e, ok := k.(interface{ checksPoints() bool }); ok {
		return e.checksPoints()
	}
	_, points := k.(PointChecker[T])
	_, pairs := k.(PairChecker[T])
	return points || pairs
}

func (e erased[T]) concrete() any { return e.kernel }

// checker is an erased kernel, which looks at points as what they are.
type checker[T any] interface {
	check(x data.Points[T]) error
	checkPair(x, y data.Points[T]) error
	checkNext(x, y data.Points[T]) error
}

// openable is an operator that can be written with erased parts.
type openable interface{ forgetful() Kernel[any] }

func (e erased[T]) opened() Kernel[any] {
	if o, ok := e.kernel.(openable); ok {
		return o.forgetful()
	}
	return e
}

func (e erased[T]) checksPoints() bool { return ChecksPoints(e.kernel) }

// Eval is k(x, y) of points that are of the forgotten type.
func (e erased[T]) Eval(x, y any) float64 { return e.kernel.Eval(x.(T), y.(T)) }

// Params are those of the kernel.
func (e erased[T]) Params() []Param { return Params(e.kernel) }

// With sets those of the kernel.
func (e erased[T]) With(theta []float64) Kernel[any] { return erased[T]{withOne(e.kernel, theta)} }

// Validate asks the kernel.
func (e erased[T]) Validate() error { return validate(e.kernel) }

// Properties are those of the kernel.
func (e erased[T]) Properties() Properties { return PropertiesOf(e.kernel) }

// CheckPoints asks the kernel; points of another type are none of its points.
func (e erased[T]) CheckPoints(x data.Points[any]) error {
	typed, ok := data.Typed[T](x)
	if !ok {
		return notOfType[T](x)
	}
	return checkPoints(e.kernel, typed)
}

// check, checkPair and checkNext are Check, CheckPair and CheckNext of the kernel.
func (e erased[T]) check(x data.Points[any]) error {
	typed, ok := data.Typed[T](x)
	if !ok {
		return notOfType[T](x)
	}
	return Check(e.kernel, typed)
}

func (e erased[T]) checkPair(x, y data.Points[any]) error { return e.checkBoth(CheckPair[T], x, y) }
func (e erased[T]) checkNext(x, y data.Points[any]) error { return e.checkBoth(CheckNext[T], x, y) }

func (e erased[T]) checkBoth(check func(k Kernel[T], x, y data.Points[T]) error, x, y data.Points[any]) error {
	left, ok := data.Typed[T](x)
	if !ok {
		return notOfType[T](x)
	}
	right, ok := data.Typed[T](y)
	if !ok {
		return notOfType[T](y)
	}
	return check(e.kernel, left, right)
}

func (e erased[T]) times(c float64) Kernel[any] { return erased[T]{ScaleOf[T]{c, e.kernel}} }

func (e erased[T]) interpolates() bool { return Interpolates(e.kernel) }

func (e erased[T]) parts() []Kernel[any] { return eraseAll(Parts(e.kernel)) }

func (e erased[T]) of(parts []Kernel[any]) Kernel[any] {
	o, ok := any(e.kernel).(operator[T])
	if !ok {
		return e
	}
	typed := make([]Kernel[T], len(parts))
	for i, p := range parts {
		if typed[i], ok = Typed[T](p); !ok {
			return e.reopened(parts)
		}
	}
	return Erase(o.of(typed))
}

// reopened is the operator on parts that are no longer of the forgotten type.
func (e erased[T]) reopened(parts []Kernel[any]) Kernel[any] {
	if o, ok := e.opened().(operator[any]); ok && len(o.parts()) == len(parts) {
		if _, still := o.(erased[T]); !still {
			return o.of(parts)
		}
	}
	panic(typeMismatch[T]())
}

func (e erased[T]) pointwise() bool {
	o, ok := any(e.kernel).(operator[T])
	return ok && o.pointwise()
}

func (e erased[T]) lower(b *builder, p pair[any]) node { return lower(b, e.kernel, typedPair[T](p)) }

func (e erased[T]) lowerGrad(b *builder, p pair[any]) gradNode {
	return lowerGrad(b, e.kernel, typedPair[T](p))
}

func (e erased[T]) pairGrad(x, y any, dtheta []float64) float64 {
	return pairGrad(e.kernel, x.(T), y.(T), dtheta)
}

func (e erased[T]) inputGrad(dst Vec, scale float64, x, y any) error {
	return addInputGrad(e.kernel, dst, scale, x.(T), y.(T))
}

func (e erased[T]) spectral(parts []Spectral) Spectral {
	if o, ok := any(e.kernel).(operator[T]); ok {
		return o.spectral(parts)
	}
	return nil
}

func (e erased[T]) sparse(parts []Kernel[data.SparseVec], dim int) Kernel[data.SparseVec] {
	if o, ok := any(e.kernel).(operator[T]); ok {
		return o.sparse(parts, dim)
	}
	return nil
}

// diag sets dst to k(x, x) of points of the forgotten type, and says whether they are such points.
func (e erased[T]) diag(ctx context.Context, dst []float64, x data.Points[any]) bool {
	typed, ok := data.Typed[T](x)
	if ok {
		diagonal(ctx, e.kernel, dst, typed)
	}
	return ok
}

// typedPair is points on their way down the tree of a kernel with a type.
func typedPair[T any](p pair[any]) pair[T] {
	x, ok := data.Typed[T](p.x)
	y, also := data.Typed[T](p.y)
	if !ok || !also {
		panic(typeMismatch[T]())
	}
	return pair[T]{x: x, y: y, same: p.same, key: p.key, theta: p.theta, links: p.links, points: p.points}
}

func eraseAll[T any](ks []Kernel[T]) []Kernel[any] {
	if ks == nil {
		return nil
	}
	out := make([]Kernel[any], len(ks))
	for i, k := range ks {
		out[i] = Erase(k)
	}
	return out
}
