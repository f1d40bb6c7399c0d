package solve

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// lowerFactor is the Cholesky factor L of a matrix A = LLᵀ from which variables are taken away one
// by one.
type lowerFactor struct {
	l     linalg.Matrix[float64]
	whole *linalg.Cholesky // until the first is taken away
}

// factorOf factorises the rows and columns at live of g, and says whether that could be done.
func factorOf(t int, g linalg.Matrix[float64], live []int) (lowerFactor, bool) {
	a := linalg.New[float64](len(live), len(live))
	for p, r := range live {
		for c, s := range live {
			a.Row(p)[c] = g.At(r, s)
		}
	}
	chol, err := linalg.NewCholesky(t, a)
	if err != nil {
		return lowerFactor{}, false
	}
	return lowerFactor{chol.L, chol}, true
}

// solve puts A⁻¹d in place of d, in k² operations.
func (f lowerFactor) solve(t int, d []float64) {
	if f.whole != nil {
		f.whole.Solve(t, linalg.Matrix[float64]{Rows: len(d), Cols: 1, Stride: 1, Data: d})
		return
	}
	for i := range d {
		row := f.l.Row(i)
		d[i] = (d[i] - simd.Dot(row[:i], d[:i])) / row[i]
	}
	for i := len(d) - 1; i >= 0; i-- {
		row := f.l.Row(i)
		d[i] /= row[i]
		simd.Axpy(-d[i], row[:i], d[:i])
	}
}

// remove takes row and column p out of A: without row p, L has one entry too many in each later
// row, which rotations of neighbouring columns bring to 0 (Golub and Van Loan, 6.5.4). It says
// whether the factor can still be used.
func (f *lowerFactor) remove(p int) bool {
	f.whole = nil
	k := f.l.Rows
	cos, sin := make([]float64, k), make([]float64, k)
	for r := p; r < k-1; r++ {
		row := f.l.Row(r)
		copy(row[:r+2], f.l.Row(r + 1)[:r+2])
		for i := p; i < r; i++ {
			a, b := row[i], row[i+1]
			row[i], row[i+1] = cos[i]*a+sin[i]*b, cos[i]*b-sin[i]*a
		}
		h := math.Hypot(row[r], row[r+1])
		if !(h > 0) || math.IsInf(h, 0) {
			return false
		}
		cos[r], sin[r] = row[r]/h, row[r+1]/h
		row[r], row[r+1] = h, 0
	}
	f.l = f.l.Slice(0, k-1, 0, k-1)
	return true
}
