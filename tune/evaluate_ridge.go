package tune

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/linalg"
	"github.com/mercer-ml/mercer/internal/simd"
	"github.com/mercer-ml/mercer/kernel"
)

// evaluateRidge finds the predictions of all folds and all λ from one
// eigendecomposition. With weights W, K̃ = W^½KW^½ = UΛUᵀ and ỹ = W^½y, M = U(Λ+λ)⁻¹Uᵀ,
// an intercept that is not penalised takes u uᵀ/(ṽᵀu) off M, where ṽ = W^½1 and
// u = Mṽ. The residual of a machine fitted without fold f is then exactly
// M_ff⁻¹ (M ỹ)_f (the block form of the leave-one-out identity; see e.g. An, Liu & Venkatesh 2007), so no fold is ever fitted.
func evaluateRidge[T any](ctx context.Context, e *engine[T], k kernel.Kernel[T], w *groupWork) error {
	n := e.p.Len()
	for _, fold := range e.folds {
		if len(fold.Train)+len(fold.Test) != n {
			return fmt.Errorf("ridge: folds that leave rows out (time-ordered) are fitted one by one")
		}
	}
	gram := linalg.New[float64](n, n)
	e.metrics.gram64(gram, k, w.threads)
	root := make([]float64, n)
	for i := range root {
		root[i] = 1
		if e.p.Weights != nil {
			root[i] = math.Sqrt(e.p.Weights[i])
		}
	}
	if e.p.Weights != nil {
		for i := range n {
			row := gram.Row(i)
			for j := range row {
				row[j] *= root[i] * root[j]
			}
		}
	}
	values, vectors, err := linalg.SymEigen(w.threads, gram)
	if err != nil {
		return fmt.Errorf("ridge: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	r := &ridgeFolds{values: values, vectors: vectors, root: root, intercept: w.intercept, targets: targetsOf(e.p)}
	r.project()
	for i := range w.path {
		if err := ctx.Err(); err != nil {
			return err
		}
		l := w.path[i]["lambda"]
		r.atLambda(l)
		err := w.overFolds(len(e.folds), func(f int) error {
			if !w.alive(i, f) {
				return ctx.Err()
			}
			values, err := r.leftOut(e.folds[f].Test)
			if err != nil {
				return fmt.Errorf("ridge: λ = %g: %w", l, err)
			}
			w.judge(i, f, decide(values, e.folds[f].Test, e.p.classes()))
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// targetsOf is the target as columns: itself, or ±1 for two classes, or ±1 of
// each class against the rest.
func targetsOf[T any](p Problem[T]) linalg.Matrix[float64] {
	n, k := p.Len(), p.classes()
	if k == 0 {
		m := linalg.New[float64](n, 1)
		copy(m.Data, p.Y)
		return m
	}
	columns := k
	if k == 2 {
		columns = 1
	}
	m := linalg.New[float64](n, columns)
	for i, y := range p.Y {
		for c := range columns {
			if m.Set(i, c, -1); k > 2 && int(y) == c || k == 2 && y == 1 {
				m.Set(i, c, 1)
			}
		}
	}
	return m
}

// decide turns the outputs at rows into predictions.
func decide(values linalg.Matrix[float64], rows []int, k int) Predictions {
	out := Predictions{Rows: rows, Classes: k}
	if k == 0 {
		out.Value = make([]float64, values.Rows)
		for i := range out.Value {
			out.Value[i] = values.At(i, 0)
		}
		return out
	}
	out.Class = make([]int, values.Rows)
	out.Score = make([]float64, values.Rows*k)
	for i := range out.Class {
		row := out.Score[i*k : (i+1)*k]
		if k == 2 {
			row[0], row[1] = -values.At(i, 0), values.At(i, 0)
		} else {
			copy(row, values.Row(i))
		}
		for c := range row {
			if row[c] > row[out.Class[i]] {
				out.Class[i] = c
			}
		}
		if k == 2 && row[1] <= 0 {
			out.Class[i] = 0
		}
	}
	return out
}

// ridgeFolds is what the folds of one kernel share.
type ridgeFolds struct {
	values    []float64
	vectors   linalg.Matrix[float64] // columns are eigenvectors
	root      []float64              // √w
	intercept bool
	targets   linalg.Matrix[float64]
	inner     linalg.Matrix[float64] // Uᵀ[ỹ, ṽ]
	// At the present λ: 1/(Λ+λ), M ỹ (with the intercept taken care of), u, ṽᵀu.
	shrink  []float64
	scaled  linalg.Matrix[float64] // U diag(√shrink)
	product linalg.Matrix[float64]
	u       []float64
	total   float64
}

func (r *ridgeFolds) project() {
	n, k := r.targets.Rows, r.targets.Cols
	y := linalg.New[float64](n, k+1)
	for i := range n {
		row := y.Row(i)
		for c, v := range r.targets.Row(i) {
			row[c] = v * r.root[i]
		}
		row[k] = r.root[i]
	}
	r.inner = linalg.New[float64](n, k+1)
	linalg.Gemm(1, linalg.Trans, linalg.NoTrans, 1, r.vectors, y, 0, r.inner)
	r.shrink = make([]float64, n)
	r.scaled = linalg.New[float64](n, n)
	r.product = linalg.New[float64](n, k+1)
	r.u = make([]float64, n)
}

func (r *ridgeFolds) atLambda(lambda float64) {
	n, k := r.targets.Rows, r.targets.Cols
	half := make([]float64, n)
	right := r.inner.Clone()
	for j, v := range r.values {
		// Rounding may leave eigenvalues of a semi-definite matrix a little
		// below zero; they are zero.
		r.shrink[j] = 1 / (max(v, 0) + lambda)
		half[j] = math.Sqrt(r.shrink[j])
		simd.Scal64(r.shrink[j], right.Row(j))
	}
	for i := range n {
		row := r.scaled.Row(i)
		for j, v := range r.vectors.Row(i) {
			row[j] = v * half[j]
		}
	}
	linalg.Gemm(1, linalg.NoTrans, linalg.NoTrans, 1, r.vectors, right, 0, r.product)
	if !r.intercept {
		return
	}
	r.total = 0
	constant := make([]float64, k)
	for i := range n {
		row := r.product.Row(i)
		r.u[i] = row[k]
		r.total += r.root[i] * row[k]
		for c := range constant {
			constant[c] += r.root[i] * row[c]
		}
	}
	for i := range n {
		row := r.product.Row(i)
		for c := range constant {
			row[c] -= r.u[i] * constant[c] / r.total
		}
	}
}

// leftOut is the outputs at the rows of a fold of the machine fitted without
// them.
func (r *ridgeFolds) leftOut(rows []int) (linalg.Matrix[float64], error) {
	m, n, k := len(rows), len(r.values), r.targets.Cols
	part := linalg.New[float64](m, n)
	residual := linalg.New[float64](m, k)
	for a, i := range rows {
		copy(part.Row(a), r.scaled.Row(i))
		copy(residual.Row(a), r.product.Row(i)[:k])
	}
	block := linalg.New[float64](m, m)
	linalg.Syrk(1, linalg.Lower, linalg.NoTrans, 1, part, 0, block)
	if r.intercept {
		for a, i := range rows {
			row := block.Row(a)
			for b, j := range rows[:a+1] {
				row[b] -= r.u[i] * r.u[j] / r.total
			}
		}
	}
	c, err := linalg.NewCholesky(1, block)
	if err != nil {
		return residual, err
	}
	c.Solve(1, residual)
	for a, i := range rows {
		row := residual.Row(a)
		for o := range row {
			row[o] = r.targets.At(i, o) - row[o]/r.root[i]
		}
	}
	return residual, nil
}
