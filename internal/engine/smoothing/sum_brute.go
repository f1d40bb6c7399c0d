package smoothing

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// ProductDim is the number of coordinates from which distances by a matrix
// product are faster than by differences.
const ProductDim = 12

// LogSumsBrute sets dst[i] = log Σ at row i of q over all pairs.
func (k *Sum) LogSumsBrute(ctx context.Context, t int, dst []float64, q linalg.Matrix[float64]) error {
	if q.Cols >= ProductDim && !k.product {
		return k.logSumsByProduct(ctx, t, dst, q)
	}
	if k.canFuse() {
		return k.logSumsFused(ctx, t, dst, q)
	}
	par.For(t, q.Rows, 8, func(lo, hi int) {
		var room Room
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			dst[i] = k.logBrute(&room, q.Row(i))
		}
	})
	return ctx.Err()
}

// logSumsByProduct takes squared distances from tiles of a matrix product. The
// log of the sum is kept with the largest term so far taken out, so that one
// pass is enough.
func (k *Sum) logSumsByProduct(ctx context.Context, t int, dst []float64, q linalg.Matrix[float64]) error {
	z := linalg.New[float64](k.Tree.N, k.Tree.Dim)
	for p := range z.Rows {
		k.Tree.Point(z.Row(p), p)
	}
	pairs := linalg.NewPairs[float64](linalg.SquaredDistance, q, z)
	const rows, cols = 64, rowLength
	par.For(t, q.Rows, rows, func(lo, hi int) {
		room := linalg.New[float64](hi-lo, cols)
		sums := make([]runningSum, hi-lo)
		for a := 0; a < z.Rows && ctx.Err() == nil; a += cols {
			b := min(a+cols, z.Rows)
			tile := room.Slice(0, hi-lo, 0, b-a)
			pairs.Tile(tile, lo, a, nil)
			for i := range sums {
				sums[i].add(k, tile.Row(i), a, b)
			}
		}
		for i := range sums {
			dst[lo+i] = sums[i].log()
		}
	})
	return ctx.Err()
}

// runningSum is Σ e^{…}, kept as sum·e^top.
type runningSum struct {
	top, sum float64
	started  bool
}

func (r *runningSum) log() float64 { return math.Log(r.sum) + r.top }

// add takes in a row of squared distances to the places [a, b).
func (r *runningSum) add(k *Sum, row []float64, a, b int) {
	if k.inverse != nil {
		for i, s := range k.inverse[a:b] {
			row[i] *= s * s
		}
	}
	if k.Kernel.Support() == 1 {
		k.Kernel.profile(row)
	} else {
		least := math.Inf(1)
		for _, v := range row {
			least = min(least, v)
		}
		top := k.Kernel.logShape(math.Sqrt(least))
		if !r.started || top > r.top {
			if r.started {
				r.sum *= math.Exp(r.top - top)
			}
			r.top, r.started = top, true
		}
		if k.Kernel == Gaussian {
			simd.Affine64(row, row, -0.5, -r.top)
		} else {
			for i, v := range row {
				row[i] = k.Kernel.logShape(math.Sqrt(v)) - r.top
			}
		}
		simd.Exp64(row, row)
	}
	if k.Weight == nil {
		r.sum += simd.Asum64(row)
	} else {
		r.sum += simd.Dot64(row, k.Weight[a:b])
	}
}
