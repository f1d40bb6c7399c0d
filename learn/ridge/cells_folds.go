package ridge

import (
	"context"
	"fmt"
	"math"
	"sort"

	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/learn"
)

// ridgeFolds is what the folds of one kernel share.
type ridgeFolds struct {
	values    []float64              // ascending
	vectors   linalg.Matrix[float64] // columns are eigenvectors
	root      []float64              // √w
	intercept bool
	targets   linalg.Matrix[float64] // ỹ = √w·y
	inner     linalg.Matrix[float64] // Uᵀỹ

	// Of the present stretch of the path, for each λ: u = Mṽ as a column, and ṽᵀu.
	lambdas []float64
	u       linalg.Matrix[float64]
	total   []float64
}

func newRidgeFolds(
	values []float64, vectors linalg.Matrix[float64], root []float64, targets linalg.Matrix[float64], intercept bool,
) *ridgeFolds {
	r := &ridgeFolds{values: values, vectors: vectors, root: root, intercept: intercept, targets: targets.Clone()}
	for i := range targets.Rows {
		simd.Scal64(root[i], r.targets.Row(i))
	}
	r.inner = linalg.New[float64](targets.Rows, targets.Cols)
	linalg.Gemm(1, linalg.Trans, linalg.NoTrans, 1, vectors, r.targets, 0, r.inner)
	return r
}

// multiply finds Mṽ at all lambdas by one product: at each λ alone it would read all of U for one
// column.
func (r *ridgeFolds) multiply(threads int, lambdas []float64) {
	n := r.targets.Rows
	r.lambdas, r.total = lambdas, make([]float64, len(lambdas))
	if !r.intercept {
		return
	}
	ones := linalg.New[float64](n, 1)
	copy(ones.Data, r.root)
	inner, right := linalg.New[float64](n, 1), linalg.New[float64](n, len(lambdas))
	linalg.Gemm(1, linalg.Trans, linalg.NoTrans, 1, r.vectors, ones, 0, inner)
	for j, v := range r.values {
		for l, lambda := range lambdas {
			right.Set(j, l, inner.At(j, 0)/(v+lambda))
		}
	}
	r.u = linalg.New[float64](n, len(lambdas))
	linalg.Gemm(threads, linalg.NoTrans, linalg.NoTrans, 1, r.vectors, right, 0, r.u)
	for i := range n {
		for l, u := range r.u.Row(i) {
			r.total[l] += r.root[i] * u
		}
	}
}

// ridgeFold is one fold: its part of the eigenvectors, and room to work in.
type ridgeFold struct {
	*ridgeFolds
	rows  []int
	left  []bool                 // by row: whether it is one of them
	basis linalg.Matrix[float64] // row j is eigenvector j at the rows of the fold
	other linalg.Matrix[float64] // Uᵀ of the targets of the other rows
	chip  *gram.ShiftedBlocks    // the basis on a device; nil where the processors solve
}

// ridgeStep is a fold at one λ: room to work in, for one thread, once it is asked for.
type ridgeStep struct {
	*ridgeFold
	part  linalg.Matrix[float64] // some rows of basis, scaled
	block linalg.Matrix[float64] // M_ff
}

// ridgeDepth is the number of eigenvectors that are scaled and multiplied at a
// time: few enough to be in the second level of cache in between.
const ridgeDepth = 256

func (r *ridgeFolds) fold(rows []int) *ridgeFold {
	n, m := len(r.values), len(rows)
	f := &ridgeFold{ridgeFolds: r, rows: rows, basis: linalg.New[float64](n, m)}
	f.left = make([]bool, n)
	for a, i := range rows {
		f.left[i] = true
		for j, v := range r.vectors.Row(i) {
			f.basis.Data[j*m+a] = v
		}
	}
	own := linalg.New[float64](m, r.targets.Cols)
	for a, i := range rows {
		copy(own.Row(a), r.targets.Row(i))
	}
	f.other = r.inner.Clone()
	linalg.Gemm(1, linalg.NoTrans, linalg.NoTrans, -1, f.basis, own, 1, f.other)
	return f
}

// sideBySide is how many λ of a fold are worked on at a time: the threads that its share of the
// folds leaves idle, as far as their blocks M_ff take no more room than a Gram matrix together.
func (r *ridgeFolds) sideBySide(c *learn.Cells, f int) int {
	threads, folds := par.Workers(c.Threads), 1
	if !c.InOrder {
		folds = min(threads, len(c.Folds))
	}
	n, m := len(r.values), len(c.Folds[f].Test)
	return max(1, min((threads+folds-1)/folds, n*n/(m*m*folds)))
}

// along calls judge with the outputs at each of some λ.
func (f *ridgeFold) along(
	ctx context.Context, threads int, which []int, judge func(l int, values linalg.Matrix[float64]),
) error {
	if f.chip != nil {
		threads = 1 // the device takes one block after another
	}
	errs := make([]error, len(which))
	steps := make(chan *ridgeStep, threads)
	par.For(threads, len(which), 1, func(at, _ int) {
		if errs[at] = ctx.Err(); errs[at] != nil {
			return
		}
		var step *ridgeStep
		select {
		case step = <-steps:
		default:
			step = &ridgeStep{ridgeFold: f}
		}
		values, err := step.leftOut(which[at])
		if err != nil {
			errs[at] = fmt.Errorf("ridge: λ = %g: %w", f.lambdas[which[at]], err)
			return
		}
		judge(which[at], values)
		steps <- step
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// shares is the weight of each eigenvector in M, from first on, less what all of them have: M is
// Σⱼ wⱼuⱼuⱼᵀ + add·I. Where many eigenvalues are zero beside λ those of the others are taken away from
// I/λ, Σ uⱼuⱼᵀ being I.
func (f *ridgeFold) shares(lambda float64) (weights []float64, first int, add float64) {
	n := len(f.values)
	weights = make([]float64, n)
	first = sort.SearchFloat64s(f.values, negligible*lambda)
	if first > n/8 && f.values[0] >= 0 {
		add = 1 / lambda
	} else {
		first = 0
	}
	for j := first; j < n; j++ {
		weights[j] = 1 / (f.values[j] + lambda)
		if add > 0 {
			weights[j] *= -f.values[j] / lambda
		}
	}
	return weights, first, add
}

// negligible is the share of λ below which an eigenvalue counts as zero. It
// changes M by no more than this share of itself.
const negligible = 1e-12

// invert sets block to M_ff, of the parts of the eigenvectors in the fold.
func (f *ridgeStep) invert(lambda float64) {
	n, m := f.basis.Rows, f.basis.Cols
	weights, first, add := f.shares(lambda)
	sign, scale := 1.0, 0.0
	if add > 0 {
		sign = -1
	}
	for lo := first; lo < n; lo += ridgeDepth {
		hi := min(lo+ridgeDepth, n)
		part := f.part.Slice(0, hi-lo, 0, m)
		for j := lo; j < hi; j++ {
			row := part.Row(j - lo)
			copy(row, f.basis.Row(j))
			simd.Scal64(math.Sqrt(sign*weights[j]), row)
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
		f.block.Data[a*f.block.Stride+a] += add
	}
}

// leftOut is the outputs at the rows f of the fold of the machine fitted to the others, g, at the
// l-th λ. From M_ff⁻¹(Mỹ)_f = ỹ_f - f̃₋f(x_f), whatever the targets of the fold are, they follow
// with zeros in their place:
//
//	f̃₋f(x_f) = -M_ff⁻¹ M_fg ỹ_g.
//
// The targets of the fold have no part in it, not by rounding either: as ỹ_f minus a residual an
// output of zero has the sign of what was left of the target. Since UUᵀ = I has no entries between
// f and g, 1/λ may be taken off 1/(s+λ), which leaves M_fg = -U_f diag(s/(λ(s+λ))) U_gᵀ:
// eigenvalues of zero count for nothing.
func (f *ridgeStep) leftOut(l int) (linalg.Matrix[float64], error) {
	m, k, lambda := len(f.rows), f.targets.Cols, f.lambdas[l]
	scaled, out := f.other.Clone(), linalg.New[float64](m, k)
	for j, s := range f.values {
		simd.Scal64(s/(s+lambda)/lambda, scaled.Row(j))
	}
	linalg.Gemm(1, linalg.Trans, linalg.NoTrans, 1, f.basis, scaled, 0, out)
	var less []float64
	if f.intercept {
		less = f.free(out, l)
	}
	if err := f.solve(out, lambda, less); err != nil {
		return out, err
	}
	for a, i := range f.rows {
		simd.Scal64(1/f.root[i], out.Row(a))
	}
	return out, nil
}

// solve sets b = (M_ff - vvᵀ)⁻¹b.
func (f *ridgeStep) solve(b linalg.Matrix[float64], lambda float64, less []float64) error {
	if f.chip != nil {
		weights, _, add := f.shares(lambda)
		if f.chip.SolveTo(linalg.Dense(b), weights, add, less) {
			return nil
		}
	}
	if f.block.Rows == 0 {
		n, m := f.basis.Rows, f.basis.Cols
		f.part, f.block = linalg.New[float64](min(ridgeDepth, n), m), linalg.New[float64](m, m)
	}
	f.invert(lambda)
	for a, v := range less {
		simd.Axpy64(-v, less[:a+1], f.block.Row(a)[:a+1])
	}
	c, err := linalg.NewCholesky(1, f.block)
	if err != nil {
		return err
	}
	c.Solve(1, b)
	return nil
}

// free takes uuᵀ/(ṽᵀu) off M, for an intercept that is not penalised: u_f (u_gᵀỹ_g)/(ṽᵀu) off M_fg ỹ_g.
// It returns the v whose vvᵀ is to be taken off M_ff.
func (f *ridgeStep) free(out linalg.Matrix[float64], l int) []float64 {
	sums := make([]float64, out.Cols)
	for i := range f.targets.Rows {
		if f.left[i] {
			continue
		}
		for c, y := range f.targets.Row(i) {
			sums[c] += f.u.At(i, l) * y
		}
	}
	less := make([]float64, len(f.rows))
	for a, i := range f.rows {
		less[a] = f.u.At(i, l) / math.Sqrt(f.total[l])
		u := f.u.At(i, l) / f.total[l]
		for c := range sums {
			out.Row(a)[c] += u * sums[c]
		}
	}
	return less
}
