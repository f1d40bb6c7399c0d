package neighbours

import (
	"context"
	"math"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
)

// screen is the inner products of queries and points in single precision: at half the price they
// leave out all points but those that may be among the nearest, which are then ranked in double
// precision as in every other search.
type screen struct {
	pairs *linalg.Pairs[float32]
	self  []float32 // ‖x‖²
	error float64   // of a key, at the most, in units of the largest ‖x‖² plus ‖q‖²
}

// screenFrom is the number of queries from which converting the points pays, and screenRows how
// many are answered by one goroutine at a time.
const (
	screenFrom = 64
	screenRows = 48
)

// newScreen is nil where there is none: for few queries, where a tree is at hand, for other
// kernels, and for numbers near the ends of single precision.
func (x *neighbourIndex[T]) newScreen(q data.Points[T]) *screen {
	if _, ok := kernel.Concrete(x.kernel).(kernel.Linear); !ok || q.Len() < screenFrom || x.tree != nil ||
		!withinSingle(x.largest) {
		return nil
	}
	points, ok := data.VectorsOf(x.x)
	queries, also := data.VectorsOf(q)
	if !ok || !also {
		return nil
	}
	d := len(points.At(0))
	if d == 0 || d > 10000 {
		return nil
	}
	s := &screen{self: make([]float32, len(x.self))}
	for j, v := range x.self {
		s.self[j] = float32(v)
	}
	// An inner product of d terms is within (d+2)·u·‖x‖‖q‖ of the exact one, whatever the order of
	// its terms (Higham 2002, section 3.1), twice that is below as many times ‖x‖² + ‖q‖², and the
	// norm and the difference add a few u.
	s.error = 1.01 * float64(d+6) * 0x1p-24
	s.pairs = linalg.NewPairs[float32](linalg.InnerProduct, matrixOf(queries, d), matrixOf(points, d))
	s.pairs.PackColumns()
	return s
}

// withinSingle says that squares of coordinates, of norms up to v, neither overflow single
// precision nor vanish beside v.
func withinSingle(v float64) bool { return v > 1e-30 && v < 1e30 }

// matrixOf is the rows of points of d columns.
func matrixOf(x data.Points[kernel.Vec], d int) linalg.Matrix[float64] {
	if rows, ok := x.(data.DenseRows); ok {
		return linalg.Matrix[float64](rows.RawMatrix())
	}
	m := linalg.New[float64](x.Len(), d)
	for i := range m.Rows {
		copy(m.Row(i), x.At(i))
	}
	return m
}

func (x *neighbourIndex[T]) searchScreened(
	ctx context.Context, q data.Points[T], k int, s *screen, visitors func() visitor,
) {
	n := x.x.Len()
	blocks := sync.Pool{New: func() any { m := linalg.New[float32](screenRows, n); return &m }}
	par.For(x.threads, q.Len(), screenRows, func(lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		visit := visitors()
		h, rough := nearestFew{k: k, found: make([]neighbour, 0, k)}, nearestFew{k: k, found: make([]neighbour, 0, k)}
		perhaps := make([]neighbour, 0, 64)
		block := blocks.Get().(*linalg.Matrix[float32])
		defer blocks.Put(block)
		s.pairs.Tile(block.Slice(0, hi-lo, 0, n), lo, 0, nil)
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			p := q.At(i)
			self := x.kernel.Eval(p, p)
			h.found, rough.found = h.found[:0], rough.found[:0]
			limit := math.Inf(1)
			if self < 1e30 { // else single precision tells nothing
				// Of two keys each may be wrong.
				perhaps, limit = s.scan(block.Row(i-lo), &rough, perhaps[:0], 2*s.error*(x.largest+self))
			} else {
				perhaps = perhaps[:0]
				for j := range n {
					perhaps = append(perhaps, neighbour{0, j})
				}
			}
			x.decide(&h, p, perhaps, limit)
			visit(i, self, h.found)
		}
	})
}

// scan goes through the inner products of a query. It returns the points that were within slack of
// the k nearest when they came, and how far those are.
func (s *screen) scan(
	products []float32, rough *nearestFew, perhaps []neighbour, slack float64,
) ([]neighbour, float64) {
	limit, bar := math.Inf(1), float32(math.Inf(1)) // the bar is the limit, rounded up
	self := s.self[:len(products)]
	for j := 0; j < len(products); j++ {
		// Four at a time while none is near.
		for j+4 <= len(products) {
			v, w := products[j:j+4:j+4], self[j:j+4:j+4]
			if w[0]-2*v[0] <= bar || w[1]-2*v[1] <= bar || w[2]-2*v[2] <= bar || w[3]-2*v[3] <= bar {
				break
			}
			j += 4
		}
		if j == len(products) {
			break
		}
		key := self[j] - 2*products[j]
		if !(key <= bar) {
			continue
		}
		c := neighbour{float64(key), j}
		perhaps = append(perhaps, c)
		if c.key <= rough.worst() {
			rough.offer(c)
			limit = rough.worst() + slack
			if bar = float32(limit); float64(bar) < limit {
				bar = math.Nextafter32(bar, float32(math.Inf(1)))
			}
		}
	}
	return perhaps, limit
}
