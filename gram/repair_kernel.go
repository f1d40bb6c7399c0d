package gram

import (
	"context"
	"math"
	"reflect"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// RepairedKernel is a kernel made positive semi-definite on some points X, and defined everywhere.
// With K(X, X) = UΛUᵀ, N its negative eigenvalues and zᵢ(x) = k(x, X)·uᵢ/√|λᵢ|, it is
//
//	clip    k(x, y) + Σ_N zᵢ(x)zᵢ(y)
//	flip    k(x, y) + 2·Σ_N zᵢ(x)zᵢ(y)
//	shift   k(x, y) + |λmin|·[x = y].
//
// On X that is the matrix of Repair, and between new points and X it is what CrossTo makes of k,
// the linear transform by which new points follow the training points (Chen et al. 2009, §4).
type RepairedKernel[T any] struct {
	Original kernel.Kernel[T]
	Points   data.Points[T] // X
	Before   PSD            // of k on X
	How      How
	Negative int // eigenvalues repaired

	factor  float64                // of Σ zᵢ(x)zᵢ(y)
	vectors linalg.Matrix[float64] // uᵢ/√|λᵢ|, a column each
	shift   float64
}

// RepairKernel repairs k on x. It holds the Gram matrix and its eigenvectors. A kernel that needs
// no repair there comes back in Original with Before.OK.
func RepairKernel[T any](
	ctx context.Context, k kernel.Kernel[T], x data.Points[T], how How, o Options,
) (*RepairedKernel[T], error) {
	o.Layout = Full
	g, err := New(ctx, k, x, o)
	if err != nil {
		return nil, err
	}
	r, err := Repair(g, how, o.Threads)
	if err != nil {
		return nil, err
	}
	out := &RepairedKernel[T]{Original: k, Points: x, Before: r.Before, How: how, Negative: r.Negative}
	switch {
	case r.Before.OK:
	case how == Shift:
		out.shift = -r.Before.Min
	default:
		out.factor = 1
		if how == Flip {
			out.factor = 2
		}
		out.vectors = linalg.New[float64](x.Len(), r.Negative)
		for j := range r.Negative { // the least eigenvalues come first
			scale := 1 / math.Sqrt(-r.values[j])
			for i := range x.Len() {
				out.vectors.Set(i, j, scale*r.vectors.At(i, j))
			}
		}
	}
	return out, ctx.Err()
}

// Name is that of the original, and the repair.
func (k *RepairedKernel[T]) Name() string {
	name := "kernel"
	if n, ok := kernel.Concrete(k.Original).(kernel.Named); ok {
		name = n.Name()
	}
	return name + " repaired by " + k.How.String()
}

// Eval is the repaired value.
func (k *RepairedKernel[T]) Eval(x, y T) float64 {
	v := k.Original.Eval(x, y)
	if k.shift != 0 && reflect.DeepEqual(x, y) {
		v += k.shift
	}
	if k.factor != 0 {
		z := k.features(context.Background(), data.Slice[T]{x, y})
		for j, a := range z.Row(0) {
			v += k.factor * a * z.At(1, j)
		}
	}
	return v
}

// Properties are those of the repair: positive semi-definite on its points.
func (k *RepairedKernel[T]) Properties() kernel.Properties {
	return kernel.Properties{PSD: kernel.Yes, Bound: math.NaN(), Smoothness: math.NaN()}
}

// CheckPoints asks the original.
func (k *RepairedKernel[T]) CheckPoints(x data.Points[T]) error {
	return kernel.CheckNext(k.Original, k.Points, x)
}

// PreparePoints maps each point once.
func (k *RepairedKernel[T]) PreparePoints(ctx context.Context, x, y data.Points[T]) kernel.Rectangle {
	tiles := kernel.Prepare(ctx, k.Original, x, y)
	var u, v linalg.Matrix[float64]
	if k.factor != 0 {
		u = k.features(ctx, x)
		v = u
		if !kernel.SamePoints(x, y) {
			v = k.features(ctx, y)
		}
	}
	return func(dst *mat.Dense, i, j int) {
		out := linalg.Of(dst)
		tiles.Tile(blas64.General(out), i, j)
		if k.factor != 0 {
			linalg.Gemm(1, linalg.NoTrans, linalg.Trans, k.factor, u.Slice(i, i+out.Rows, 0, u.Cols),
				v.Slice(j, j+out.Cols, 0, v.Cols), 1, out)
		}
		if k.shift == 0 {
			return
		}
		for a := range out.Rows {
			row := out.Row(a)
			for b := range row {
				if ctx.Err() == nil && reflect.DeepEqual(x.At(i+a), y.At(j+b)) {
					row[b] += k.shift
				}
			}
		}
	}
}

// features is z of points, a row each.
func (k *RepairedKernel[T]) features(ctx context.Context, x data.Points[T]) linalg.Matrix[float64] {
	cross := linalg.New[float64](x.Len(), k.Points.Len())
	kernel.Fill(1, blas64.General(cross), kernel.Prepare(ctx, k.Original, x, k.Points))
	z := linalg.New[float64](x.Len(), k.vectors.Cols)
	linalg.Gemm(1, linalg.NoTrans, linalg.NoTrans, 1, cross, k.vectors, 0, z)
	return z
}

// Restate writes Σ αᵢ k'(cᵢ, ·), k' being the repaired kernel, with the original one: the centres
// and coefficients of Σ αᵢ k(cᵢ, ·) + Σ γⱼ k(xⱼ, ·), with γ a linear transform of α. A shift is of
// the value of a training point with itself alone, so new points have the coefficients as they are.
func (k *RepairedKernel[T]) Restate(
	ctx context.Context, centers data.Points[T], coef *mat.Dense,
) (data.Points[T], *mat.Dense) {
	if k.factor == 0 {
		return centers, coef
	}
	alpha := linalg.Of(coef)
	z := k.features(ctx, centers)
	inner := linalg.New[float64](z.Cols, alpha.Cols)
	linalg.Gemm(1, linalg.Trans, linalg.NoTrans, k.factor, z, alpha, 0, inner)
	gamma := linalg.New[float64](k.Points.Len(), alpha.Cols)
	linalg.Gemm(1, linalg.NoTrans, linalg.NoTrans, 1, k.vectors, inner, 0, gamma)
	// Centres are training points: each is found soon after the one before.
	at, n := 0, k.Points.Len()
	var others []int
	for i := range centers.Len() {
		step := 0
		for step < n && !reflect.DeepEqual(centers.At(i), k.Points.At((at+step)%n)) {
			step++
		}
		if step == n { // no training point, as the centres of a network may be
			others = append(others, i)
			continue
		}
		at = (at + step) % n
		for j, a := range alpha.Row(i) {
			gamma.Row(at)[j] += a
		}
	}
	if len(others) == 0 {
		return k.Points, linalg.Dense(gamma)
	}
	points, all := make(data.Slice[T], 0, n+len(others)), linalg.New[float64](n+len(others), alpha.Cols)
	all.Slice(0, n, 0, alpha.Cols).CopyFrom(gamma)
	for i := range n {
		points = append(points, k.Points.At(i))
	}
	for a, i := range others {
		points = append(points, centers.At(i))
		copy(all.Row(n+a), alpha.Row(i))
	}
	return points, linalg.Dense(all)
}
