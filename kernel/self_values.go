package kernel

import (
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
func newSelfSlopes[T any](k Kernel[T], p pair[T]) *selfSlopes {
	if len(p.theta) == 0 {
		return nil
	}
	s := &selfSlopes{theta: p.theta}
	s.find = func() (left, right linalg.Matrix[float64]) {
		each := func(n int, at func(int) T) linalg.Matrix[float64] {
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

// lowerSelf lowers k, and takes k(x, x) of every point on each side. A kernel that prepares its points does so
// once for both: those of both sides together.
func lowerSelf[T any](b *builder, k Kernel[T], p pair[T]) (in node, left, right []float64) {
	prepares, ok := any(k).(Preparer[T])
	if !ok {
		left, right = perPoint(b, p, func(x T) float64 { return k.Eval(x, x) })
		return lower(b, k, p), left, right
	}
	all, shift := p.x, 0
	if !p.same {
		all, shift = &joined[T]{p.x, p.y}, p.x.Len()
	}
	fill := prepares.PreparePoints(b.plan.ctx, all, all)
	self, one := make([]float64, all.Len()), mat.NewDense(1, 1, nil)
	for i := 0; i < len(self) && !b.plan.stopped(); i++ {
		fill(one, i, i)
		self[i] = one.At(0, 0)
	}
	in = rectangleNode(func(dst *mat.Dense, i, j int) { fill(dst, i, j+shift) })
	if p.same {
		return in, self, self
	}
	return in, self[:shift], self[shift:]
}

// joined is the points of two sides, one after the other. A pointer to it is the same as itself.
type joined[T any] struct{ first, second data.Points[T] }

func (j *joined[T]) Len() int { return j.first.Len() + j.second.Len() }

func (j *joined[T]) At(i int) T {
	if n := j.first.Len(); i >= n {
		return j.second.At(i - n)
	}
	return j.first.At(i)
}
