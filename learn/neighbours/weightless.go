package neighbours

import "github.com/mercer-ml/mercer/data"

// voting leaves out the points of weight 0, which have no vote: as neighbours they would take the
// place of others that have. It lists those that stay, nil where all do.
func voting[T any](x data.Points[T], weights []float64) (data.Points[T], []int) {
	var keep []int
	for i, w := range weights {
		if w != 0 {
			keep = append(keep, i)
		}
	}
	if len(keep) == len(weights) {
		return x, nil
	}
	return data.Gather(x, keep), keep
}
