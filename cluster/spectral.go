package cluster

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/kmeans"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Graph says which points are tied together, and how much.
type Graph int

// The graphs.
const (
	KernelGraph    Graph = iota // every two points, by their kernel value
	NeighbourGraph              // points and their nearest ones in feature space
)

// Spectral is normalised spectral clustering (Ng, Jordan and Weiss 2001): the
// rows of the leading eigenvectors of D^{-1/2}·W·D^{-1/2}, W the weights of a
// graph and D its degrees, scaled to length 1 and grouped by k-means. They are
// the smallest ones of the normalised Laplacian L = I − D^{-1/2}·W·D^{-1/2},
// found by block Lanczos with a residual for each.
type Spectral[T any] struct {
	Kernel     kernel.Kernel[T]
	Clusters   int
	Graph      Graph
	Neighbours int  // NeighbourGraph: of each point; 0 means 10
	Mutual     bool // NeighbourGraph: tie two points only where each is near the other
	Weighted   bool // NeighbourGraph: weigh ties by the kernel's value

	Restarts  int     // of k-means; 0 means 10
	Tolerance float64 // residual of the eigenvectors; 0 means 1e-8
	Seed      uint64
	Threads   int   // 0 means all
	Bytes     int64 // budget of the Gram matrix; 0 means a quarter of the machine's memory
}

// SpectralModel is a fitted Spectral.
type SpectralModel[T any] struct {
	doubted
	kernel    kernel.Kernel[T]
	points    data.Points[T]
	graph     Graph
	near      int
	weighted  bool
	values    []float64
	residuals []float64
	extend    linalg.Matrix[float64] // u/(λ·√d): row i is the weight of point i in the extension
	embedding linalg.Matrix[float64] // rows of length 1
	centers   linalg.Matrix[float64]
	labels    []int
	threads   int
}

// Fit groups the points.
func (s Spectral[T]) Fit(ctx context.Context, x data.Points[T]) (*SpectralModel[T], error) {
	if err := checkFit(s.Kernel, x, s.Clusters, s.Restarts); err != nil {
		return nil, err
	}
	n := x.Len()
	if n < 2 {
		return nil, fault.Errorf("cluster", "one point makes no graph; give at least 2")
	}
	if s.Graph < KernelGraph || s.Graph > NeighbourGraph || s.Neighbours < 0 || !(s.Tolerance >= 0) {
		return nil, fault.Errorf("cluster",
			"graph %d with %d neighbours, tolerance %g; want a known graph and nothing negative", int(s.Graph), s.Neighbours,
			s.Tolerance)
	}
	if s.Neighbours == 0 {
		s.Neighbours = min(10, n-1)
	}
	if s.Neighbours > n-1 {
		return nil, fault.Errorf("cluster", "%d neighbours, but every point has only %d others", s.Neighbours, n-1)
	}
	if s.Restarts == 0 {
		s.Restarts = 10
	}
	if s.Tolerance == 0 {
		s.Tolerance = 1e-8
	}
	x = data.Own(x)
	var a affinity
	var err error
	if s.Graph == NeighbourGraph {
		a, err = neighbourGraph(ctx, s.Kernel, x, s.Neighbours, s.Mutual, s.Weighted, s.Threads)
	} else {
		a, err = kernelGraph(ctx, s.Kernel, x, gram.Options{Threads: s.Threads, Bytes: s.Bytes})
	}
	if ended := ctx.Err(); ended != nil {
		return nil, ended // what a graph cut short says of its points is not true
	}
	if err != nil {
		return nil, err
	}
	e, err := leading(ctx, a.op, s.Clusters, linalg.TopKOptions{Tolerance: s.Tolerance, Seed: s.Seed, Threads: s.Threads})
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m := &SpectralModel[T]{
		kernel: s.Kernel, points: x, graph: s.Graph, near: s.Neighbours, weighted: s.Weighted,
		values: e.Values, residuals: e.Residuals, embedding: e.Vectors.Clone(), threads: s.Threads,
	}
	m.extend = e.Vectors
	for i, d := range a.degree {
		unitLength(m.embedding.Row(i))
		row := m.extend.Row(i)
		for j, v := range e.Values {
			if v < 1e-6 { // a direction that the graph does not continue
				row[j] = 0
				continue
			}
			row[j] /= v * math.Sqrt(d)
		}
	}
	groups, err := kmeans.Best(ctx, m.embedding, s.Clusters, s.Restarts, s.Seed, kmeans.Options{Threads: s.Threads})
	if err != nil {
		return nil, err
	}
	var order []int
	m.labels, order = inOrder(groups.Labels, groups.Centers.Rows)
	m.centers = linalg.New[float64](groups.Centers.Rows, groups.Centers.Cols)
	for c, old := range order {
		copy(m.centers.Row(c), groups.Centers.Row(old))
	}
	m.doubted, err = doubts(ctx, s.Kernel, x, s.Threads)
	return m, err
}

func unitLength(v []float64) {
	s := 0.0
	for _, e := range v {
		s += e * e
	}
	if s == 0 {
		return
	}
	s = 1 / math.Sqrt(s)
	for i := range v {
		v[i] *= s
	}
}

// Labels is the cluster of every training point.
func (m *SpectralModel[T]) Labels() []int { return append([]int(nil), m.labels...) }

// Eigenvalues are those of D^{-1/2}·W·D^{-1/2}, largest first: 1 once for every
// part that nothing ties to the rest, and the gap after the last speaks for
// the number of clusters.
func (m *SpectralModel[T]) Eigenvalues() []float64 { return append([]float64(nil), m.values...) }

// Residuals is ‖Av − λv‖ of each eigenvector.
func (m *SpectralModel[T]) Residuals() []float64 { return append([]float64(nil), m.residuals...) }

// Embedding is the rows that k-means grouped, each of length 1.
func (m *SpectralModel[T]) Embedding() *mat.Dense { return linalg.Dense(m.embedding.Clone()) }
