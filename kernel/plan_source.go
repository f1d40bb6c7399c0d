package kernel

import (
	"reflect"
	"sync"

	"github.com/mercer-ml/mercer/internal/linalg"
	"github.com/mercer-ml/mercer/internal/simd"
)

// source is one metric between the points of one view.
type source struct {
	metric Metric
	x, y   linalg.Matrix[float64]
	sparse *sparsePairs // instead of x and y
	uses   int          // nodes that read it
	slot   int          // its place in the plan
	once64 sync.Once
	p64    *linalg.Pairs[float64]
	once32 sync.Once
	p32    *linalg.Pairs[float32]

	whole      *source // what this one was cut out of, or nil
	rows, cols []int
}

var pairMetrics = [...]linalg.PairMetric{
	Inner:     linalg.InnerProduct,
	SqDist:    linalg.SquaredDistance,
	L1Dist:    linalg.L1Distance,
	ChiSqDist: linalg.ChiSquared,
	MinSum:    linalg.MinimumSum,
}

// fillMetric computes the metric of a tile.
func fillMetric[F linalg.Float](s *source, dst linalg.Matrix[F], i, j int) {
	switch d := any(dst).(type) {
	case linalg.Matrix[float64]:
		if s.sparse != nil {
			s.sparse.tile(d, i, j)
			return
		}
		s.pairs64().Tile(d, i, j, nil)
	case linalg.Matrix[float32]:
		if s.sparse != nil {
			narrowTile(d, func(wide linalg.Matrix[float64]) { s.sparse.tile(wide, i, j) })
			return
		}
		s.pairs32().Tile(d, i, j, nil)
	}
}

// narrowTile computes a tile in double precision and rounds it.
func narrowTile(dst linalg.Matrix[float32], fill func(linalg.Matrix[float64])) {
	wide := linalg.New[float64](dst.Rows, dst.Cols)
	fill(wide)
	for a := range dst.Rows {
		simd.Narrow(dst.Row(a), wide.Row(a))
	}
}

// sameValue compares Points of a kind this package does not know, when Go can.
func sameValue(x, y any) bool {
	tx, ty := reflect.TypeOf(x), reflect.TypeOf(y)
	return tx == ty && tx.Comparable() && x == y
}
