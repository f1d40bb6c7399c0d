// Package rkhs holds elements of the reproducing kernel Hilbert space of a
// kernel: finite expansions f = Σ αᵢ k(cᵢ, ·) + b, and what can be done with
// them.
package rkhs

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/linalg"
	"github.com/mercer-ml/mercer/internal/par"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Func is f(x) = Σᵢ αᵢ k(cᵢ, x) + b, with one or several outputs: row i of
// Coef holds the coefficients of centre i, column j those of output j.
type Func[T any] struct {
	Kernel  kernel.Kernel[T]
	Centers data.Points[T]
	Coef    *mat.Dense
	Bias    []float64 // one for each output; nil means none
}

// Outputs is the number of columns of Coef.
func (f *Func[T]) Outputs() int {
	_, c := f.Coef.Dims()
	return c
}

// evalRows is how many points are evaluated at a time, so that the block of
// kernel values stays in cache.
const evalRows = 64

// EvalTo sets row i of dst to f(x.At(i)), in parallel.
func (f *Func[T]) EvalTo(dst *mat.Dense, x data.Points[T]) {
	out, coef := linalg.Of(dst), linalg.Of(f.Coef)
	t := kernel.Prepare(f.Kernel, x, f.Centers)
	par.For(0, out.Rows, evalRows, func(lo, hi int) {
		k := linalg.New[float64](hi-lo, coef.Rows)
		t.Tile(k, lo, 0)
		piece := out.Slice(lo, hi, 0, out.Cols)
		linalg.Gemm(1, linalg.NoTrans, linalg.NoTrans, 1, k, coef, 0, piece)
		for i := range piece.Rows {
			for j, b := range f.Bias {
				piece.Row(i)[j] += b
			}
		}
	})
}
