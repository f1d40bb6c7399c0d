package density

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/smoothing"
)

// KNN grows a ball around x until it holds K points,
//
//	p(x) = K/(N·V(x)),  V the volume of the ball
//
// (Loftsgaarden and Quesenberry 1965). Where a kernel estimate fixes the volume
// and counts, this fixes the count. It does not integrate to one.
type KNN struct {
	K       int // 0 means √n
	Threads int // 0 means all
}

// KNNModel is a fitted KNN. It is immutable and safe for concurrent use.
type KNNModel struct {
	k       int
	tree    *smoothing.Tree
	threads int
}

// Fit stores the points.
func (c KNN) Fit(ctx context.Context, x data.Points[[]float64]) (*KNNModel, error) {
	m, err := c.fit(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("k-NN density: %w", err)
	}
	return m, nil
}

func (c KNN) fit(ctx context.Context, x data.Points[[]float64]) (*KNNModel, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	points, err := apply.OwnPoints(x)
	if err != nil {
		return nil, err
	}
	if c.K == 0 {
		c.K = max(1, int(math.Sqrt(float64(points.Rows))))
	}
	if c.K < 0 || c.K > points.Rows {
		return nil, fmt.Errorf("K is %d; give a number from 1 to %d, the number of points", c.K, points.Rows)
	}
	return &KNNModel{k: c.K, tree: newKNNTree(points), threads: c.Threads}, nil
}

// newKNNTree is the tree that balls are looked for in.
func newKNNTree(points linalg.Matrix[float64]) *smoothing.Tree { return smoothing.NewTree(points, 16) }

// K is the number of points that a ball holds.
func (m *KNNModel) K() int { return m.k }

// LogDensity returns log p at each point; +Inf where K points coincide with it.
func (m *KNNModel) LogDensity(ctx context.Context, x data.Points[[]float64]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.LogDensityTo(ctx, dst, x) })
}

// LogDensityTo sets dst, a place for each point, to log p.
func (m *KNNModel) LogDensityTo(ctx context.Context, dst []float64, x data.Points[[]float64]) error {
	q, err := queries(ctx, dst, x, m.tree.Dim)
	if err != nil {
		return fmt.Errorf("k-NN density: %w", err)
	}
	d := float64(m.tree.Dim)
	constant := math.Log(float64(m.k)/float64(m.tree.N)) - smoothing.LogBall(m.tree.Dim)
	return m.each(ctx, q, func(i int, near []smoothing.Neighbour) {
		dst[i] = constant - d/2*math.Log(near[len(near)-1].D2)
	})
}

// Density returns p at each point.
func (m *KNNModel) Density(ctx context.Context, x data.Points[[]float64]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.DensityTo(ctx, dst, x) })
}

// DensityTo sets dst, a place for each point, to p.
func (m *KNNModel) DensityTo(ctx context.Context, dst []float64, x data.Points[[]float64]) error {
	return exponentiated(dst, m.LogDensityTo(ctx, dst, x))
}

// each calls f with the K nearest points of every query.
func (m *KNNModel) each(
	ctx context.Context, q linalg.Matrix[float64], f func(i int, near []smoothing.Neighbour),
) error {
	par.For(m.threads, q.Rows, 16, func(lo, hi int) {
		var room []smoothing.Neighbour
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			room = m.tree.Nearest(q.Row(i), m.k, room)
			f(i, room)
		}
	})
	return ctx.Err()
}
