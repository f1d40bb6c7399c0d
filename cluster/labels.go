package cluster

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

// checkFit refuses what no method here can group.
func checkFit[T any](k kernel.Kernel[T], x data.Points[T], clusters, restarts int) error {
	if k == nil {
		return fault.Errorf("cluster", "no kernel")
	}
	if x == nil || x.Len() == 0 {
		return fault.Errorf("cluster", "no points")
	}
	if clusters < 1 || clusters > x.Len() {
		return fault.Errorf("cluster", "%d clusters of %d points; want between 1 and %d", clusters, x.Len(), x.Len())
	}
	if restarts < 0 {
		return fault.Errorf("cluster", "%d restarts; want a positive number, or 0 for the default", restarts)
	}
	if err := kernel.Check(k, x); err != nil {
		return fault.In("cluster", err)
	}
	return nil
}

// inOrder renumbers labels by first appearance; order[new] = old.
func inOrder(labels []int, k int) (renamed, order []int) {
	name := make([]int, k)
	for i := range name {
		name[i] = -1
	}
	renamed = make([]int, len(labels))
	for i, l := range labels {
		if name[l] < 0 {
			name[l] = len(order)
			order = append(order, l)
		}
		renamed[i] = name[l]
	}
	for l, s := range name { // clusters without points keep to the end
		if s < 0 {
			order = append(order, l)
		}
	}
	return renamed, order
}

// members lists the points of each of k clusters.
func members(labels []int, k int) [][]int {
	out := make([][]int, k)
	for i, l := range labels {
		out[l] = append(out[l], i)
	}
	return out
}

// nearest is the position of the smallest value, the first of equals.
func nearest(v []float64) int {
	at := 0
	for i, e := range v {
		if e < v[at] {
			at = i
		}
	}
	return at
}
