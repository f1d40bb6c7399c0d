package ridge

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/learn"
)

// judgeCells finds the predictions of all folds and all λ from one
// eigendecomposition. With weights W, K̃ = W^½KW^½ = UΛUᵀ and ỹ = W^½y, M = U(Λ+λ)⁻¹Uᵀ,
// an intercept that is not penalised takes u uᵀ/(ṽᵀu) off M, where ṽ = W^½1 and
// u = Mṽ. The residual of a machine fitted without fold f is then exactly
// M_ff⁻¹ (M ỹ)_f (the block form of the leave-one-out identity; see e.g. An, Liu & Venkatesh 2007), so no fold is ever fitted;
// how its outputs come from that is said at leftOut.
func judgeCells[T any](ctx context.Context, c *learn.Cells[T]) error {
	n := c.Problem.Len()
	matrix := linalg.Matrix[float64](c.Gram())
	root := make([]float64, n)
	for i := range root {
		root[i] = 1
		if c.Problem.Weights != nil {
			root[i] = math.Sqrt(c.Problem.Weights[i])
		}
	}
	if c.Problem.Weights != nil {
		for i := range n {
			row := matrix.Row(i)
			for j := range row {
				row[j] *= root[i] * root[j]
			}
		}
	}
	values, vectors, err := linalg.SymEigenContext(ctx, c.Threads, matrix)
	if err != nil {
		return fmt.Errorf("ridge: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := gram.Definite(values); err != nil {
		return fmt.Errorf("ridge: %w", err) // as a fit would be refused, or doubted
	}
	settleSpectrum(values)
	r := newRidgeFolds(values, vectors, root, targetsOf(c.Problem), !c.NoIntercept)
	// The products of a stretch of the path are kept for all folds, in no more
	// room than a Gram matrix.
	step := max(1, n/2)
	for lo := 0; lo < len(c.Params); lo += step {
		hi := min(lo+step, len(c.Params))
		lambdas := make([]float64, hi-lo)
		for i := range lambdas {
			lambdas[i] = c.Params[lo+i]["lambda"]
		}
		r.multiply(c.Threads, lambdas)
		err := c.OverFolds(len(c.Folds), func(f int) error {
			fold := r.fold(c.Folds[f].Test)
			for i, l := range lambdas {
				if err := ctx.Err(); err != nil {
					return err
				}
				if !c.Alive(lo+i, f) {
					continue
				}
				values, err := fold.leftOut(i)
				if err != nil {
					return fmt.Errorf("ridge: λ = %g: %w", l, err)
				}
				c.Judge(lo+i, f, decide(values, c.Folds[f].Test, c.Problem.ClassCount()))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// settleSpectrum sets eigenvalues to zero, ascending as they are, that rounding cannot tell from it: beside a small λ, what it
// leaves of a zero would count for something. It says whether none is lower; what is lower is the kernel's own.
func settleSpectrum(values []float64) bool {
	n := len(values)
	unit := 0x1p-52 * math.Max(math.Abs(values[0]), math.Abs(values[n-1]))
	if values[0] < -100*float64(n)*unit {
		return false
	}
	for j, v := range values {
		if v < 32*unit {
			values[j] = 0
		}
	}
	return true
}

// targetsOf is the target as columns: itself, or ±1 for two classes, or ±1 of
// each class against the rest.
func targetsOf[T any](p learn.Problem[T]) linalg.Matrix[float64] {
	n, k := p.Len(), p.ClassCount()
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

// tie is the difference of outputs below which classes, of targets ±1, are not told apart: rounding is far below it, and
// what rounding leaves of an output of zero is no reason to call a point of one class or another.
const tie = 1e-10

// decide turns the outputs at rows into predictions.
func decide(values linalg.Matrix[float64], rows []int, k int) learn.Predictions {
	out := learn.Predictions{Rows: rows, Classes: k}
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
			row[c] = math.Round(row[c]/tie) * tie
		}
		out.Class[i] = learn.ArgMax(row)
	}
	return out
}
