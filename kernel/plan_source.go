package kernel

import (
	"reflect"
	"sync"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// source is one metric between the points of one view.
type source struct {
	metric Metric
	x, y   linalg.Matrix[float64]
	sparse *sparsePairs // instead of x and y
	view   string       // the key of the points
	base   *baseStore   // where pairs of the columns alone are kept, or nil
	uses   int          // nodes that read it, and distances made from it
	slot   int          // its place in the plan
	// Of the uses, how many are Gaussian, and the largest 1/(2ℓ²) of those.
	gaussians int
	steepest  float64
	summed    bool // what is made of the distances is added up over many pairs: close ones need no more digits than others
	once64    sync.Once
	p64       any // *linalg.Pairs[float64], whose methods nobody is to compile who comes across this type
	once32    sync.Once
	p32       any // *linalg.Pairs[float32]

	// products is the inner products of the same points where these squared
	// distances are made from them, or nil.
	products *source

	keep bool // pack the columns, in single precision

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
		pairs64(s).Tile(d, i, j, nil)
	case linalg.Matrix[float32]:
		if s.sparse != nil {
			narrowTile(d, func(wide linalg.Matrix[float64]) { s.sparse.tile(wide, i, j) })
			return
		}
		pairs32(s).Tile(d, i, j, nil)
	}
}

// fillFrom computes squared distances of a tile from its inner products.
func fillFrom[F linalg.Float](s *source, dst, products linalg.Matrix[F], i, j int) {
	switch d := any(dst).(type) {
	case linalg.Matrix[float64]:
		pairs64(s).TileFromProducts(d, any(products).(linalg.Matrix[float64]), i, j)
	case linalg.Matrix[float32]:
		pairs32(s).TileFromProducts(d, any(products).(linalg.Matrix[float32]), i, j)
	}
}

// shareProducts lets squared distances and inner products of the same points come from one matrix
// product, where the points allow it: those of a Base by its columns alone, unless x is beyond the
// range.
func (b *builder) shareProducts() {
	inner := map[string]*source{}
	for _, s := range b.plan.sources {
		if s.metric == Inner && s.sparse == nil {
			inner[s.view] = s
		}
	}
	for _, s := range b.plan.sources {
		in := inner[s.view]
		if s.metric != SqDist || s.sparse != nil || in == nil {
			continue
		}
		share := false
		if b.base == nil {
			share = linalg.DistancesFromProducts(s.x, s.y)
		} else if linalg.OrdinaryRange(s.x) {
			share = ofColumns(b, "products"+s.view, func() bool { return linalg.DistancesFromProducts(s.y, s.y) })
		}
		if share {
			s.products = in
			in.uses++
		}
	}
}

// newPairs makes the metric of a source that was not cut out of another ready.
func newPairs[F linalg.Float](s *source) *linalg.Pairs[F] {
	prepare := func(x, y linalg.Matrix[float64]) *linalg.Pairs[F] {
		if s.products != nil {
			return linalg.NewUncentredDistances[F](x, y)
		}
		return linalg.NewPairs[F](pairMetrics[s.metric], x, y)
	}
	if s.base == nil {
		return prepare(s.x, s.y)
	}
	key := pairsKey{s.metric, s.products != nil, reflect.TypeFor[F](), s.y.Cols, s.view}
	columns, ok := s.base.get(key)
	if !ok {
		pairs := prepare(s.y, s.y)
		pairs.PackColumnsRowwise()
		if s.gaussians == s.uses {
			pairs.ColumnExponents(s.steepest)
		}
		columns = pairs
		s.base.put(key, columns)
	}
	return columns.(*linalg.Pairs[F]).WithRows(s.x)
}

// pairsKey tells the metrics of the columns of a Base apart.
type pairsKey struct {
	metric    Metric
	uncentred bool
	precision reflect.Type
	columns   int
	view      string
}

// renew reads x again, whose numbers have changed in place.
func (s *source) renew() {
	if p, ok := s.p64.(*linalg.Pairs[float64]); ok && !p.RenewRows(s.x) {
		s.p64 = newPairs[float64](s)
	}
	if p, ok := s.p32.(*linalg.Pairs[float32]); ok && !p.RenewRows(s.x) {
		s.p32 = newPairs[float32](s)
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

// sameValue compares Points of a kind this package does not know, when Go can: not where a field
// holds a slice behind an interface.
func sameValue(x, y any) bool {
	return reflect.TypeOf(x) == reflect.TypeOf(y) && reflect.ValueOf(x).Comparable() && reflect.ValueOf(y).Comparable() &&
		x == y
}
