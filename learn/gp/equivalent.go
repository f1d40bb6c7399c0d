package gp

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"gonum.org/v1/gonum/mat"
)

// EquivalentWeights returns the weights of the targets in the posterior mean, a row h(x) = A⁻¹k(X,
// x) for each point and a column for each training point: the mean is Σᵢ hᵢ(x)·yᵢ (Rasmussen and
// Williams 2006, §2.6). Where the mean b was fitted, which is linear in the targets too, its share
// is in them and they add up to 1; where it was given they are the weights of y - b.
func (m *Regressor[T]) EquivalentWeights(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.Matrix(x, len(m.p.y), func(dst *mat.Dense) error { return m.EquivalentWeightsTo(ctx, dst, x) })
}

// EquivalentWeightsTo sets row i of dst to the weights at point i.
func (m *Regressor[T]) EquivalentWeightsTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	return m.equivalentWeights(ctx, dst, data.Erase(x))
}

func (m *posterior) equivalentWeights(ctx context.Context, dst *mat.Dense, x data.Points[any]) error {
	if err := m.ready(ctx, x); err != nil {
		return err
	}
	if err := apply.CheckDims(dst, x.Len(), len(m.p.y)); err != nil || x.Len() == 0 {
		return err
	}
	v, err := m.reduced(ctx, x)
	if err != nil {
		return err
	}
	slack := m.slack(v)
	for i, h := range m.half { // the mean's share, slack·A⁻¹1/1ᵀA⁻¹1
		for j, t := range slack {
			v.Row(i)[j] += t * h / m.s.onesA1
		}
	}
	if err := m.s.chol.SolveLTContext(ctx, m.p.Threads, v); err != nil {
		return err
	}
	for i := range x.Len() {
		row := dst.RawRowView(i)
		for j := range row {
			row[j] = v.At(j, i)
		}
	}
	return nil
}
