package ridge

import (
	"math"
	"sort"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// ridgeFolds is what the folds of one kernel share.
type ridgeFolds struct {
	values    []float64              // ascending
	vectors   linalg.Matrix[float64] // columns are eigenvectors
	root      []float64              // √w
	intercept bool
	targets   linalg.Matrix[float64]
	inner     linalg.Matrix[float64] // Uᵀ[ỹ, ṽ]

	// Of the present stretch of the path, in k + 1 columns for each λ: Mỹ (with the intercept
	// taken care of) and u; and ṽᵀu.
	lambdas []float64
	product linalg.Matrix[float64]
	total   []float64
}

func newRidgeFolds(values []float64, vectors linalg.Matrix[float64], root []float64, targets linalg.Matrix[float64], intercept bool) *ridgeFolds {
	for j, v := range values {
		// Rounding may leave eigenvalues of a semi-definite matrix a little
		// below zero; they are zero.
		values[j] = max(v, 0)
	}
	r := &ridgeFolds{values: values, vectors: vectors, root: root, intercept: intercept, targets: targets}
	n, k := targets.Rows, targets.Cols
	y := linalg.New[float64](n, k+1)
	for i := range n {
		row := y.Row(i)
		for c, v := range targets.Row(i) {
			row[c] = v * root[i]
		}
		row[k] = root[i]
	}
	r.inner = linalg.New[float64](n, k+1)
	linalg.Gemm(1, linalg.Trans, linalg.NoTrans, 1, vectors, y, 0, r.inner)
	return r
}

// multiply finds M[ỹ, ṽ] at all lambdas by one product: at each λ alone it
// would read all of U for two columns.
func (r *ridgeFolds) multiply(threads int, lambdas []float64) {
	n, k := r.targets.Rows, r.targets.Cols
	right := linalg.New[float64](n, len(lambdas)*(k+1))
	for j, v := range r.values {
		row, from := right.Row(j), r.inner.Row(j)
		for l, lambda := range lambdas {
			for c, x := range from {
				row[l*(k+1)+c] = x / (v + lambda)
			}
		}
	}
	r.lambdas, r.total = lambdas, make([]float64, len(lambdas))
	r.product = linalg.New[float64](n, right.Cols)
	linalg.Gemm(threads, linalg.NoTrans, linalg.NoTrans, 1, r.vectors, right, 0, r.product)
	if !r.intercept {
		return
	}
	constant := make([]float64, k)
	for l := range lambdas {
		clear(constant)
		for i := range n {
			row := r.product.Row(i)[l*(k+1) : (l+1)*(k+1)]
			r.total[l] += r.root[i] * row[k]
			for c := range constant {
				constant[c] += r.root[i] * row[c]
			}
		}
		for i := range n {
			row := r.product.Row(i)[l*(k+1) : (l+1)*(k+1)]
			for c := range constant {
				row[c] -= row[k] * constant[c] / r.total[l]
			}
		}
	}
}

// ridgeFold is one fold: its part of the eigenvectors, and room to work in.
type ridgeFold struct {
	*ridgeFolds
	rows  []int
	basis linalg.Matrix[float64] // row j is eigenvector j at the rows of the fold
	part  linalg.Matrix[float64] // some rows of basis, scaled
	block linalg.Matrix[float64] // M_ff
}

// ridgeDepth is the number of eigenvectors that are scaled and multiplied at a
// time: few enough to be in the second level of cache in between.
const ridgeDepth = 256

func (r *ridgeFolds) fold(rows []int) *ridgeFold {
	n, m := len(r.values), len(rows)
	f := &ridgeFold{ridgeFolds: r, rows: rows, basis: linalg.New[float64](n, m), part: linalg.New[float64](min(ridgeDepth, n), m), block: linalg.New[float64](m, m)}
	for a, i := range rows {
		for j, v := range r.vectors.Row(i) {
			f.basis.Data[j*m+a] = v
		}
	}
	return f
}

// negligible is the share of λ below which an eigenvalue counts as zero. It
// changes M by no more than this share of itself.
const negligible = 1e-12

// invert sets block to M_ff = Σ u_j u_jᵀ/(s_j+λ) over the parts u_j of the
// eigenvectors in the fold. Where many eigenvalues are zero beside λ it takes
// the others away from I/λ instead, Σ u_j u_jᵀ being I.
func (f *ridgeFold) invert(lambda float64) {
	n, m := f.basis.Rows, f.basis.Cols
	first := sort.SearchFloat64s(f.values, negligible*lambda)
	sign := 1.0
	if first > n/8 {
		sign = -1
	} else {
		first = 0
	}
	scale := 0.0
	for lo := first; lo < n; lo += ridgeDepth {
		hi := min(lo+ridgeDepth, n)
		part := f.part.Slice(0, hi-lo, 0, m)
		for j := lo; j < hi; j++ {
			weight := 1 / (f.values[j] + lambda)
			if sign < 0 {
				weight *= f.values[j] / lambda
			}
			row := part.Row(j - lo)
			copy(row, f.basis.Row(j))
			simd.Scal64(math.Sqrt(weight), row)
		}
		linalg.Syrk(1, linalg.Lower, linalg.Trans, sign, part, scale, f.block)
		scale = 1
	}
	if sign > 0 {
		return
	}
	if scale == 0 {
		clear(f.block.Data)
	}
	for a := range m {
		f.block.Data[a*f.block.Stride+a] += 1 / lambda
	}
}

// leftOut is the outputs at the rows of the fold of the machine fitted without
// them, at the l-th λ.
func (f *ridgeFold) leftOut(l int) (linalg.Matrix[float64], error) {
	m, k := len(f.rows), f.targets.Cols
	residual := linalg.New[float64](m, k)
	at := func(i int) []float64 { return f.product.Row(i)[l*(k+1) : (l+1)*(k+1)] }
	for a, i := range f.rows {
		copy(residual.Row(a), at(i)[:k])
	}
	f.invert(f.lambdas[l])
	if f.intercept {
		for a, i := range f.rows {
			row, u := f.block.Row(a), at(i)[k]/f.total[l]
			for b, j := range f.rows[:a+1] {
				row[b] -= u * at(j)[k]
			}
		}
	}
	c, err := linalg.NewCholesky(1, f.block)
	if err != nil {
		return residual, err
	}
	c.Solve(1, residual)
	for a, i := range f.rows {
		row := residual.Row(a)
		for o := range row {
			row[o] = f.targets.At(i, o) - row[o]/f.root[i]
		}
	}
	return residual, nil
}
