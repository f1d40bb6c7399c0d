package seq

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Logarithmic is an optional interface of kernels > 0 whose values leave the range of float64 on
// long sequences, in the order of e^{length}: they know the logarithms of their values, -Inf for 0.
type Logarithmic[T any] interface {
	kernel.Kernel[T]
	LogEval(x, y T) float64
	// PrepareLogs makes the logarithms of K(X, Y) ready, as PreparePoints makes the values.
	PrepareLogs(ctx context.Context, x, y data.Points[T]) kernel.Rectangle
}

// NormalizedLogOf is exp(log k(x, y) - ½·log k(x, x) - ½·log k(y, y)); NormalizeLog makes one.
type NormalizedLogOf[T any] struct {
	Kernel Logarithmic[T]
}

// NormalizeLog is kernel.Normalize of k, k(x, y)/√(k(x, x)·k(y, y)), taken in logarithms: it is
// right where the values of k overflow or underflow. Points with k(x, x) = 0 get the value 0 with
// all points.
func NormalizeLog[T any](k Logarithmic[T]) kernel.Kernel[T] { return NormalizedLogOf[T]{k} }

// Eval returns exp(log k(x, y) - ½·log k(x, x) - ½·log k(y, y)).
func (k NormalizedLogOf[T]) Eval(x, y T) float64 {
	return ratio(k.Kernel.LogEval(x, y), k.Kernel.LogEval(x, x), k.Kernel.LogEval(y, y))
}

func ratio(both, one, other float64) float64 {
	if math.IsInf(one, -1) || math.IsInf(other, -1) {
		return 0
	}
	return math.Exp(both - (one+other)/2)
}

// PreparePoints takes log k(x, x) once for each point.
func (k NormalizedLogOf[T]) PreparePoints(ctx context.Context, x, y data.Points[T]) kernel.Rectangle {
	own := func(p T) float64 { return k.Kernel.LogEval(p, p) }
	u, v := kernel.MapBoth(ctx, x, y, own)
	logs := k.Kernel.PrepareLogs(ctx, x, y)
	return mapped(logs, func(log float64, i, j int) float64 { return ratio(log, u[i], v[j]) })
}

// Params are those of the kernel.
func (k NormalizedLogOf[T]) Params() []kernel.Param { return kernel.Params[T](k.Kernel) }

// With sets the parameters of the kernel.
func (k NormalizedLogOf[T]) With(theta []float64) kernel.Kernel[T] {
	if t, ok := k.Kernel.(kernel.Tunable[T]); ok {
		return NormalizedLogOf[T]{t.With(theta).(Logarithmic[T])}
	}
	return k
}

// Validate asks the kernel.
func (k NormalizedLogOf[T]) Validate() error {
	if k.Kernel == nil {
		return fmt.Errorf("seq: normalize: no kernel (nil)")
	}
	return kernel.Validate[T](k.Kernel)
}

// CheckPoints asks the kernel.
func (k NormalizedLogOf[T]) CheckPoints(x data.Points[T]) error {
	if c, ok := k.Kernel.(kernel.PointChecker[T]); ok {
		return c.CheckPoints(x)
	}
	return nil
}

// Properties are those of the kernel, with k(x, x) ≤ 1.
func (k NormalizedLogOf[T]) Properties() kernel.Properties {
	p := kernel.PropertiesOf[T](k.Kernel)
	p.Bound = 1 + 1e-9 // the logarithms are rounded
	return p
}
