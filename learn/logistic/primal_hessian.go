package logistic

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// hessians is where Φᵀ·W·Φ + λI is made. Of many features it is made in single precision: steps are
// judged by gradients in double, so that a metric with six digits leads to the same place, and
// where it has not enough of them the next ones are in double.
type hessians struct {
	exact  bool
	single weighted[float32]
	double weighted[float64]
	few    []linalg.Matrix[float64]
}

// hessianPieces is in how many pieces of points a Hessian is summed, at the most.
const hessianPieces = 4

// hessian is the lower triangle of it.
func (p *primalProblem) hessian(at *primalState) linalg.Matrix[float64] {
	var h linalg.Matrix[float64]
	switch w := &p.hessians; {
	case p.x.Rows <= fewColumns:
		h = p.fewSquares(at.curve)
	case w.exact:
		w.double.x = p.x
		h = w.double.squares(p.threads, at.curve)
	default:
		if w.single.x.Rows == 0 {
			w.single.x = linalg.New[float32](p.x.Rows, p.x.Cols)
			for j := range p.x.Rows {
				simd.Narrow(w.single.x.Row(j), p.x.Row(j))
			}
		}
		h = w.single.squares(p.threads, at.curve)
	}
	for j := range p.penalised() {
		h.Data[j*h.Stride+j] += p.lambda
	}
	return h
}

// pieceOf is how many points a piece of a Hessian has.
func pieceOf(x, cols int) int { return max((x+hessianPieces-1)/hessianPieces, 4*cols, passRows) }

// weighted is features with what is needed to sum their products.
type weighted[F linalg.Float] struct {
	x       linalg.Matrix[F] // a row for each feature
	scaled  linalg.Matrix[F] // Φ·√W
	partial []linalg.Matrix[F]
}

// squares is Φ·W·Φᵀ of rows of features.
func (w *weighted[F]) squares(threads int, curve []float64) linalg.Matrix[float64] {
	cols, n := w.x.Rows, w.x.Cols
	piece := pieceOf(n, cols)
	if w.scaled.Rows == 0 {
		w.scaled = linalg.New[F](cols, n)
		for lo := 0; lo < n; lo += piece {
			w.partial = append(w.partial, linalg.New[F](cols, cols))
		}
	}
	roots := make([]F, n)
	for i, v := range curve {
		roots[i] = F(math.Sqrt(v))
	}
	par.For(threads, n, piece, func(lo, hi int) {
		root := roots[lo:hi]
		for j := range cols {
			to, from := w.scaled.Row(j)[lo:hi][:len(root)], w.x.Row(j)[lo:hi][:len(root)]
			for i, r := range root {
				to[i] = r * from[i]
			}
		}
		linalg.Syrk(1, linalg.Lower, linalg.NoTrans, 1, w.scaled.Slice(0, cols, lo, hi), 0, w.partial[lo/piece])
	})
	h := linalg.New[float64](cols, cols)
	for _, part := range w.partial {
		for j := range cols {
			row := part.Row(j)[:j+1]
			for k, v := range row {
				h.Data[j*h.Stride+k] += float64(v)
			}
		}
	}
	return h
}

// fewSquares is the same for few features: a product of vectors for each pair, without the packing
// of blocks that products of matrices need.
func (p *primalProblem) fewSquares(curve []float64) linalg.Matrix[float64] {
	cols, n := p.x.Rows, p.x.Cols
	piece := pieceOf(n, cols)
	few := &p.hessians.few
	if *few == nil {
		for lo := 0; lo < n; lo += piece {
			*few = append(*few, linalg.New[float64](cols, cols))
		}
	}
	par.For(p.threads, n, piece, func(first, end int) {
		h := (*few)[first/piece]
		clear(h.Data)
		var product [passRows]float64
		for lo := first; lo < end; lo += passRows {
			hi := min(lo+passRows, end)
			w := curve[lo:hi]
			for j := range cols {
				wx, x := product[:len(w)], p.x.Row(j)[lo:hi][:len(w)]
				for i, v := range w {
					wx[i] = v * x[i]
				}
				linalg.Gemv(1, linalg.NoTrans, 1, p.x.Slice(0, j+1, lo, hi), wx, 1, h.Row(j)[:j+1])
			}
		}
	})
	h := (*few)[0]
	for _, part := range (*few)[1:] {
		simd.Axpy(1, part.Data, h.Data)
	}
	return h
}
