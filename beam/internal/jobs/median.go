package jobs

import (
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// MedianDistance is that of some pairs of points.
func MedianDistance(x data.Points[kernel.Vec]) float64 {
	var all []float64
	n := min(x.Len(), 500)
	for i := range n {
		for j := range i {
			sum := 0.0
			for c, v := range x.At(i) {
				d := v - x.At(j)[c]
				sum += d * d
			}
			if sum > 0 {
				all = append(all, math.Sqrt(sum))
			}
		}
	}
	if len(all) == 0 {
		return 1
	}
	slices.Sort(all)
	return all[len(all)/2]
}
