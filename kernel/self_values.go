package kernel

import (
	"fmt"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/mat"
)

// Normalisation and distance substitution read k(x, x) and k(y, y) besides k(x, y). Their
// derivatives by the parameters are taken once for each point, not for each pair.

// selfSlopes are ∂k(x, x)/∂θ, a row for each point, found when they are first needed.
type selfSlopes struct {
	theta       []int // the places of the parameters
	once        sync.Once
	find        func() (left, right linalg.Matrix[float64])
	left, right linalg.Matrix[float64]
}

// newSelfSlopes is nil where no derivative is asked for.
func newSelfSlopes(k Kernel[any], p pair[any]) *selfSlopes {
	if len(p.theta) == 0 {
		return nil
	}
	s := &selfSlopes{theta: p.theta}
	s.find = func() (left, right linalg.Matrix[float64]) {
		each := func(n int, at func(int) any) linalg.Matrix[float64] {
			m := linalg.New[float64](n, len(s.theta))
			for i := range n {
				x := at(i)
				pairGrad(k, x, x, m.Row(i))
			}
			return m
		}
		left = each(p.x.Len(), p.x.At)
		if p.same {
			return left, left
		}
		return left, each(p.y.Len(), p.y.At)
	}
	return s
}

func (s *selfSlopes) found() (left, right linalg.Matrix[float64]) {
	s.once.Do(func() { s.left, s.right = s.find() })
	return s.left, s.right
}

// backSelf adds Σ adj·w·(l(i)·∂k(xᵢ, xᵢ)/∂θ + r(j)·∂k(yⱼ, yⱼ)/∂θ).
func (g *gradient) backSelf(s *selfSlopes, adj, w linalg.Matrix[float64], l, r func(int) float64) {
	left, right := s.found()
	i, j := g.w.i, g.w.j
	if g.store != nil {
		row := make([]float64, adj.Cols)
		for p, at := range s.theta {
			if !g.wanted(at) {
				continue
			}
			for a := range adj.Rows {
				own := l(i+a) * left.At(i+a, p)
				for b, v := range w.Row(a) {
					row[b] = v * (own + r(j+b)*right.At(j+b, p))
				}
				g.emit(at, a, adj.Row(a), row)
			}
		}
		return
	}
	columns := make([]float64, adj.Cols)
	for a := range adj.Rows {
		sum, v := 0.0, w.Row(a)
		for b, x := range adj.Row(a) {
			sum += x * v[b]
			columns[b] += x * v[b]
		}
		g.addSelf(s, left.Row(i+a), sum*l(i+a))
	}
	for b, sum := range columns {
		g.addSelf(s, right.Row(j+b), sum*r(j+b))
	}
}

func (g *gradient) addSelf(s *selfSlopes, slopes []float64, c float64) {
	for p, at := range s.theta {
		if g.wanted(at) {
			g.sum[at] += c * slopes[p]
		}
	}
}

// lowerSelf lowers k, and takes of of k(x, x) for every point on each side. A kernel that prepares
// its points is asked for k(x, x), k(y, y) and k(x, y); both sides remember what was made of them,
// so that each point is mapped once.
func lowerSelf(b *builder, k Kernel[any], p pair[any], of func(float64) float64) (in node, left, right []float64) {
	prepares := doorFor(k)
	if !prepares.prepares() {
		left, right = perPoint(b, p, selvesOf(k, of))
		return lower(b, k, p), left, right
	}
	b.row.whole = true
	diagonal := func(fill Rectangle, n int) []float64 {
		self, one := make([]float64, n), mat.NewDense(1, 1, nil)
		for i := 0; i < n && !b.plan.stopped(); i++ {
			fill(one, i, i)
			self[i] = of(one.At(0, 0))
		}
		return self
	}
	if p.same {
		all := side{points: p.x}
		fill := prepares.rectangle(b.plan.ctx, all, all)
		left = diagonal(fill, p.x.Len())
		return rectangleNode(b, fill), left, left
	}
	b.points++
	part, rows, columns := b.points, newBaseStore(), b.base
	if columns == nil {
		columns = newBaseStore()
	}
	x := func() side { return side{p.x, &memory{store: rows, part: part}} }
	y := func() side { return side{p.y, &memory{store: columns, part: part}} }
	self := func(s side) []float64 {
		return diagonal(prepares.rectangle(b.plan.ctx, s, s), s.points.Len())
	}
	right = ofColumns(b, fmt.Sprint("self", part), func() []float64 { return self(y()) })
	return rectangleNode(b, prepares.rectangle(b.plan.ctx, x(), y())), self(x()), right
}

// selvesOf is of of k(x, x), for each point of one side.
func selvesOf(k Kernel[any], of func(float64) float64) func(x data.Points[any]) func(i int) float64 {
	return func(x data.Points[any]) func(i int) float64 {
		self := doorFor(k).selves(x)
		return func(i int) float64 { return of(self(i)) }
	}
}

func asIs(v float64) float64 { return v }
