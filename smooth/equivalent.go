package smooth

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/smoothing"
	"gonum.org/v1/gonum/mat"
)

// EquivalentWeights returns the weights of the targets in the curve, a row l(x) for each point:
// y(x) = Σᵢ lᵢ(x)·tᵢ (Hastie and Loader 1993). With a robust fit they are those of its last
// weights. A row is NaN where no point is in reach.
func (m *LocalRegressionModel) EquivalentWeights(ctx context.Context, x data.Points[[]float64]) (*mat.Dense, error) {
	return apply.Matrix(x, m.z.Rows, func(dst *mat.Dense) error { return m.EquivalentWeightsTo(ctx, dst, x) })
}

// EquivalentWeightsTo sets row i of dst, with a column for each training point, to the weights at
// point i.
func (m *LocalRegressionModel) EquivalentWeightsTo(
	ctx context.Context, dst *mat.Dense, x data.Points[[]float64],
) error {
	q, err := rowQueries(ctx, dst, x, m.z.Cols, m.z.Rows, m.metric)
	if err != nil {
		return fmt.Errorf("local regression: %w", err)
	}
	par.For(m.config.Threads, q.Rows, 8, func(lo, hi int) {
		f := newLocalFit(m)
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			row := dst.RawRowView(i)
			if math.IsNaN(f.at(q.Row(i))) {
				fill(row, math.NaN())
				continue
			}
			clear(row)
			for a, l := range f.operator() {
				row[f.rows[a]] = l
			}
		}
	})
	return ctx.Err()
}

// EquivalentWeights returns the weights of the targets in the curve, a row for each point: k(x,
// xᵢ)/Σⱼ k(x, xⱼ), which are not negative and add up to 1. A row is NaN where no point is in reach.
func (m *NadarayaWatsonModel) EquivalentWeights(ctx context.Context, x data.Points[[]float64]) (*mat.Dense, error) {
	return apply.Matrix(x, m.sum.Tree.N, func(dst *mat.Dense) error { return m.EquivalentWeightsTo(ctx, dst, x) })
}

// EquivalentWeightsTo sets row i of dst, with a column for each training point, to the weights at
// point i.
func (m *NadarayaWatsonModel) EquivalentWeightsTo(ctx context.Context, dst *mat.Dense, x data.Points[[]float64]) error {
	q, err := rowQueries(ctx, dst, x, m.sum.Tree.Dim, m.sum.Tree.N, m.metric)
	if err != nil {
		return fmt.Errorf("nadaraya-watson: %w", err)
	}
	par.For(m.threads, q.Rows, 8, func(lo, hi int) {
		var room smoothing.Room
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			row := dst.RawRowView(i)
			w := m.shares(&room, q.Row(i))
			if w == nil {
				fill(row, math.NaN())
			}
			for p, v := range w {
				row[m.sum.Tree.Index[p]] = v
			}
		}
	})
	return ctx.Err()
}

// rowQueries is queries with a row of dst for each point.
func rowQueries(
	ctx context.Context, dst *mat.Dense, x data.Points[[]float64], d, cols int, by smoothing.Metric,
) (linalg.Matrix[float64], error) {
	if err := ctx.Err(); err != nil {
		return linalg.Matrix[float64]{}, err
	}
	q, err := apply.Queries(x, d)
	if err != nil {
		return q, err
	}
	by.Divide(q)
	return q, apply.CheckDims(dst, q.Rows, cols)
}

func fill(row []float64, v float64) {
	for i := range row {
		row[i] = v
	}
}
