package learn

import "github.com/mercer-ml/mercer/data"

// ownCopy is the points of index in storage of the model's own.
func ownCopy[T any](x data.Points[T], index []int) data.Points[T] { return data.OwnSubset(x, index) }
