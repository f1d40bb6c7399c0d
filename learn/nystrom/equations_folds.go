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
	// Squares is, for each fold, the weighted mean of ‖y - f(x)‖² over its rows, f fitted to the
	// rows of the others; for classes y is ±1.
	Squares []float64
	Mean    float64   // over all rows
	Outputs []float64 // the same for each output: they add up to Mean
}

// CrossValidate judges every λ (a row: see Solve) from the sums of the folds: what a function
// leaves of the rows of a fold, Σ w(y - ⟨v, φ⟩ - b)², is a quadratic form in their sums, so that no
// row is looked at again. spread is, for each output, the weighted variance of the target about its
// mean: what the best constant would leave.
func (e *Equations[T]) CrossValidate(
	ctx context.Context, folds [][]float64, lambdas []float64,
) (judged []FoldErrors, spread []float64, err error) {
	return crossValidate(ctx, e.open(), folds, lambdas)
}

func crossValidate(
	ctx context.Context, e *Equations[any], folds [][]float64, lambdas []float64,
) (judged []FoldErrors, spread []float64, err error) {
	defer fault.Name("nystrom", &err)
	if len(folds) < 2 {
		return nil, nil, fmt.Errorf("%d folds; give two or more", len(folds))
	}
	all := make([]float64, e.Len())
	for _, f := range folds {
		if len(f) != len(all) {
			return nil, nil, fmt.Errorf("a sum of %d numbers, want %d", len(f), len(all))
		}
		for i, v := range f {
			all[i] += v
		}
	}
	judged = make([]FoldErrors, len(lambdas))
	for i, lambda := range lambdas {
		if !(lambda > 0) || math.IsInf(lambda, 0) {
			return nil, nil, fmt.Errorf("λ is %g; give a positive number", lambda)
		}
		judged[i] = FoldErrors{Lambda: lambda, Squares: make([]float64, len(folds)), Outputs: make([]float64, e.Outputs())}
	}
	m, train, weight := e.Centers.Len(), make([]float64, len(all)), 0.0
	for f, sums := range folds {
		test, err := unpack(e, sums)
		if err != nil {
			return nil, nil, fmt.Errorf("fold %d: %w", f+1, err)
		}
		for i, v := range all {
			train[i] = v - sums[i]
		}
		_, n, err := normalOf(e, train)
		if err != nil {
			return nil, nil, fmt.Errorf("the rows outside of fold %d: %w", f+1, err)
		}
		if err := n.decompose(ctx); err != nil {
			return nil, nil, err
		}
		w := test.At(m, m)
		weight += w
		for i, lambda := range lambdas {
			for o, left := range leftOf(e, test, n.at(lambda*train[0])) {
				judged[i].Squares[f] += left / w
				judged[i].Outputs[o] += left
			}
		}
	}
	for i := range judged {
		for o := range judged[i].Outputs {
			judged[i].Outputs[o] /= weight
			judged[i].Mean += judged[i].Outputs[o]
		}
	}
	total, err := unpack(e, all)
	if err != nil {
		return nil, nil, err
	}
	for o := range e.Outputs() {
		y := total.Row(m + 1 + o)
		spread = append(spread, math.Max(y[m+1+o]-y[m]*y[m]/weight, 0)/weight)
	}
	return judged, spread, ctx.Err()
}

// leftOf is Σ w(y - f(x))² over the rows of sums, for each output: cᵀSc with c = [-v, -b, 1], b about
// Center and Shift.
func leftOf(e *Equations[any], sums linalg.Matrix[float64], s *solution) []float64 {
	m, out := e.Centers.Len(), make([]float64, e.Outputs())
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
	for i := range c.Rows {
		for o, v := range c.Row(i) {
			out[o] += v * sc.At(i, o)
		}
	}
	for o := range out {
		out[o] = math.Max(out[o], 0)
	}
	return out
}
