package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
)

// Activation is what a unit of a network does with its weighted inputs.
type Activation int

// The activations, whose units are z ↦ 1(z > 0), max(0, z), max(0, z)² and erf z.
const (
	StepUnit Activation = iota
	RampUnit
	SquareUnit
	ErfUnit
)

// noUnit is no activation: that of an order there is none of.
const noUnit Activation = -1

// deepest is the most layers: deeper ones are constant to the last bit, or leave the range of
// numbers.
const deepest = 1000

// NetworkOf is the covariance of networks of infinite width; ArcCosine and ArcSine make one.
type NetworkOf[T any] struct {
	Kernel     Kernel[T] // the covariance of what the first units see
	Activation Activation
	Depth      int // layers of units; 1 when zero
}

// ArcCosine is the arc-cosine kernel of order 0, 1 or 2, of any depth, on the features of k (Cho and
// Saul, Kernel methods for deep learning, 2009): the covariance of the outputs of a network of
// infinitely many units max(0, ⟨w, x⟩)ⁿ with normal weights. A layer makes of k
//
//	(1/π)·(k(x, x)·k(y, y))^{n/2}·Jₙ(θ),   cos θ = k(x, y)/√(k(x, x)·k(y, y)),
//	J₀ = π - θ,  J₁ = sin θ + (π-θ)·cos θ,  J₂ = 3·sin θ·cos θ + (π-θ)·(1 + 2cos²θ),
//
// and the next layer does the same to that. Of the linear kernel it is Cho and Saul's; with biases
// of variance b it is that of linear + b. At a point with k(x, x) = 0, which all units see as 0, a
// step is ½ (order 0) and the others are 0.
func ArcCosine[T any](k Kernel[T], order, depth int) Kernel[T] {
	if order < 0 || order > int(SquareUnit) {
		return NetworkOf[T]{k, noUnit, depth} // which Validate refuses
	}
	return NetworkOf[T]{k, Activation(order), depth}
}

// ArcSine is the arcsine or neural-network kernel (Williams, Computing with infinite networks,
// 1998): the covariance of the outputs of a network of infinitely many units erf⟨w, x⟩ with normal
// weights. A layer makes of k
//
//	(2/π)·arcsin( 2k(x, y)/√((1 + 2k(x, x))·(1 + 2k(y, y))) ).
//
// Williams's x̃ᵀΣỹ with x̃ = (1, x) is the kernel k = linear + 1 for Σ = I.
func ArcSine[T any](k Kernel[T], depth int) Kernel[T] { return NetworkOf[T]{k, ErfUnit, depth} }

// Eval returns the covariance of the last layer.
func (k NetworkOf[T]) Eval(x, y T) float64 {
	l := newLayers(k.Activation, k.Depth)
	v, sx, sy := k.Kernel.Eval(x, y), k.Kernel.Eval(x, x), k.Kernel.Eval(y, y)
	for range l.depth {
		v, sx, sy = l.of(v, sx, sy), l.self(sx), l.self(sy)
	}
	return v
}

// network is a NetworkOf of kernels on erased points, by which everything but its values is known.
type network NetworkOf[any]

func (k NetworkOf[T]) open() operator { return network{Erase(k.Kernel), k.Activation, k.Depth} }

func (NetworkOf[T]) shut(o operator) Kernel[T] {
	own := o.(network)
	return NetworkOf[T]{mustTyped[T](own.Kernel), own.Activation, own.Depth}
}

func (k network) whole() Kernel[any] { return NetworkOf[any](k) }

// Params, With, Validate, CheckPoints and Properties are those of the operator.
func (k NetworkOf[T]) Params() []Param { return k.open().params() }

// With sets the values in the order of Params.
func (k NetworkOf[T]) With(theta []float64) Kernel[T] { return k.shut(k.open().with(theta)) }

// Validate says whether the parameters make sense.
func (k NetworkOf[T]) Validate() error { return k.open().validate() }

// CheckPoints says whether the kernel is defined on x.
func (k NetworkOf[T]) CheckPoints(x data.Points[T]) error {
	return k.open().(network).checkPoints(data.Erase(x))
}

// Properties are derived from those of the parts.
func (k NetworkOf[T]) Properties() Properties { return k.open().properties() }

// Name is "arcsine" or "arccosine".
func (k NetworkOf[T]) Name() string { return network{Activation: k.Activation}.name() }

func (k network) name() string {
	if k.Activation == ErfUnit {
		return "arcsine"
	}
	return "arccosine"
}

// params are those of the kernel.
func (k network) params() []Param { return Params(k.Kernel) }

// with sets the parameters of the kernel.
func (k network) with(theta []float64) operator {
	k.Kernel = withOne(k.Kernel, theta)
	return k
}

// validate asks the kernel too.
func (k network) validate() error {
	switch {
	case k.Activation < StepUnit || k.Activation > ErfUnit:
		return fault.Errorf("kernel", "arccosine: no such units; give order 0, 1 or 2")
	case k.Depth < 0 || k.Depth > deepest:
		return fault.Errorf("kernel", "%s: depth = %d, want 1 to %d", k.name(), k.Depth, deepest)
	}
	return validate(k.Kernel)
}

// checkPoints refuses points with k(x, x) < 0, which no kernel has, and those whose values leave
// the range of numbers in the last layer.
func (k network) checkPoints(x data.Points[any]) error {
	if err := checkPoints(k.Kernel, x); err != nil {
		return err
	}
	l := k.layers()
	for i := range x.Len() {
		p := x.At(i)
		s := k.Kernel.Eval(p, p)
		if !(s >= 0) {
			return fault.Errorf("kernel", "%s: row %d has k(x, x) = %g, want a number ≥ 0", k.name(), i, s)
		}
		for range l.depth {
			s = l.self(s)
		}
		if math.IsInf(s, 0) || math.IsNaN(s) {
			return fault.Errorf("kernel", "%s: row %d is too large for %d layers of order %d; scale it, or take fewer", k.name(),
				i, l.depth, int(k.Activation))
		}
	}
	return nil
}

// properties: every layer is a kernel of a kernel, as the covariance of its units. A stationary k
// has k(x, x) = c, and the layer is a function of k alone. Arcsine is analytic where k is, since 1 +
// 2k(x, x) > 0 and the arcsine is taken inside (-1, 1). The others have a kink θ^{2n+1} at θ = 0,
// and order 0 jumps where k(x, x) = 0.
func (k network) properties() Properties {
	in, l := PropertiesOf(k.Kernel), k.layers()
	out := nothingKnown()
	out.PSD = yesOrUnknown(in.PSD)
	out.Strict = Unknown
	if in.Stationary == Yes {
		out.Stationary, out.Isotropic = Yes, in.Isotropic
	}
	out.Bound = in.Bound
	for range l.depth {
		out.Bound = l.self(out.Bound)
	}
	kink := Unknown // at θ = 0, where k tells points apart
	if in.Strict == Yes || holdsLinear(k.Kernel) {
		kink = No
	}
	switch k.Activation {
	case ErfUnit:
		out.Continuous, out.Smoothness = yesOrUnknown(in.Continuous), in.Smoothness
		out.Analytic = yesOrUnknown(in.Analytic)
	case StepUnit:
		out.Bound = 1
		if in.Stationary == Yes && in.Bound > 0 { // no point is at 0, where the steps are
			out.Continuous, out.Smoothness = yesOrUnknown(in.Continuous), math.Min(in.Smoothness, 0)
		}
		out.Analytic = kink
	default:
		out.Continuous, out.Smoothness = yesOrUnknown(in.Continuous), math.Min(in.Smoothness, 0)
		out.Analytic = kink
	}
	return out
}

// holdsLinear says that k is the linear kernel, a multiple of it, or one plus a constant.
func holdsLinear(k Kernel[any]) bool {
	switch o, _ := operatorOf(k); o := o.(type) {
	case scale:
		return o.Factor > 0 && holdsLinear(o.Kernel)
	case sum:
		linear := 0
		for _, t := range o.Terms {
			if _, c := operatorOfKind[constant](t); !c {
				if !holdsLinear(t) {
					return false
				}
				linear++
			}
		}
		return linear > 0
	}
	_, linear := bare(k).(Linear)
	return linear
}

func (k network) layers() layers       { return newLayers(k.Activation, k.Depth) }
func (k network) parts() []Kernel[any] { return []Kernel[any]{k.Kernel} }
func (k network) of(parts []Kernel[any]) operator {
	k.Kernel = parts[0]
	return k
}
func (network) pointwise() bool              { return false }
func (network) spectral([]Spectral) Spectral { return nil }

func (k network) pairGrad(x, y any, dtheta []float64) float64 {
	dx, dy := make([]float64, len(dtheta)), make([]float64, len(dtheta))
	v := pairGrad(k.Kernel, x, y, dtheta)
	sx, sy := pairGrad(k.Kernel, x, x, dx), pairGrad(k.Kernel, y, y, dy)
	out, byV, byX, byY := k.layers().slopes(v, sx, sy)
	for p := range dtheta {
		dtheta[p] = byV*dtheta[p] + byX*dx[p] + byY*dy[p]
	}
	return out
}

// inputGrad: k(x, x) changes with x too; its derivative is twice that by the first argument.
func (k network) inputGrad(dst Vec, scale float64, x, y any) error {
	_, byV, byX, _ := k.layers().slopes(k.Kernel.Eval(x, y), k.Kernel.Eval(x, x), k.Kernel.Eval(y, y))
	if err := addInputGrad(k.Kernel, dst, scale*byV, x, y); err != nil {
		return err
	}
	return addInputGrad(k.Kernel, dst, 2*scale*byX, x, x)
}

func (k network) sparse(parts []Kernel[data.SparseVec], _ int) Kernel[data.SparseVec] {
	return NetworkOf[data.SparseVec]{parts[0], k.Activation, k.Depth}
}
