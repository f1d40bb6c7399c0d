package cluster

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/kmeans"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/rkhs"
)

// Assign places new points: eigenvectors are continued by their own equation
// (Bengio et al. 2004), u(x) = Σᵢ w(x, xᵢ)·uᵢ/(λ·√(d(x)·dᵢ)), with w the same
// graph's weights, and the nearest centre of k-means decides. A point without
// any weight goes with the nearest training point in feature space.
func (m *SpectralModel[T]) Assign(ctx context.Context, x data.Points[T]) ([]int, error) {
	return apply.Slice(x, func(dst []int) error { return m.AssignTo(ctx, dst, x) })
}

// AssignTo sets dst, a place for each point, to the cluster that Assign finds.
func (m *SpectralModel[T]) AssignTo(ctx context.Context, dst []int, x data.Points[T]) error {
	err := apply.Check(ctx, m.kernel, m.points, x)
	if err == nil {
		err = apply.CheckLen(len(dst), x.Len())
	}
	if err != nil {
		return fault.In("cluster", err)
	}
	if len(dst) == 0 {
		return nil
	}
	rows := linalg.New[float64](x.Len(), len(m.values))
	near := 1
	if m.graph == KernelGraph {
		f := rkhs.Func[T]{Kernel: m.kernel, Centers: m.points, Coef: linalg.Dense(m.extend)}
		if err := f.EvaluateTo(ctx, linalg.Dense(rows), x, rkhs.EvalOptions{Threads: m.threads}); err != nil {
			return fault.In("cluster", err)
		}
	} else {
		near = m.near
	}
	lists, err := nearestOf(ctx, m.kernel, x, m.points, near, false, m.threads)
	if err != nil {
		return err
	}
	v := make([]float64, m.centers.Rows)
	for i := range dst {
		row := rows.Row(i)
		if m.graph == NeighbourGraph {
			m.addNeighbours(row, lists[i])
		}
		if zero(row) {
			dst[i] = m.labels[closest(lists[i]).at]
			continue
		}
		unitLength(row)
		for c := range v {
			v[c] = kmeans.Squared(row, m.centers.Row(c))
		}
		dst[i] = nearest(v)
	}
	return nil
}

// addNeighbours adds to row what the neighbours of a point say.
func (m *SpectralModel[T]) addNeighbours(row []float64, list []neighbour) {
	for _, e := range list {
		w := 1.0
		if m.weighted {
			w = e.value
		}
		for j, u := range m.extend.Row(int(e.at)) {
			row[j] += w * u
		}
	}
}

func zero(v []float64) bool {
	size := 0.0
	for _, e := range v {
		size += e * e
	}
	return size == 0
}

func closest(list []neighbour) neighbour {
	best := list[0]
	for _, e := range list {
		if closer(e, best) {
			best = e
		}
	}
	return best
}
