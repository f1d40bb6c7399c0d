package stat

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
)

// KNNDensity grows a ball around x until it holds K points,
//
//	p(x) = K/(N·V(x)),  V the volume of the ball
//
// (Loftsgaarden and Quesenberry 1965). Where a kernel estimate fixes the volume
// and counts, this fixes the count. It does not integrate to one. With labels,
// K_c of the K points in class c and N_c in all,
//
//	p(x|c) = K_c/(N_c·V),  p(c) = N_c/N,  hence  p(c|x) = K_c/K.
type KNNDensity struct {
	K       int // 0 means √n
	Threads int
}

// KNNDensityModel is a fitted KNNDensity.
type KNNDensityModel struct {
	k       int
	tree    *pointTree
	threads int
}

// Fit stores the points.
func (c KNNDensity) Fit(x data.Points[[]float64]) (*KNNDensityModel, error) {
	m, err := c.fit(x)
	if err != nil {
		return nil, fmt.Errorf("k-NN density: %w", err)
	}
	return m, nil
}

func (c KNNDensity) fit(x data.Points[[]float64]) (*KNNDensityModel, error) {
	points, err := ownMatrix(x)
	if err != nil {
		return nil, err
	}
	if c.K == 0 {
		c.K = max(1, int(math.Sqrt(float64(points.Rows))))
	}
	if c.K < 0 || c.K > points.Rows {
		return nil, fmt.Errorf("K is %d; give a number from 1 to %d, the number of points", c.K, points.Rows)
	}
	return &KNNDensityModel{k: c.K, tree: newPointTree(points, 16), threads: c.Threads}, nil
}

// LogDensity returns log p at each point, in dst when it is long enough; +Inf
// where K points coincide with it.
func (m *KNNDensityModel) LogDensity(ctx context.Context, dst []float64, x data.Points[[]float64]) ([]float64, error) {
	q, err := matrixOf(x, m.tree.dim)
	if err != nil {
		return nil, fmt.Errorf("k-NN density: %w", err)
	}
	if len(dst) < q.Rows {
		dst = make([]float64, q.Rows)
	}
	dst = dst[:q.Rows]
	d := float64(m.tree.dim)
	constant := math.Log(float64(m.k)/float64(m.tree.n)) - logBall(m.tree.dim)
	err = m.each(ctx, q, func(i int, near []neighbour) {
		dst[i] = constant - d/2*math.Log(near[len(near)-1].d2)
	})
	return dst, err
}

func (m *KNNDensityModel) each(ctx context.Context, q linalg.Matrix[float64], f func(i int, near []neighbour)) error {
	par.For(m.threads, q.Rows, 16, func(lo, hi int) {
		var room []neighbour
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			room = m.tree.nearest(q.Row(i), m.k, room)
			f(i, room)
		}
	})
	return ctx.Err()
}

// KNNPosterior is the class posterior of a k-NN density.
type KNNPosterior[L comparable] struct {
	*KNNDensityModel
	classes []L
	class   []int     // by row
	factor  []float64 // prior_c/N_c
}

// FitPosterior stores labelled points. Priors replaces the class shares N_c/N
// of the sample, in the order of compare; nil keeps them.
func FitPosterior[L comparable](c KNNDensity, x data.Points[[]float64], labels []L, compare func(a, b L) int, priors []float64) (*KNNPosterior[L], error) {
	m, err := c.Fit(x)
	if err != nil {
		return nil, err
	}
	if len(labels) != m.tree.n {
		return nil, fmt.Errorf("k-NN density: %d points but %d labels", m.tree.n, len(labels))
	}
	p := &KNNPosterior[L]{KNNDensityModel: m, class: make([]int, len(labels))}
	counts := map[L]float64{}
	for _, l := range labels {
		if counts[l]++; counts[l] == 1 {
			p.classes = append(p.classes, l)
		}
	}
	slices.SortFunc(p.classes, compare)
	for i, l := range labels {
		p.class[i] = slices.Index(p.classes, l)
	}
	if priors != nil && len(priors) != len(p.classes) {
		return nil, fmt.Errorf("k-NN density: %d priors for %d classes", len(priors), len(p.classes))
	}
	for a, l := range p.classes {
		f := 1.0
		if priors != nil {
			if !(priors[a] >= 0) || math.IsInf(priors[a], 1) {
				return nil, errors.New("k-NN density: priors are finite and not negative")
			}
			f = priors[a] / counts[l]
		}
		p.factor = append(p.factor, f)
	}
	return p, nil
}

// Classes lists the labels in increasing order.
func (p *KNNPosterior[L]) Classes() []L { return slices.Clone(p.classes) }

// Posterior returns p(c|x), a row for each point and a column for each class.
func (p *KNNPosterior[L]) Posterior(ctx context.Context, x data.Points[[]float64]) (linalg.Matrix[float64], error) {
	q, err := matrixOf(x, p.tree.dim)
	if err != nil {
		return q, fmt.Errorf("k-NN density: %w", err)
	}
	out := linalg.New[float64](q.Rows, len(p.classes))
	err = p.each(ctx, q, func(i int, near []neighbour) {
		row, sum := out.Row(i), 0.0
		for _, n := range near {
			c := p.class[p.tree.index[n.place]]
			row[c] += p.factor[c]
			sum += p.factor[c]
		}
		for c := range row {
			if row[c] /= sum; sum == 0 {
				row[c] = 1 / float64(len(row)) // every neighbour's class has prior zero
			}
		}
	})
	return out, err
}
