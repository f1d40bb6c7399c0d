package tune

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// vec is a kernel on vectors as a search takes it.
func vec(k kernel.Kernel[kernel.Vec]) kernel.Kernel[any] { return kernel.Erase(k) }

// lifted is vec, where a kernel on vectors may be refused.
func lifted(k kernel.Kernel[kernel.Vec]) (kernel.Kernel[any], error) { return vec(k), nil }

// vectors are points of a search that are known to be vectors.
func vectors(x data.Points[any]) data.Points[kernel.Vec] {
	v, ok := data.Typed[kernel.Vec](x)
	if !ok {
		panic("not vectors")
	}
	return v
}

// searchedOn says whether a search was one of points of type T: whether the kernel it chose is one
// on them.
func searchedOn[T any](r *AutoResult) bool {
	found := resultOf(r)
	if found == nil || found.Model == nil {
		return false
	}
	_, ok := kernel.Typed[T](found.Model.Kernel)
	return ok
}
