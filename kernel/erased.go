package kernel

import (
	"fmt"
	"reflect"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
)

// A learner sees rows of K, never a point; so the type of points ends at the kernel. An erased
// kernel holds the kernel as it was given, and takes erased points. Its tiles are those of the
// kernel on the points as they were: the door is passed once for a matrix, never for a pair, and no
// fast path is lost.

// erased is a kernel that has forgotten the type of its points. What needs the type is behind the
// door.
type erased struct{ door }

// Erase forgets the type of the points of k. What it was is found again by Typed and Concrete.
func Erase[T any](k Kernel[T]) Kernel[any] {
	if same, ok := k.(Kernel[any]); ok || k == nil {
		return same
	}
	return erased{doorOf[T]{k}}
}

// Typed is an erased kernel with the type of its points, and whether it was of that type.
func Typed[T any](k Kernel[any]) (Kernel[T], bool) {
	if e, ok := k.(erased); ok {
		if d, ok := e.door.(doorOf[T]); ok {
			return d.kernel, true
		}
	}
	same, ok := k.(Kernel[T])
	return same, ok
}

// Concrete is what stands behind a kernel: the one that was erased, or the kernel itself. Who looks
// for a kernel of a certain kind looks at this.
func Concrete[T any](k Kernel[T]) any { return bare(k) }

func bare(k any) any {
	if e, ok := k.(erased); ok {
		return e.bare()
	}
	return k
}

// Opened is an erased operator as one of erased kernels, and any other kernel as it is: for
// who walks the algebra by the types of its operators.
func Opened[T any](k Kernel[T]) Kernel[T] {
	if e, ok := any(k).(erased); ok {
		return any(e.opened()).(Kernel[T])
	}
	return k
}

func (e erased) opened() Kernel[any] {
	o, ok := operatorOf(e)
	if _, maps := o.(pullback); !ok || maps { // a map to another space ends the walk
		return e
	}
	return o.whole()
}

// times is c·k, of the type that k is of, for who asks what stands behind it.
func (e erased) times(c float64) Kernel[any] { return e.door.times(c) }

// ChecksPoints says whether a kernel is undefined for some points of its type, or some pairs.
func ChecksPoints[T any](k Kernel[T]) bool { return doorFor(Erase(k)).checksPoints() }

// Eval is k(x, y) of points that are of the forgotten type.
func (e erased) Eval(x, y any) float64 { return e.eval(x, y) }

// Params are those of the kernel.
func (e erased) Params() []Param {
	if t, ok := e.bare().(interface{ Params() []Param }); ok {
		return t.Params()
	}
	return nil
}

// With sets those of the kernel.
func (e erased) With(theta []float64) Kernel[any] { return erased{e.with(theta)} }

// Validate asks the kernel.
func (e erased) Validate() error { return validate(e.bare()) }

// Properties are those of the kernel.
func (e erased) Properties() Properties { return propertiesOf(e.bare()) }

// CheckPoints asks the kernel; points of another type are none of its points.
func (e erased) CheckPoints(x data.Points[any]) error { return e.checkPoints(x) }

// mustTyped is an erased kernel whose type the caller knows.
func mustTyped[T any](k Kernel[any]) Kernel[T] {
	typed, ok := Typed[T](k)
	if !ok && k != nil {
		panic(typeMismatch(reflect.TypeFor[T]()))
	}
	return typed
}

func typedAll[T any](ks []Kernel[any]) []Kernel[T] {
	if ks == nil {
		return nil
	}
	out := make([]Kernel[T], len(ks))
	for i, k := range ks {
		out[i] = mustTyped[T](k)
	}
	return out
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

// wrongType is the error of points that are not of the type of an erased kernel.
//
//go:noinline
func wrongType(want reflect.Type, x data.Points[any]) error {
	return fault.Errorf("kernel", "the kernel is on points of type %v, these are %T", want, data.Concrete(x))
}

// typeMismatch is what a programmer did who gave an erased kernel other points than its own.
//
//go:noinline
func typeMismatch(want reflect.Type) string {
	return fmt.Sprintf("kernel: an erased kernel on points of type %v met others", want)
}
