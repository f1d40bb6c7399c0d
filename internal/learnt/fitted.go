package learnt

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Written is a kernel of this package that was fitted: Form is the value of Fisher, Latent,
// Marginalized or Forest that has its numbers.
type Written interface {
	Form() any
}

// fitted is k(φ(x), φ(y)) for a map φ that a model knows.
type fitted[T, U any] struct {
	kernel.PullbackOf[T, U]
	name  string
	form  any
	check func(x data.Points[T]) error
}

// Name is that of the form.
func (k fitted[T, U]) Name() string { return k.name }

// Form is the form with the numbers of its model.
func (k fitted[T, U]) Form() any { return k.form }

// CheckPoints asks the model.
func (k fitted[T, U]) CheckPoints(x data.Points[T]) error { return k.check(x) }

// Properties of finitely many features.
func (k fitted[T, U]) Properties() kernel.Properties { return finite(kernel.Unknown) }

// finite is what is known of an inner product of features that a model has.
func finite(strict kernel.Tri) kernel.Properties {
	return kernel.Properties{PSD: kernel.Yes, Strict: strict, Continuous: kernel.Unknown, Stationary: kernel.No,
		Isotropic: kernel.No,
		Universal: kernel.No, Characteristic: kernel.No, Bound: math.Inf(1), Smoothness: math.NaN()}
}

// byFeatures is the inner product of features.
func byFeatures[T any](
	name string, form any, features func(T) kernel.Vec, check func(data.Points[T]) error,
) kernel.Kernel[T] {
	return fitted[T, kernel.Vec]{kernel.PullbackOf[T, kernel.Vec]{Kernel: kernel.Linear{}, Map: features}, name, form,
		check}
}

// notYet is the fault of a kernel that is asked for values before it was fitted.
func notYet(name string) error {
	return fmt.Errorf("kernel: %s is fitted to rows before it compares any, and was not yet (kernel.Learn)", name)
}

// pointsOf is erased points of the type that a model is of.
func pointsOf[T any](name string, e kernel.Examples) (data.Points[T], error) {
	x, ok := data.Typed[T](e.Points)
	if !ok {
		return nil, fmt.Errorf("kernel: %s: these points are %T", name, data.Concrete(e.Points))
	}
	if x.Len() == 0 {
		return nil, fmt.Errorf("kernel: %s: no rows to fit its model to", name)
	}
	return x, nil
}
