// Package kernel holds positive definite kernels and the algebra that builds
// kernels from kernels.
//
// Names to know: [Kernel] is the interface and [Vec] a point of Rᵈ. [Gaussian], [Matern] and
// [Linear] are where most begin; [Sum], [Product], [Scale] and [Pullback] make new kernels of old
// ones. [PropertiesOf] says what is known of one.
//
// A kernel on a set X is a symmetric function k: X×X → R all of whose Gram
// matrices K = [k(xᵢ, xⱼ)] are positive semi-definite; equivalently (Aronszajn
// 1950) k(x, y) = ⟨φ(x), φ(y)⟩ in some Hilbert space.
//
// A kernel is a value with one method, Eval. Everything else a kernel may have
// is an optional interface: a name, parameters, properties, a profile that lets
// whole Gram blocks go through one matrix product, derivatives, a spectral
// measure. Kernels built by Sum, Product, Scale, Pullback … carry all of these
// through, so that
//
//	Sum(Scale(0.5, Gaussian{Lengthscale: 2}), Product(Linear{}, Periodic{Period: 1}))
//
// is evaluated by one matrix product for each distinct metric and elementwise
// work in cache, never by a call for each pair.
package kernel

import (
	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// Vec is a point in Rᵈ.
type Vec = []float64

// Kernel is a value with one method. Eval is pure, symmetric and safe for
// concurrent use. The double loop over Eval is the meaning of every Gram
// matrix; everything else is a way to get there faster.
type Kernel[T any] interface {
	Eval(x, y T) float64
}

// Blocker is an optional fast path for a rectangle of kernel values:
// dst[i, j] = Eval(x.At(i), y.At(j)). It runs in the calling goroutine and is
// called concurrently on different rectangles.
type Blocker[T any] interface {
	Block(dst *mat.Dense, x, y data.Points[T])
}

// Profiled is an optional fast path for kernels on vectors that are a scalar
// function κ of one metric: k(x, y) = κ(metric(x, y)).
type Profiled interface {
	Kernel[Vec]
	Metric() Metric
	// Profile replaces each metric value in m by κ of it.
	Profile(m []float64)
}

// Profiled32 is a Profiled kernel with a single-precision profile of its own;
// without it, single-precision tiles convert to double and back.
type Profiled32 interface {
	Profiled
	Profile32(m []float32)
}

// Differentiable is a Profiled kernel that knows the derivatives of its
// profile. Gradients of Gram blocks and of functions follow from it through
// the whole algebra.
type Differentiable interface {
	Profiled
	// ProfileGrad sets dm[i] = κ'(m[i]) and dtheta[p][i] = ∂κ(m[i])/∂θₚ, with
	// θ in the order of Params. Where κ has a kink the derivative is 0.
	ProfileGrad(dm []float64, dtheta [][]float64, m []float64)
}

// PairDifferentiable is an optional interface of kernels that are no function
// of a metric: the derivatives of one value by the parameters.
type PairDifferentiable[T any] interface {
	Kernel[T]
	// EvalGrad sets dtheta[p] = ∂k(x, y)/∂θₚ, with θ in the order of Params.
	EvalGrad(x, y T, dtheta []float64)
}

// InputDifferentiable is an optional interface of kernels on vectors that know
// their derivative by the first argument.
type InputDifferentiable interface {
	Kernel[Vec]
	// InputGrad sets dst = ∂k(x, y)/∂x.
	InputGrad(dst, x, y Vec)
}

// Named is an optional interface: the name under which a kernel is known to
// people, to the text language and in the names of its parameters.
type Named interface {
	Name() string
}

// Validator is an optional interface of kernels some of whose field values make
// no sense. The error names the parameter and its value.
type Validator interface {
	Validate() error
}

// PointChecker is an optional interface of kernels that are not defined for all
// points of their type. The error names the row.
type PointChecker[T any] interface {
	CheckPoints(x data.Points[T]) error
}

// PairChecker is an optional interface of kernels whose two arguments are not points of one kind
// (rows of kernel values beside the objects they are with): what y has to be like beside x. The
// error names the row of y.
type PairChecker[T any] interface {
	CheckPair(x, y data.Points[T]) error
}
