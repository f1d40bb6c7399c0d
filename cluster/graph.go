package cluster

import (
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// affinity is a graph's D^{-1/2}·W·D^{-1/2} as an operator, with the degrees.
type affinity struct {
	op     linalg.Operator
	degree []float64
}

// kernelGraph has the weights k(xᵢ, xⱼ), and none from a point to itself
// (Ng, Jordan and Weiss 2001).
func kernelGraph[T any](ctx context.Context, k kernel.Kernel[T], x data.Points[T], o gram.Options) (affinity, error) {
	g, err := gram.New(ctx, k, x, o)
	if err != nil {
		return affinity{}, fault.In("cluster", err)
	}
	n := x.Len()
	diag := make([]float64, n)
	g.Diag(diag)
	if d, ok := g.(gram.Dense); ok {
		return storedGraph(linalg.Matrix[float64](d.RawMatrix()), o.Threads)
	}
	one, sum := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		one.Set(i, 0, 1)
	}
	g.MulTo(sum, one, false)
	degree := make([]float64, n)
	for i := range degree {
		degree[i] = sum.At(i, 0) - diag[i]
	}
	root, err := inverseRoots(degree)
	return affinity{scaledGraph{g, diag, root}, degree}, err
}

// storedGraph scales a matrix held in full where it stands.
func storedGraph(w linalg.Matrix[float64], threads int) (affinity, error) {
	n := w.Rows
	degree := make([]float64, n)
	negative := make([]int, n)
	par.For(threads, n, 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := w.Row(i)
			row[i] = 0
			negative[i] = -1
			for j, v := range row {
				degree[i] += v
				if v < 0 {
					negative[i] = j
				}
			}
		}
	})
	for i, j := range negative {
		if j >= 0 {
			return affinity{}, fault.Errorf("cluster",
				"k(x, y) of rows %d and %d is %g; the weights of a graph may not be negative: use a kernel ≥ 0 such as the "+
					"Gaussian, or a graph of neighbours", i, j, w.At(i, j))
		}
	}
	root, err := inverseRoots(degree)
	if err != nil {
		return affinity{}, err
	}
	par.For(threads, n, 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := w.Row(i)[:i] // the lower triangle is all that is read
			for j := range row {
				row[j] *= root[i] * root[j]
			}
		}
	})
	return affinity{linalg.SymmetricOp{A: w, Threads: threads}, degree}, nil
}

// inverseRoots is dᵢ^{-1/2}; a point tied to nothing cannot be placed.
func inverseRoots(degree []float64) ([]float64, error) {
	r := make([]float64, len(degree))
	for i, d := range degree {
		if !(d > 0) || math.IsInf(1/math.Sqrt(d), 0) {
			return nil, fault.Errorf("cluster",
				"row %d has no weight to any other point (%g in all); widen the kernel, take more neighbours, or drop the row", i,
				d)
		}
		r[i] = 1 / math.Sqrt(d)
	}
	return r, nil
}

// scaledGraph is D^{-1/2}·(K − diag K)·D^{-1/2} for a K not held in full.
type scaledGraph struct {
	g    gram.Gram
	diag []float64
	root []float64
}

// Dims implements linalg.Operator.
func (s scaledGraph) Dims() (r, c int) { return s.g.Dims() }

// MulTo implements linalg.Operator.
func (s scaledGraph) MulTo(dst, v *mat.Dense, _ bool) {
	in := mat.DenseCopyOf(v)
	for i, r := range s.root {
		row := in.RawRowView(i)
		for j := range row {
			row[j] *= r
		}
	}
	s.g.MulTo(dst, in, false)
	for i, r := range s.root {
		row := dst.RawRowView(i)
		for j, e := range in.RawRowView(i) {
			row[j] = r * (row[j] - s.diag[i]*e)
		}
	}
}

// sparseGraph is a CSR matrix as an operator.
type sparseGraph struct {
	w       *linalg.CSR
	threads int
}

// Dims implements linalg.Operator.
func (s sparseGraph) Dims() (r, c int) { return s.w.Rows, s.w.Cols }

// MulTo implements linalg.Operator.
func (s sparseGraph) MulTo(dst, v *mat.Dense, _ bool) {
	s.w.MulDense(s.threads, linalg.Of(dst), linalg.Of(v))
}

// neighbour is a point with its squared distance in feature space.
type neighbour struct {
	at       int32
	distance float64
	value    float64 // k(x, x_at)
}

// nearestOf lists the k points of y nearest to each point of x, by distance in
// feature space and then by number. With skip, point i of y is not among the
// neighbours of point i of x.
func nearestOf[T any](
	ctx context.Context, kern kernel.Kernel[T], x, y data.Points[T], k int, skip bool, threads int,
) ([][]neighbour, error) {
	dx, dy := make([]float64, x.Len()), make([]float64, y.Len())
	kernel.Diag(ctx, kern, dx, x)
	kernel.Diag(ctx, kern, dy, y)
	t := kernel.NewBase(kern, y).Prepare(ctx, x)
	out := make([][]neighbour, x.Len())
	par.For(threads, x.Len(), 64, func(lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		block := linalg.New[float64](hi-lo, y.Len())
		t.Tile(blas64.General(block), lo, 0)
		candidates := make([]neighbour, 0, y.Len())
		for i := lo; i < hi; i++ {
			candidates = candidates[:0]
			for j, v := range block.Row(i - lo) {
				if !skip || i != j {
					candidates = append(candidates, neighbour{int32(j), Squared.between(dx[i], v, dy[j]), v})
				}
			}
			smallest(candidates, k)
			out[i] = slices.Clone(candidates[:k])
		}
	})
	return out, ctx.Err()
}

func closer(a, b neighbour) bool {
	return a.distance < b.distance || a.distance == b.distance && a.at < b.at
}

// smallest moves the k nearest to the front, by quickselect.
func smallest(v []neighbour, k int) {
	for len(v) > k && k > 0 {
		pivot := v[len(v)/2]
		i, j := 0, len(v)-1
		for i <= j {
			for closer(v[i], pivot) {
				i++
			}
			for closer(pivot, v[j]) {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			v = v[:j+1]
		case k > i:
			v, k = v[i:], k-i
		default:
			return
		}
	}
}
