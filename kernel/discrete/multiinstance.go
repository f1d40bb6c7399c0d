package discrete

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/internal/field"
	"github.com/mercer-ml/mercer/kernel/internal/instances"
)

// MultiInstance compares bags of instances by all pairs of their members,
//
//	k(X, Y) = Σ_{x ∈ X} Σ_{y ∈ Y} κ(x, y)ᵖ,
//
// κ = Kernel, p = Power (1 when zero), a whole number. With p = 1 it is the set (convolution)
// kernel of κ; a large p makes it separate what κ separates when one positive instance makes a bag
// positive (Gärtner, Flach, Kowalczyk & Smola, Multi-instance kernels, ICML 2002). An empty bag has
// k(∅, Y) = 0.
type MultiInstance[T any] struct {
	Kernel kernel.Kernel[T]
	Power  int
}

// Name is "multiinstance".
func (MultiInstance[T]) Name() string { return "multiinstance" }

func (k MultiInstance[T]) power() int { return max(k.Power, 1) }

// raise is the power, nil for the first.
func (k MultiInstance[T]) raise() func(float64) float64 {
	switch p := k.power(); p {
	case 1:
		return nil
	default:
		return func(v float64) float64 { return math.Pow(v, float64(p)) }
	}
}

// Eval returns Σ Σ κ(x, y)ᵖ.
func (k MultiInstance[T]) Eval(x, y []T) float64 {
	return instances.Sum(k.Kernel, k.raise(), instances.Bag[T]{Items: x}, instances.Bag[T]{Items: y})
}

// PreparePoints makes one Gram matrix of all instances.
func (k MultiInstance[T]) PreparePoints(ctx context.Context, x, y data.Points[[]T]) kernel.Rectangle {
	return instances.Prepare(ctx, k.Kernel, k.raise(), x, y,
		func(b []T) instances.Bag[T] { return instances.Bag[T]{Items: b} })
}

// Params is p, then the parameters of κ.
func (k MultiInstance[T]) Params() []kernel.Param {
	return append([]kernel.Param{field.Count("multiinstance.power", k.power(), 1)}, kernel.Params(k.Kernel)...)
}

// With sets p and the parameters of κ.
func (k MultiInstance[T]) With(theta []float64) kernel.Kernel[[]T] {
	out := MultiInstance[T]{k.Kernel, int(theta[0])}
	if t, ok := k.Kernel.(kernel.Tunable[T]); ok {
		out.Kernel = t.With(theta[1:])
	}
	return out
}

// Validate refuses p < 0 and no κ, and asks κ.
func (k MultiInstance[T]) Validate() error {
	if k.Power < 0 {
		return fmt.Errorf("kernel: multiinstance: power = %d, want a whole number ≥ 1", k.Power)
	}
	if k.Kernel == nil {
		return fmt.Errorf("kernel: multiinstance: no kernel on instances")
	}
	return kernel.Validate(k.Kernel)
}

// CheckPoints asks κ about all instances; the error names the bag, and the instance in it.
func (k MultiInstance[T]) CheckPoints(x data.Points[[]T]) error {
	return checkMembers("multiinstance", k.Kernel, x)
}

// Properties follow from κ: sums and powers of kernels are kernels.
func (k MultiInstance[T]) Properties() kernel.Properties {
	p := field.Discrete(math.Inf(1))
	if kernel.PropertiesOf(k.Kernel).PSD != kernel.Yes {
		p.PSD = kernel.Unknown
	}
	return p
}

// checkMembers asks k about the members of each bag, and that vectors have one length in all bags.
func checkMembers[T any](name string, k kernel.Kernel[T], x data.Points[[]T]) error {
	dim := -1
	for i := range x.Len() {
		bag := data.Slice[T](x.At(i))
		if v, ok := any(bag).(data.Slice[kernel.Vec]); ok && len(v) > 0 {
			if dim < 0 {
				dim = len(v[0])
			}
			if len(v[0]) != dim {
				return fmt.Errorf("kernel: %s: bag %d has instances of %d coordinates, those before have %d", name, i, len(v[0]),
					dim)
			}
		}
		if err := kernel.Check(k, data.Points[T](bag)); err != nil {
			return fmt.Errorf("kernel: %s: bag %d: %w", name, i, err)
		}
	}
	return nil
}

func badWeight(name string, row, position int, what string, v float64) error {
	return fmt.Errorf("kernel: %s: row %d, position %d: %s is %g, want a finite number ≥ 0", name, row, position, what, v)
}
