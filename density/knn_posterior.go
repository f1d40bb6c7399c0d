package density

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/smoothing"
	"gonum.org/v1/gonum/mat"
)

// KNNPosterior is the class of a point by the classes of its K nearest ones:
// with K_c of the K points in class c and N_c in all,
//
//	p(x|c) = K_c/(N_c·V),  p(c) = N_c/N,  hence  p(c|x) = K_c/K
//
// (E. Fix and J. Hodges, Discriminatory analysis, 1951).
type KNNPosterior[L cmp.Ordered] struct {
	K       int       // 0 means √n
	Priors  []float64 // replace the shares N_c/N, in increasing order of the labels; nil keeps them
	Threads int       // 0 means all
}

// KNNPosteriorModel is a fitted KNNPosterior, with the density of all points
// together.
type KNNPosteriorModel[L cmp.Ordered] struct {
	KNNModel
	classes []L
	class   []int     // by row
	factor  []float64 // prior_c/N_c
}

// Fit stores labelled points.
func (c KNNPosterior[L]) Fit(ctx context.Context, x data.Points[[]float64], y []L) (*KNNPosteriorModel[L], error) {
	m, err := KNN{K: c.K, Threads: c.Threads}.Fit(ctx, x)
	if err != nil {
		return nil, err
	}
	if len(y) != m.tree.N {
		return nil, fmt.Errorf("k-NN density: %d points but %d labels", m.tree.N, len(y))
	}
	p := &KNNPosteriorModel[L]{KNNModel: *m, class: make([]int, len(y))}
	counts := map[L]float64{}
	for i, l := range y {
		if l != l {
			return nil, fmt.Errorf("k-NN density: label %d is not a number; remove or replace it", i)
		}
		if counts[l]++; counts[l] == 1 {
			p.classes = append(p.classes, l)
		}
	}
	slices.Sort(p.classes)
	for i, l := range y {
		p.class[i], _ = slices.BinarySearch(p.classes, l)
	}
	if c.Priors != nil && len(c.Priors) != len(p.classes) {
		return nil, fmt.Errorf("k-NN density: %d priors for %d classes", len(c.Priors), len(p.classes))
	}
	for a, l := range p.classes {
		f := 1.0
		if c.Priors != nil {
			if !(c.Priors[a] >= 0) || math.IsInf(c.Priors[a], 1) {
				return nil, errors.New("k-NN density: priors are finite and not negative")
			}
			f = c.Priors[a] / counts[l]
		}
		p.factor = append(p.factor, f)
	}
	return p, nil
}

// Classes lists the labels in increasing order.
func (p *KNNPosteriorModel[L]) Classes() []L { return slices.Clone(p.classes) }

// Posterior returns p(c|x), a row for each point and a column for each class.
func (p *KNNPosteriorModel[L]) Posterior(ctx context.Context, x data.Points[[]float64]) (*mat.Dense, error) {
	return apply.Matrix(x, len(p.classes), func(dst *mat.Dense) error { return p.PosteriorTo(ctx, dst, x) })
}

// PosteriorTo sets dst, a row for each point and a column for each class, to
// p(c|x).
func (p *KNNPosteriorModel[L]) PosteriorTo(ctx context.Context, dst *mat.Dense, x data.Points[[]float64]) error {
	err := ctx.Err()
	if err != nil {
		return fmt.Errorf("k-NN density: %w", err)
	}
	q, err := apply.Queries(x, p.tree.Dim)
	if err == nil {
		err = apply.CheckDims(dst, q.Rows, len(p.classes))
	}
	if err != nil {
		return fmt.Errorf("k-NN density: %w", err)
	}
	return p.each(ctx, q, func(i int, near []smoothing.Neighbour) {
		row, sum := dst.RawRowView(i), 0.0
		clear(row)
		for _, n := range near {
			c := p.class[p.tree.Index[n.Place]]
			row[c] += p.factor[c]
			sum += p.factor[c]
		}
		for c := range row {
			if row[c] /= sum; sum == 0 {
				row[c] = 1 / float64(len(row)) // every neighbour's class has prior zero
			}
		}
	})
}
