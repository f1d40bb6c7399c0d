package graph

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"gonum.org/v1/gonum/mat"
)

// MulTo sets dst = L·v, column by column; they share no memory. The result does not depend on the
// number of threads (0: all cores).
func (l *Laplacian) MulTo(threads int, dst, v *mat.Dense) {
	l.rows.MulDense(threads, linalg.Of(dst), linalg.Of(v))
}

// Diagonal is the diagonal of L: the degrees, or 1 for each node with an edge.
func (l *Laplacian) Diagonal() []float64 {
	out := make([]float64, l.Nodes())
	for i := range out {
		index, value := l.rows.Row(i)
		for k, j := range index {
			if int(j) == i {
				out[i] = value[k]
			}
		}
	}
	return out
}

// Operator is r(L) as an operator: products with vectors, and no matrix.
type Operator struct {
	l       *Laplacian
	coef    []float64
	threads int
}

// Operator is r(L) by a Chebyshev series, to a precision relative to its largest coefficient (1e-12,
// say): a product with r(L) is as many products with the sparse L as the series has terms. A Cutoff
// has no such series; Laplacian.Lowest makes its eigenvectors.
func (k Nodes) Operator(precision float64, threads int) (*Operator, error) {
	if err := k.Validate(); err != nil {
		return nil, err
	}
	c, err := k.series(precision)
	if err != nil {
		return nil, err
	}
	return &Operator{l: k.Laplacian, coef: c, threads: threads}, nil
}

// Terms is the number of terms of the series.
func (o *Operator) Terms() int { return len(o.coef) }

// Dims is the number of nodes, twice.
func (o *Operator) Dims() (r, c int) { return o.l.Nodes(), o.l.Nodes() }

// MulTo sets dst = r(L)·v, column by column; they share no memory. Sixteen columns go through the
// series at a time, fewer filled up with zeros.
func (o *Operator) MulTo(dst, v *mat.Dense, _ bool) {
	_, cols := v.Dims()
	wide := linalg.Lanes
	if cols == 1 {
		wide = 1
	}
	n := o.l.Nodes()
	var room [4][]float64
	for i := range room {
		room[i] = make([]float64, n*wide)
	}
	for from := 0; from < cols; from += wide {
		to := min(from+wide, cols)
		sum := o.series(room, wide, func(i int, row []float64) { clear(row[copy(row, v.RawRowView(i)[from:to]):]) })
		par.For(o.threads, n, rowGrain, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				copy(dst.RawRowView(i)[from:to], sum[i*wide:])
			}
		})
	}
}

// series is Σ cₘTₘ of columns, T_{m+1}(x) = 2x·T_m(x) − T_{m-1}(x); the sum takes T_m while it is
// in cache.
func (o *Operator) series(room [4][]float64, wide int, fill func(i int, row []float64)) (sum []float64) {
	n := o.l.Nodes()
	before, now, next, sum := room[0], room[1], room[2], room[3]
	first := o.coef[0] / 2
	par.For(o.threads, n, rowGrain, func(lo, hi int) {
		clear(before[lo*wide : hi*wide])
		for i := lo; i < hi; i++ {
			fill(i, now[i*wide:(i+1)*wide])
		}
		for i := lo * wide; i < hi*wide; i++ {
			sum[i] = first * now[i]
		}
	})
	scale := 0.0
	if o.l.largest > 0 {
		scale = 2 / o.l.largest
	}
	for m, c := range o.coef[1:] {
		twice := 2.0
		if m == 0 {
			twice = 1
		}
		then := func(lo, hi int) {
			t, b, x, s := now[lo*wide:hi*wide], before[lo*wide:hi*wide], next[lo*wide:hi*wide], sum[lo*wide:hi*wide]
			t, b, s = t[:len(x)], b[:len(x)], s[:len(x)]
			for i, y := range x {
				y = twice*(scale*y-t[i]) - b[i]
				x[i] = y
				s[i] += c * y
			}
		}
		if wide == linalg.Lanes {
			o.l.rows.MulLanes(o.threads, next, now, then)
		} else {
			o.l.rows.MulDense(o.threads, linalg.Matrix[float64]{Rows: n, Cols: wide, Stride: wide, Data: next},
				linalg.Matrix[float64]{Rows: n, Cols: wide, Stride: wide, Data: now})
			par.For(o.threads, n, rowGrain, then)
		}
		before, now, next = now, next, before
	}
	return sum
}

// rowGrain is the rows of a piece of work on numbers alone.
const rowGrain = 2048

// Low is eigenpairs at the low end of a Laplacian.
type Low struct {
	Values    []float64  // increasing
	Vectors   *mat.Dense // in columns, orthonormal
	Residuals []float64  // ‖Lφ − λφ‖ of each
	// Next is what is known of the eigenvalue after them: one that was found and is not exact, less
	// its residual; 0: nothing is known.
	Next float64
}

// Lowest are the k smallest eigenvalues with their eigenvectors, by Lanczos' method with full
// reorthogonalisation and thick restarts. Where they lie so close together that products (0: as many
// as it takes) are not enough for all, it is those before the first whose residual is above the
// tolerance times the bound on the eigenvalues; these may be none.
func (l *Laplacian) Lowest(ctx context.Context, k int, tolerance float64, products, threads int) (*Low, error) {
	n := l.Nodes()
	k = min(k, n)
	if k <= 0 {
		return &Low{Vectors: &mat.Dense{}}, nil
	}
	op := sparseOp{l.rows, threads}
	found, err := linalg.TopK(ctx, op, k, linalg.TopKOptions{Which: linalg.SmallestAlgebraic, Tolerance: tolerance,
		MaxProducts: products, Threads: threads})
	var few *linalg.NoConvergence
	if err != nil && !errors.As(err, &few) {
		return nil, fmt.Errorf("kernel: laplacian: the %d smallest eigenvalues: %w", k, err)
	}
	if found == nil {
		return &Low{Vectors: &mat.Dense{}}, nil
	}
	kept := 0
	for kept < len(found.Values) && found.Residuals[kept] <= tolerance*math.Max(found.Norm, l.largest) {
		kept++
	}
	out := &Low{Values: found.Values[:kept], Residuals: found.Residuals[:kept], Vectors: &mat.Dense{}}
	for i, v := range out.Values {
		out.Values[i] = max(v, 0) // it has none below 0 but by rounding
	}
	if kept < len(found.Values) {
		out.Next = max(found.Values[kept]-found.Residuals[kept], 0)
	}
	if kept > 0 {
		out.Vectors = linalg.Dense(found.Vectors.Slice(0, n, 0, kept).Clone())
	}
	return out, nil
}
