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

// FuzzyCross is the cross product kernel on fuzzy sets: all pairs of elements of two sets, by what
// they are and by their degrees of membership,
//
//	k(X, Y) = Σ_{x: X(x)>0} Σ_{y: Y(y)>0} k₁(x, y)·k₂(X(x), Y(y)),
//
// k₁ = Elements, k₂ = Degrees, a kernel on vectors of one coordinate, the product X(x)Y(y) when nil
// (Guevara, Hirata & Canu, Cross product kernels for fuzzy set similarity, FUZZ-IEEE 2017). It is
// the convolution of a product of kernels. An empty set has k(∅, Y) = 0.
type FuzzyCross[T any] struct {
	Elements kernel.Kernel[T]
	Degrees  kernel.Kernel[kernel.Vec]
}

// Name is "fuzzycross".
func (FuzzyCross[T]) Name() string { return "fuzzycross" }

// pairs is k₁·k₂ on members.
type pairs[T any] struct{ k FuzzyCross[T] }

func (p pairs[T]) Eval(x, y Member[T]) float64 {
	return p.k.Elements.Eval(x.Element, y.Element) * p.k.Degrees.Eval(kernel.Vec{x.Degree}, kernel.Vec{y.Degree})
}

// Eval returns Σ Σ k₁·k₂.
func (k FuzzyCross[T]) Eval(x, y []Member[T]) float64 {
	if k.Degrees == nil {
		return instances.Sum(k.Elements, nil, weightedSupport(x), weightedSupport(y))
	}
	return instances.Sum(kernel.Kernel[Member[T]](pairs[T]{k}), nil, plainSupport(x), plainSupport(y))
}

// PreparePoints makes one Gram matrix of all elements.
func (k FuzzyCross[T]) PreparePoints(ctx context.Context, x, y data.Points[[]Member[T]]) kernel.Rectangle {
	if k.Degrees == nil {
		return instances.Prepare(ctx, k.Elements, nil, x, y, weightedSupport[T])
	}
	return instances.Prepare(ctx, kernel.Kernel[Member[T]](pairs[T]{k}), nil, x, y, plainSupport[T])
}

// weightedSupport is the elements of degree > 0, with it as their weight.
func weightedSupport[T any](x []Member[T]) instances.Bag[T] {
	b := instances.Bag[T]{Weights: []float64{}}
	for _, m := range x {
		if m.Degree > 0 {
			b.Items = append(b.Items, m.Element)
			b.Weights = append(b.Weights, m.Degree)
		}
	}
	return b
}

func plainSupport[T any](x []Member[T]) instances.Bag[Member[T]] {
	var b instances.Bag[Member[T]]
	for _, m := range x {
		if m.Degree > 0 {
			b.Items = append(b.Items, m)
		}
	}
	return b
}

// Params are those of k₁, then those of k₂.
func (k FuzzyCross[T]) Params() []kernel.Param {
	var out []kernel.Param
	for _, p := range kernel.Params(k.Elements) {
		p.Name = "elements." + p.Name
		out = append(out, p)
	}
	if k.Degrees != nil {
		for _, p := range kernel.Params(k.Degrees) {
			p.Name = "degrees." + p.Name
			out = append(out, p)
		}
	}
	return out
}

// With sets the parameters of k₁ and k₂.
func (k FuzzyCross[T]) With(theta []float64) kernel.Kernel[[]Member[T]] {
	if t, ok := k.Elements.(kernel.Tunable[T]); ok {
		n := len(t.Params())
		k.Elements, theta = t.With(theta[:n]), theta[n:]
	}
	if t, ok := k.Degrees.(kernel.Tunable[kernel.Vec]); ok {
		k.Degrees = t.With(theta)
	}
	return k
}

// Validate asks k₁ and k₂.
func (k FuzzyCross[T]) Validate() error {
	if k.Elements == nil {
		return fmt.Errorf("kernel: fuzzycross: no kernel on elements")
	}
	if k.Degrees != nil {
		if err := kernel.Validate(k.Degrees); err != nil {
			return err
		}
	}
	return kernel.Validate(k.Elements)
}

// CheckPoints refuses degrees outside [0, 1], and asks k₁ about the elements.
func (k FuzzyCross[T]) CheckPoints(x data.Points[[]Member[T]]) error {
	if err := checkDegrees("fuzzycross", x); err != nil {
		return err
	}
	elements := make(data.Slice[[]T], x.Len())
	for i := range elements {
		for _, m := range x.At(i) {
			elements[i] = append(elements[i], m.Element)
		}
	}
	return checkMembers("fuzzycross", k.Elements, data.Points[[]T](elements))
}

// Properties follow from k₁ and k₂.
func (k FuzzyCross[T]) Properties() kernel.Properties {
	p := field.Discrete(math.Inf(1))
	if kernel.PropertiesOf(k.Elements).PSD != kernel.Yes || k.Degrees != nil &&
		kernel.PropertiesOf(k.Degrees).PSD != kernel.Yes {
		p.PSD = kernel.Unknown
	}
	return p
}
