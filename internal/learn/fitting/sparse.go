package fitting

import (
	"context"
	"errors"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
)

// SparseFrom is the number of points from which the sparse features of a kernel are looked at:
// below, its matrix is there in milliseconds.
const SparseFrom = 1000

// SparseFeatures is points by the sparse features of a kernel, K = ΦΦᵀ.
type SparseFeatures struct {
	Phi   *linalg.CSR
	space *kernel.FeatureSpace // nil: the kernel is the linear one, and its points are rows of Φ
}

// SparseFeaturesOf is the features of points of a kernel that has a finite sparse map; nil where it
// has none, where points are dense vectors, and where there are so many features that K is less.
func SparseFeaturesOf(
	ctx context.Context, k kernel.Kernel[any], x data.Points[any], r learn.Resources,
) (*SparseFeatures, error) {
	if !HasSparseFeatures(k, x) {
		return nil, nil
	}
	if rows, ok := data.SparseOfPoints(x); ok {
		return ofRows(rows, kernel.Concrete(k).(kernel.SparseOf).Dim), nil
	}
	held, err := r.WithDefaults()
	if err != nil {
		return nil, err
	}
	n := float64(x.Len())
	const entry = 40 // bytes, with the blocks that rows are put together from
	space, rows, err := kernel.MapSparse(ctx, r.Threads, k, x, max(int(min(n*n/4, float64(held.Bytes)/entry)), 1))
	if errors.Is(err, kernel.ErrManyFeatures) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &SparseFeatures{Phi: (*linalg.CSR)(rows.CSR()), space: space}, nil
}

// HasSparseFeatures says whether SparseFeaturesOf is worth asking.
func HasSparseFeatures(k kernel.Kernel[any], x data.Points[any]) bool {
	if k == nil || x == nil || x.Len() == 0 {
		return false
	}
	if _, dense := data.VectorsOf(x); dense {
		return false
	}
	if _, sparse := data.SparseOfPoints(x); sparse {
		of, ok := kernel.Concrete(k).(kernel.SparseOf)
		if ok {
			_, ok = of.Dense.(kernel.Linear)
		}
		return ok
	}
	return kernel.HasSparseMap(k)
}

// ofRows is rows that are features themselves, of so many columns.
func ofRows(rows data.Points[data.SparseVec], dim int) *SparseFeatures {
	if of, ok := data.Concrete(rows).(interface{ CSR() *data.CSR }); ok && of.CSR().Cols == dim {
		return &SparseFeatures{Phi: (*linalg.CSR)(of.CSR())}
	}
	all := make([]data.SparseVec, rows.Len())
	for i := range all {
		all[i] = rows.At(i)
	}
	return &SparseFeatures{Phi: (*linalg.CSR)(data.SparseOf(all, dim).CSR())}
}

// At is the features of some of the points, as rows.
func (f *SparseFeatures) At(index []int) *SparseFeatures {
	return ofRows(data.Gather(data.Points[data.SparseVec](data.Sparse((*data.CSR)(f.Phi))), index), f.Phi.Cols)
}

// Dim is the number of features.
func (f *SparseFeatures) Dim() int { return f.Phi.Cols }

// Points is the rows of Φ, and Kernel what is K on them.
func (f *SparseFeatures) Points() data.Points[any] {
	return data.EraseSparse(data.Sparse((*data.CSR)(f.Phi)))
}

// Kernel is the linear kernel on Points.
func (f *SparseFeatures) Kernel() kernel.Kernel[any] {
	k, err := kernel.OnSparse(kernel.Linear{}, f.Phi.Cols)
	if err != nil {
		panic(err) // the linear kernel has nothing to refuse
	}
	return kernel.FromSparse[any](k)
}

// Func is x ↦ ⟨wₖ, φ(x)⟩ + bₖ on points of the kernel: weights are kept in place of points.
func (f *SparseFeatures) Func(w [][]float64, bias []float64) *rkhs.Func[any] {
	for k := range w {
		if len(w[k]) == 0 {
			w[k] = make([]float64, 1) // a vector has at least one coordinate
		}
	}
	out := learn.FeatureFunc(f.space, w, bias)
	if f.space == nil {
		out.Kernel = f.Kernel()
	}
	return out
}

// ByFeatures is a function as weights of the sparse features of its centres, and what a report says
// of it; nil where its kernel has none. What was solved by K then keeps no points either.
func ByFeatures(ctx context.Context, f *rkhs.Func[any], r learn.Resources) (*rkhs.Func[any], string, error) {
	of, err := SparseFeaturesOf(ctx, f.Kernel, f.Centers, r)
	if of == nil || err != nil {
		return nil, "", err
	}
	n := phrase.Thousands(of.Phi.Cols)
	return of.Func(of.Weights(r.Threads, linalg.Of(f.Coef)), f.Bias),
		"keeps the weights of " + n + " sparse features in place of the points", nil
}

// Note is what a report says of a fit by features.
func (f *SparseFeatures) Note() string {
	n := phrase.Thousands(f.Phi.Cols)
	return fmt.Sprintf("solved by %s sparse features, whose weights are kept in place of the points", n)
}

// Weights is Φᵀα, a row for each column of coefficients.
func (f *SparseFeatures) Weights(threads int, alpha linalg.Matrix[float64]) [][]float64 {
	w := linalg.New[float64](f.Phi.Cols, alpha.Cols)
	f.Phi.MulTransDense(threads, w, alpha)
	out := make([][]float64, alpha.Cols)
	for j := range out {
		out[j] = make([]float64, f.Phi.Cols)
		for i := range out[j] {
			out[j][i] = w.At(i, j)
		}
	}
	return out
}
