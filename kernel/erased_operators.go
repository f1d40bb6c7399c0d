package kernel

import (
	"fmt"
	"reflect"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
)

// The operators whose types others walk by, on erased parts. They are made by functions without a type parameter, so that a package
// that uses an operator on points of some type does not compile the one on erased points again.

func (k SumOf[T]) forgetful() Kernel[any]      { return sumOfErased(eraseAll(k.Terms)) }
func (k ProductOf[T]) forgetful() Kernel[any]  { return productOfErased(eraseAll(k.Factors)) }
func (k ScaleOf[T]) forgetful() Kernel[any]    { return scaleOfErased(k.Factor, Erase(k.Kernel)) }
func (k PowerOf[T]) forgetful() Kernel[any]    { return powerOfErased(Erase(k.Kernel), k.Exponent) }
func (k ConstantOf[T]) forgetful() Kernel[any] { return constantErased(k.C) }

//go:noinline
func sumOfErased(terms []Kernel[any]) Kernel[any] { return SumOf[any]{terms} }

//go:noinline
func productOfErased(factors []Kernel[any]) Kernel[any] { return ProductOf[any]{factors} }

//go:noinline
func scaleOfErased(factor float64, k Kernel[any]) Kernel[any] { return ScaleOf[any]{factor, k} }

//go:noinline
func powerOfErased(k Kernel[any], exponent int) Kernel[any] { return PowerOf[any]{k, exponent} }

//go:noinline
func constantErased(c float64) Kernel[any] { return ConstantOf[any]{c} }

// notOfType is the error of points that are not of the type of an erased kernel.
func notOfType[T any](x data.Points[any]) error {
	return wrongType(reflect.TypeFor[T](), data.Concrete(x))
}

//go:noinline
func wrongType(want reflect.Type, points any) error {
	return fault.Errorf("kernel", "the kernel is on points of type %v, these are %T", want, points)
}

// typeMismatch is what a programmer did who gave an erased kernel other points than its own.
func typeMismatch[T any]() string {
	return fmt.Sprintf("kernel: an erased kernel on points of type %v met others", reflect.TypeFor[T]())
}
