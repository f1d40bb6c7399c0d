package kerneltest

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// features compares the inner products of the sparse rows of a kernel that has them with its values:
// of all points, of points with others whose features alone have names, and of points with vectors
// of features.
func features[T any](k kernel.Kernel[T], o Options[T]) error {
	erased, x := kernel.Erase(k), data.Erase(o.Points)
	if !kernel.HasSparseMap(erased) {
		return nil
	}
	ctx, n := context.Background(), x.Len()
	want, big := o.gram(k)
	tolerance := max(o.tolerance(), 1e-12) * big
	space, rows, err := kernel.MapSparse(ctx, 2, erased, x, 0)
	if err != nil {
		return err
	}
	if err := rows.CSR().Check(); err != nil {
		return fmt.Errorf("rows of features: %w", err)
	}
	if rows.Len() != n || rows.Dim() != len(space.Names) {
		return fmt.Errorf("%d rows of %d features of %d points with %d names", rows.Len(), rows.Dim(), n, len(space.Names))
	}
	got := mat.NewDense(n, n, nil)
	kernel.Block[any](ctx, space, got, x, x)
	if err := near("features", got, want, 0, 0, tolerance); err != nil {
		return err
	}
	again := space.Rows(ctx, 1, x)
	for i := range n {
		for j := range n {
			got.Set(i, j, dotRows(rows.At(i), again.At(j)))
		}
	}
	if err := near("rows of features", got, want, 0, 0, tolerance); err != nil {
		return err
	}
	half := n / 2
	index := make([]int, half)
	for i := range index {
		index[i] = i
	}
	some := data.Gather(x, index)
	few, part, err := kernel.MapSparse(ctx, 1, erased, some, 0)
	if err != nil {
		return err
	}
	cross := mat.NewDense(n, half, nil)
	kernel.Block[any](ctx, few, cross, x, some)
	if err := near("features of other points", cross, want.Slice(0, n, 0, half).(*mat.Dense), 0, 0,
		tolerance); err != nil {
		return err
	}
	if sparse, ok := kernel.Concrete(erased).(kernel.SparseOf); ok && sparse.Dim == part.Dim() {
		return nil // a row of features cannot be told from a row
	}
	kernel.Block[any](ctx, few, cross, x, data.EraseSparse(part))
	return near("points with vectors of features", cross, want.Slice(0, n, 0, half).(*mat.Dense), 0, 0, tolerance)
}

func dotRows(x, y data.SparseVec) float64 {
	s := 0.0
	for i, c := range x.Index {
		for j, d := range y.Index {
			if c == d {
				s += x.Value[i] * y.Value[j]
			}
		}
	}
	return s
}
