package gram

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// vectorPair is the kernel, rows and centres of a pair as a device takes them, and whether they are
// vectors.
func vectorPair[T any](
	k kernel.Kernel[T], rows data.Source[T], centers data.Points[T],
) (kernel.Kernel[kernel.Vec], data.Source[kernel.Vec], data.Points[kernel.Vec], bool) {
	kv, ok := kernel.Concrete(k).(kernel.Kernel[kernel.Vec])
	if !ok {
		return nil, nil, nil, false
	}
	y, ok := data.VectorsOf(centers)
	source, also := data.VectorSource(rows)
	return kv, source, y, ok && also
}

// typedPair is a Pair of any points as one of vectors, which those points are.
type typedPair struct{ of Pair[any] }

func (p typedPair) Dims() (n, m int) { return p.of.Dims() }

func (p typedPair) MulTo(ctx context.Context, dst, v *mat.Dense, between Between[kernel.Vec]) error {
	return p.of.MulTo(ctx, dst, v, func(b data.Block[any], kv,
		u *mat.Dense) {
		between(data.TypedBlock[kernel.Vec](b), kv, u)
	})
}

func (p typedPair) Visit(ctx context.Context, f func(b data.Block[kernel.Vec], k *mat.Dense) error) error {
	return p.of.Visit(ctx, func(b data.Block[any], k *mat.Dense) error { return f(data.TypedBlock[kernel.Vec](b), k) })
}

// erasedPair is a Pair of vectors as one of points that have forgotten their type.
type erasedPair struct{ *devicePair }

func (p erasedPair) MulTo(ctx context.Context, dst, v *mat.Dense, between Between[any]) error {
	return p.devicePair.MulTo(ctx, dst, v, func(b data.Block[kernel.Vec], kv,
		u *mat.Dense) {
		between(data.EraseBlock(b), kv, u)
	})
}

func (p erasedPair) Visit(ctx context.Context, f func(b data.Block[any], k *mat.Dense) error) error {
	return p.devicePair.Visit(ctx, func(b data.Block[kernel.Vec], k *mat.Dense) error { return f(data.EraseBlock(b), k) })
}
