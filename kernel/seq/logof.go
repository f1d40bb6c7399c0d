package seq

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// LogOf is (log k(x, y))/Scale; Log makes one.
type LogOf[T any] struct {
	Kernel Logarithmic[T]
	Scale  float64 // 1 when zero
}

// Log is the logarithm of a kernel, divided by scale: with LocalAlignment and its β, the soft
// Smith-Waterman score that H. Saigo et al. (2004) learn from, since the diagonal of the kernel
// itself dwarfs all else. It is not positive semi-definite. Their two repairs are Empirical, and
// adding to the diagonal of the Gram matrix what its least eigenvalue lacks (package gram repairs
// so).
func Log[T any](k Logarithmic[T], scale float64) kernel.Kernel[T] { return LogOf[T]{k, scale} }

// Eval returns (log k(x, y))/Scale.
func (k LogOf[T]) Eval(x, y T) float64 { return k.Kernel.LogEval(x, y) / or(k.Scale, 1) }

// PreparePoints prepares the points as the kernel does.
func (k LogOf[T]) PreparePoints(ctx context.Context, x, y data.Points[T]) kernel.Rectangle {
	return mapped(k.Kernel.PrepareLogs(ctx, x, y), func(v float64, _, _ int) float64 { return v / or(k.Scale, 1) })
}

// Validate refuses a scale that is no positive number, and asks the kernel.
func (k LogOf[T]) Validate() error {
	if k.Kernel == nil {
		return fmt.Errorf("seq: log: no kernel (nil)")
	}
	return firstError(mustBe(k.Scale >= 0 && finite(k.Scale), "log", "scale", k.Scale, "a finite number > 0"),
		kernel.Validate[T](k.Kernel))
}

// CheckPoints asks the kernel.
func (k LogOf[T]) CheckPoints(x data.Points[T]) error {
	if c, ok := k.Kernel.(kernel.PointChecker[T]); ok {
		return c.CheckPoints(x)
	}
	return nil
}

// Properties says that the logarithm of a kernel is none.
func (LogOf[T]) Properties() kernel.Properties {
	return kernel.Properties{PSD: kernel.No, Bound: math.Inf(1), Smoothness: math.NaN()}
}

// EmpiricalOf is Σ_r s(x, r)·s(y, r) over reference points r; Empirical makes one.
type EmpiricalOf[T any] struct {
	Similarity kernel.Kernel[T]
	References []T
}

// Empirical is the empirical kernel map of a similarity that need not be positive semi-definite,
//
//	k(x, y) = Σ_r s(x, r)·s(y, r),
//
// an inner product of the likenesses of x and y to the reference points, as a rule the training
// points (K. Tsuda 1999; "LA-ekm" of H. Saigo et al. 2004).
func Empirical[T any](similarity kernel.Kernel[T], references []T) kernel.Kernel[T] {
	return EmpiricalOf[T]{similarity, references}
}

// Eval returns Σ_r s(x, r)·s(y, r).
func (k EmpiricalOf[T]) Eval(x, y T) float64 {
	sum := 0.0
	for _, r := range k.References {
		sum += k.Similarity.Eval(x, r) * k.Similarity.Eval(y, r)
	}
	return sum
}

// PreparePoints measures each point against the references once.
func (k EmpiricalOf[T]) PreparePoints(ctx context.Context, x, y data.Points[T]) kernel.Rectangle {
	v := kernel.Kept(ctx, y, func() *mat.Dense { return k.likeness(ctx, y) })
	u := v
	if !kernel.SamePoints(x, y) {
		u = k.likeness(ctx, x)
	}
	return func(dst *mat.Dense, i, j int) {
		r, c := dst.Dims()
		dst.Mul(u.Slice(i, i+r, 0, len(k.References)), v.Slice(j, j+c, 0, len(k.References)).T())
	}
}

func (k EmpiricalOf[T]) likeness(ctx context.Context, x data.Points[T]) *mat.Dense {
	if x.Len() == 0 {
		return new(mat.Dense)
	}
	m := mat.NewDense(x.Len(), len(k.References), nil)
	kernel.Block(ctx, k.Similarity, m, x, data.Points[T](data.Slice[T](k.References)))
	return m
}

// Validate refuses a map without references, and asks the similarity.
func (k EmpiricalOf[T]) Validate() error {
	if len(k.References) == 0 {
		return fmt.Errorf("seq: empirical: no reference points")
	}
	return kernel.Validate(k.Similarity)
}

// CheckPoints asks the similarity.
func (k EmpiricalOf[T]) CheckPoints(x data.Points[T]) error {
	return kernel.CheckPair(k.Similarity, data.Points[T](data.Slice[T](k.References)), x)
}

// Properties of an inner product in finitely many dimensions.
func (EmpiricalOf[T]) Properties() kernel.Properties {
	p := sums()
	p.Strict = kernel.No
	return p
}
