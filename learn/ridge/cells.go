package ridge

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
)

// judgeCells finds the predictions of all folds and all λ from one eigendecomposition. With weights
// W, K̃ = W^½KW^½ = UΛUᵀ and ỹ = W^½y, M = U(Λ+λ)⁻¹Uᵀ, an intercept that is not penalised takes u
// uᵀ/(ṽᵀu) off M, where ṽ = W^½1 and u = Mṽ. The residual of a machine fitted without fold f is
// then exactly M_ff⁻¹ (M ỹ)_f (the block form of the leave-one-out identity; see e.g. An, Liu &
// Venkatesh 2007), so no fold is ever fitted; how its outputs come from that is said at leftOut.
func judgeCells(ctx context.Context, c *learn.Cells) error {
	n := c.Problem.Len()
	matrix := linalg.Matrix[float64](c.Gram())
	root, weights := make([]float64, n), c.Problem.FitWeights()
	for i := range root {
		root[i] = 1
		if weights != nil {
			root[i] = math.Sqrt(weights[i])
		}
	}
	if weights != nil {
		for i := range n {
			row := matrix.Row(i)
			for j := range row {
				row[j] *= root[i] * root[j]
			}
		}
	}
	values, vectors, err := spectrum(ctx, c.Device, c.Threads, matrix)
	if err != nil {
		return fmt.Errorf("ridge: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := gram.Definite(values); err != nil {
		return fmt.Errorf("ridge: %w", err) // as a fit would be refused, or doubted
	}
	settleSpectrum(values, 0)
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
			var alive []int
			for i := range lambdas { // in order, since a race asks what it gave up
				if c.Alive(lo+i, f) {
					alive = append(alive, i)
				}
			}
			fold := r.fold(c.Folds[f].Test)
			fold.chip = gram.NewShiftedBlocks(c.Device, linalg.Dense(fold.basis), len(alive), r.targets.Cols)
			defer fold.chip.Close()
			return fold.along(ctx, r.sideBySide(c, f), alive, func(i int, values linalg.Matrix[float64]) {
				c.Judge(lo+i, f, fitting.Decide(values, c.Folds[f].Test, c.Problem.ClassCount()))
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// settleSpectrum sets eigenvalues to zero, ascending as they are, that rounding cannot tell from
// it: beside a small λ, what it leaves of a zero would count for something. It says whether none is
// lower; what is lower is the kernel's own. removed is the size of what was taken out of the matrix
// before, which left its rounding behind.
func settleSpectrum(values []float64, removed float64) bool {
	n := len(values)
	unit := 0x1p-52 * math.Max(math.Abs(values[0]), math.Abs(values[n-1]))
	if values[0] < -100*float64(n)*max(unit, 0x1p-52*removed) {
		return false
	}
	for j, v := range values {
		if v < 32*unit {
			values[j] = 0
		}
	}
	return true
}

// targetsOf is the targets as columns: themselves, or ±1 for two classes, or ±1 of
// each class against the rest.
func targetsOf(p learn.Problem[any]) linalg.Matrix[float64] {
	n, k := p.Len(), p.ClassCount()
	if k == 0 {
		m := linalg.New[float64](n, p.Targets())
		for t := range m.Cols {
			for i, y := range p.Target(t).Y {
				m.Set(i, t, y)
			}
		}
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
