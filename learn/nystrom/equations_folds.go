package nystrom

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
)

// FoldErrors is what cross-validation says of each λ.
type FoldErrors struct {
	Lambda float64
	// Squares is, for each fold, the weighted mean of ‖y - f(x)‖² over its rows, f fitted to the rows of the others; for classes y is ±1.
	Squares []float64
	Mean    float64 // over all rows
}

// CrossValidate judges every λ (a row: see Solve) from the sums of the folds: what a function leaves of the rows of a fold, Σ w(y - ⟨v, φ⟩ - b)², is a quadratic form in their sums, so that no row
// is looked at again. spread is the weighted variance of the targets about their means, summed over outputs: what the best constant would leave.
func (e *Equations[T]) CrossValidate(ctx context.Context, folds [][]float64, lambdas []float64) (judged []FoldErrors, spread float64, err error) {
	defer fault.Name("nystrom", &err)
	if len(folds) < 2 {
		return nil, 0, fmt.Errorf("%d folds; give two or more", len(folds))
	}
	all := make([]float64, e.Len())
	for _, f := range folds {
		if len(f) != len(all) {
			return nil, 0, fmt.Errorf("a sum of %d numbers, want %d", len(f), len(all))
		}
		for i, v := range f {
			all[i] += v
		}
	}
	judged = make([]FoldErrors, len(lambdas))
	for i, lambda := range lambdas {
		if !(lambda > 0) || math.IsInf(lambda, 0) {
			return nil, 0, fmt.Errorf("λ is %g; give a positive number", lambda)
		}
		judged[i] = FoldErrors{Lambda: lambda, Squares: make([]float64, len(folds))}
	}
	m, train, weight := e.Centers.Len(), make([]float64, len(all)), 0.0
	for f, sums := range folds {
		test, err := e.unpack(sums)
		if err != nil {
			return nil, 0, fmt.Errorf("fold %d: %w", f+1, err)
		}
		for i, v := range all {
			train[i] = v - sums[i]
		}
		_, n, err := e.normal(train)
		if err != nil {
			return nil, 0, fmt.Errorf("the rows outside of fold %d: %w", f+1, err)
		}
		if err := n.decompose(ctx); err != nil {
			return nil, 0, err
		}
		w := test.At(m, m)
		weight += w
		for i, lambda := range lambdas {
			left := e.left(test, n.at(lambda*train[0]))
			judged[i].Squares[f] = left / w
			judged[i].Mean += left
		}
	}
	for i := range judged {
		judged[i].Mean /= weight
	}
	total, err := e.unpack(all)
	if err != nil {
		return nil, 0, err
	}
	for o := range e.Outputs() {
		y := total.Row(m + 1 + o)
		spread += math.Max(y[m+1+o]-y[m]*y[m]/weight, 0) / weight
	}
	return judged, spread, ctx.Err()
}

// left is Σ w‖y - f(x)‖² over the rows of sums: for an output cᵀSc with c = [-v, -b, 1], b about Center and Shift.
func (e *Equations[T]) left(sums linalg.Matrix[float64], s *solution) float64 {
	m, out := e.Centers.Len(), 0.0
	c := linalg.New[float64](e.order(), e.Outputs())
	for o := range e.Outputs() {
		b := -e.Shift[o]
		if s.bias != nil {
			b += s.bias[o]
		}
		for j := range m {
			v := s.v.At(j, o)
			c.Set(j, o, -v)
			if e.Intercept { // features are summed about Center
				b += v * e.Center[j]
			}
		}
		c.Set(m, o, -b)
		c.Set(m+1+o, o, 1)
	}
	sc := linalg.New[float64](c.Rows, c.Cols)
	linalg.Symm(e.Threads, linalg.Left, linalg.Lower, 1, sums, c, 0, sc)
	for i, v := range c.Data {
		out += v * sc.Data[i]
	}
	return math.Max(out, 0)
}
