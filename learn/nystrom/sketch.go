package nystrom

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// sketch is Σ wφφᵀ, about the mean where there is an intercept, by some of the rows, all equally
// likely, in place of all: with m rows its error in the metric of the equations is about √(d/m), d
// ≤ M their effective dimension, and conjugate gradients are done in a few iterations.
func (p *problem) sketch(ctx context.Context) (linalg.Matrix[float64], error) {
	rows, stands, err := p.sketchRows(ctx)
	if err != nil {
		return linalg.Matrix[float64]{}, err
	}
	count := min(p.Sketch, p.kept)
	if p.Precision == gram.Single {
		if noise, ok := p.bears(p.rounding(ctx), count); ok {
			total, err := sketchOfValues[float32](ctx, p, rows, gram.Single, stands)
			if err != nil {
				return total, err
			}
			if moment, ok := p.moment(ctx, total, stands*noise); ok {
				return moment, nil
			}
		}
	}
	if noise, ok := p.bears(0x1p-53, count); ok {
		total, err := sketchOfValues[float64](ctx, p, rows, gram.Double, stands)
		if err != nil {
			return total, err
		}
		if moment, ok := p.moment(ctx, total, stands*noise); ok {
			return moment, nil
		}
	}
	total, err := p.sketchOfFeatures(ctx, rows, stands)
	if err != nil {
		return total, err
	}
	moment, _ := p.moment(ctx, total, 0)
	return moment, ctx.Err()
}

// moment makes Σ(φ-c)(φ-c)ᵀ, with the sums and the weight in its last row, what is asked for, and
// says whether it is positive definite. The noise is added: what rounding may have taken off.
func (p *problem) moment(
	ctx context.Context, total linalg.Matrix[float64], noise float64,
) (linalg.Matrix[float64], bool) {
	m := p.basis.dim()
	moment := total.Slice(0, m, 0, m)
	means, weight := total.Row(m)[:m], total.At(m, m)
	if p.intercept {
		for i := range m {
			row := moment.Row(i)
			for j := range row[:i+1] {
				row[j] -= means[i] / weight * means[j]
			}
		}
	} else { // not about the mean: what was taken off is put back
		shift(moment, p.basis.center, means, weight)
	}
	if noise == 0 {
		return moment, true
	}
	for i := range m {
		moment.Row(i)[i] += noise / (p.basis.l.pivot(i) * p.basis.l.pivot(i))
	}
	_, err := preconditioner(ctx, p.Threads, moment, p.ridge)
	return moment, err == nil
}

// sketchRows is the rows that a sketch is made of, and how many each of them stands for. All rows
// stay where they are; some are drawn into memory.
func (p *problem) sketchRows(ctx context.Context) (rows data.Source[any], stands float64, err error) {
	if p.Sketch >= p.kept {
		return p.rows, 1, nil
	}
	x, weights, err := p.draw(ctx, p.Sketch)
	if err != nil {
		return nil, 0, err
	}
	return data.NewInMemory(x, nil, 0, weights), float64(p.kept) / float64(p.Sketch), nil
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
