package gp

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
)

// A search for q from nothing begins with a sample of the rows, of which each counts for as many as
// there are for it: natural gradient steps on a minibatch (Hensman, Fusi and Lawrence 2013), which
// cost a part of those on all rows. They end where the sample's noise is what is left.
const (
	sampleShare    = 16 // of the rows one in so many, but
	samplePoints   = 8  // times as many as there are points Z
	sampleFrom     = 4  // all rows are taken where they are not so many times as many
	sampleTol      = 0.05
	sampleLeast    = 2048
	sampleSequence = 1 // of the draw, which is the same in every fit
)

// sampled is q by a sample of the rows; nil where the rows are too few for one.
func (p *variationalProblem) sampled(
	ctx context.Context, k kernel.Kernel[any], z data.Points[any],
) (*variational, error) {
	n := p.census.Kept
	count := max(n/sampleShare, samplePoints*z.Len(), sampleLeast)
	if count*sampleFrom > n {
		return nil, nil
	}
	rows, err := fitting.DrawRows(ctx, p.rows, n, count, sampleSequence)
	if err != nil {
		return nil, err
	}
	total := 0.0
	for i := range count {
		total += rows.Weights[i]
	}
	for i := range rows.Weights {
		rows.Weights[i] *= p.census.Weight / total
	}
	part := *p
	part.rows, part.flat, part.tol = data.NewInMemory(rows.Points, rows.Targets, 1, rows.Weights), nil, sampleTol
	u, err := part.inducing(ctx, k, z, make([]bool, len(kernel.Params(k))))
	if err != nil {
		return nil, err
	}
	defer u.leave()
	return part.climb(ctx, part.prior(u), nil)
}
