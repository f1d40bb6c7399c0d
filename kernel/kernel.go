// Package kernel holds positive definite kernels and the algebra that builds
// kernels from kernels.
//
// A kernel on a set X is a symmetric function k: X×X → R all of whose Gram
// matrices K = [k(xᵢ, xⱼ)] are positive semi-definite; equivalently (Aronszajn
// 1950) k(x, y) = ⟨φ(x), φ(y)⟩ in some Hilbert space.
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

// Metric names a number that depends on a pair of vectors and that the engine
// computes fast for many pairs at once.
type Metric int

// The metrics.
const (
	Inner  Metric = iota // ⟨x, y⟩
	SqDist               // ‖x-y‖²
	L1Dist               // Σ|xᵢ-yᵢ|
)

// Profiled is an optional fast path for kernels on vectors that are a scalar
// function κ of one metric: k(x, y) = κ(metric(x, y)).
type Profiled interface {
	Kernel[Vec]
	Metric() Metric
	// Profile replaces each metric value in m by κ of it.
	Profile(m []float64)
}

// Param is one real hyper-parameter of a kernel.
type Param struct {
	Name   string
	Value  float64
	Domain Domain
}

// Domain is the set of values a parameter may take.
type Domain struct {
	Low, High float64 // may be ±Inf
	OpenLow   bool    // Low itself is excluded
	OpenHigh  bool    // High itself is excluded
	Integer   bool
	LogScale  bool // searched and differentiated on a log scale by preference
}

// Tunable is an optional interface of kernels with hyper-parameters.
type Tunable[T any] interface {
	Kernel[T]
	Params() []Param
	// With returns a kernel of the same form with other parameter values, in
	// the order of Params. The receiver is not changed.
	With(theta []float64) Kernel[T]
}
