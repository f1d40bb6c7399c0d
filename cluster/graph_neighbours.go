package cluster

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

// neighbourGraph ties each point to its nearest ones in feature space, with
// weight 1 (or the kernel's value, where weighted): when one of two points is
// among the neighbours of the other or, where mutual, each of the other's.
func neighbourGraph[T any](
	ctx context.Context, k kernel.Kernel[T], x data.Points[T], neighbours int, mutual, weighted bool, threads int,
) (affinity, error) {
	n := x.Len()
	lists, err := nearestOf(ctx, k, x, x, neighbours, true, threads)
	if err != nil {
		return affinity{}, err
	}
	rows := make([]map[int32]float64, n)
	for i := range rows {
		rows[i] = make(map[int32]float64, 2*neighbours)
	}
	for i, list := range lists {
		for _, e := range list {
			j := int(e.at)
			if mutual && !slices.ContainsFunc(lists[j], func(o neighbour) bool { return int(o.at) == i }) {
				continue
			}
			w := 1.0
			if weighted {
				if w = e.value; w < 0 {
					return affinity{}, fault.Errorf("cluster",
						"k(x, y) of rows %d and %d is %g; the weights of a graph may not be negative: leave Weighted unset", i, j, w)
				}
			}
			rows[i][e.at], rows[j][int32(i)] = w, w
		}
	}
	degree := make([]float64, n)
	ptr := make([]int, 1, n+1)
	var index []int32
	var value []float64
	for i, row := range rows {
		start := len(index)
		for j := range row {
			index = append(index, j)
		}
		slices.Sort(index[start:])
		for _, j := range index[start:] {
			degree[i] += row[j]
			value = append(value, row[j])
		}
		ptr = append(ptr, len(index))
	}
	root, err := inverseRoots(degree)
	if err != nil {
		return affinity{}, err
	}
	for i := range n {
		for e := ptr[i]; e < ptr[i+1]; e++ {
			value[e] *= root[i] * root[index[e]]
		}
	}
	w, err := linalg.NewCSR(n, n, ptr, index, value)
	if err != nil {
		return affinity{}, fault.In("cluster", err)
	}
	return affinity{sparseGraph{w, threads}, degree}, nil
}
