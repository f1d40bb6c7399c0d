package nystrom

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/mat"
)

// sketch is Σ wφφᵀ, about the mean where there is an intercept, by some of the rows, all equally likely, in place of all: with m rows its error in the
// metric of the equations is about √(d/m), d ≤ M their effective dimension, and conjugate gradients are done in a few iterations.
func (p *problem[T]) sketch(ctx context.Context) (linalg.Matrix[float64], error) {
	m := p.basis.dim()
	total := linalg.New[float64](m+1, m+1)
	count := min(p.Sketch, p.kept)
	x, weights, err := p.draw(ctx, count)
	if err != nil {
		return total, err
	}
	pair, err := gram.NewPair(p.kernel, data.NewInMemory(x, nil, 0, weights), p.basis.centers, gram.PairOptions{Threads: p.Threads})
	if err != nil {
		return total, err
	}
	stands := float64(p.kept) / float64(count) // rows that each stands for
	design := linalg.New[float64](0, m+1)
	if err := pair.Visit(ctx, func(block data.Block[T], k *mat.Dense) error {
		if design.Rows < block.Len() {
			design = linalg.New[float64](block.Len(), m+1)
		}
		z := design.Slice(0, block.Len(), 0, m+1)
		phi := linalg.Of(k)
		if err := p.basis.features(ctx, phi); err != nil {
			return err
		}
		for i := range z.Rows {
			row, root := z.Row(i), math.Sqrt(stands*block.Weight(i))
			for j, v := range phi.Row(i) {
				row[j] = root * (v - p.basis.center[j])
			}
			row[m] = root
		}
		return linalg.SyrkContext(ctx, p.Threads, linalg.Lower, linalg.Trans, 1, z, 1, total)
	}); err != nil {
		return total, err
	}
	moment := total.Slice(0, m, 0, m).Clone()
	if !p.intercept { // not about the mean: what was taken off is put back
		shift(moment, p.basis.center, total.Row(m)[:m], total.At(m, m))
		return moment, ctx.Err()
	}
	means, weight := total.Row(m)[:m], total.At(m, m)
	for i := range m {
		row := moment.Row(i)
		for j := range row[:i+1] {
			row[j] -= means[i] / weight * means[j]
		}
	}
	return moment, ctx.Err()
}

// shift makes Σ(φ-c)(φ-c)ᵀ, with its sums s and weight w, into Σφφᵀ: + csᵀ + scᵀ + w·ccᵀ.
func shift(a linalg.Matrix[float64], c, s []float64, w float64) {
	for i := range a.Rows {
		row := a.Row(i)
		for j := range row[:i+1] {
			row[j] += c[i]*s[j] + s[i]*c[j] + w*c[i]*c[j]
		}
	}
}
