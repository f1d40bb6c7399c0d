package fitting

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
)

// ExplicitFeatures is φ of a kernel k(x, y) = ⟨φ(x), φ(y)⟩ on some points.
type ExplicitFeatures struct {
	Dim    int
	Set    func(dst []float64, i int) // sets dst to φ of point i
	Linear bool                       // φ is the identity: weights are points
}

// Fill makes the rows of dst those of the first points.
func (e *ExplicitFeatures) Fill(ctx context.Context, dst linalg.Matrix[float64]) {
	for i := 0; i < dst.Rows && ctx.Err() == nil; i++ {
		e.Set(dst.Row(i), i)
	}
}

// ExplicitOf looks for explicit features; nil means there are none.
func ExplicitOf[T any](k kernel.Kernel[T], x data.Points[T]) *ExplicitFeatures {
	points, ok := data.VectorsOf(x)
	if !ok || x.Len() == 0 {
		return nil
	}
	d := len(points.At(0))
	if d == 0 {
		return nil
	}
	e := &ExplicitFeatures{}
	apply := func(dst, x kernel.Vec) { copy(dst, x) }
	switch k := kernel.Concrete(k).(type) {
	case kernel.Linear:
		e.Dim, e.Linear = d, true
	case kernel.FeatureMapper:
		e.Dim, apply = k.FeatureDim(d), k.Features
	default:
		return nil
	}
	e.Set = func(dst []float64, i int) { apply(dst, points.At(i)) }
	return e
}

// PrimalFunc writes x ↦ ⟨w, φ(x)⟩ as a kernel expansion.
func PrimalFunc[T any](
	ctx context.Context, threads int, k kernel.Kernel[T], x data.Points[T], e *ExplicitFeatures,
	phi, w linalg.Matrix[float64],
) (*rkhs.Func[T], error) {
	m := w.Cols
	if e.Linear {
		centers, coef := linalg.New[float64](m, e.Dim), linalg.New[float64](m, m)
		for j := range m {
			for a := range e.Dim {
				centers.Set(j, a, w.At(a, j))
			}
			coef.Set(j, j, 1)
		}
		return &rkhs.Func[T]{Kernel: k, Centers: data.FromVectors[T](data.RowsOf(centers)), Coef: linalg.Dense(coef)}, nil
	}
	// Φᵀ·P = Q·R: the first columns of P are points with independent features.
	t := linalg.New[float64](e.Dim, phi.Rows)
	for i := range phi.Rows {
		for j, v := range phi.Row(i) {
			t.Set(j, i, v)
		}
	}
	qr, err := linalg.NewPivotedQRContext(ctx, threads, t)
	if err != nil {
		return nil, err
	}
	rank := qr.Rank(1e-13)
	if rank == 0 {
		return nil, fmt.Errorf("all features are 0 at all points")
	}
	c, err := qr.Solve(threads, w.Clone(), rank)
	if err != nil {
		return nil, err
	}
	index := append([]int(nil), qr.Perm[:rank]...)
	coef := linalg.New[float64](rank, m)
	for a, i := range index {
		copy(coef.Row(a), c.Row(i))
	}
	return &rkhs.Func[T]{Kernel: k, Centers: data.OwnSubset(x, index), Coef: linalg.Dense(coef)}, nil
}
