package kernel

import (
	"sync"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
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
		if at >= 0 {
			g.sum[at] += c * slopes[p]
		}
	}
}

// backNormalized is the backward pass of k(x, y)/√(k(x, x)k(y, y)):
// d[k/√(ab)] = dk/√(ab) - ½(k/√(ab))(da/a + db/b), with the weights 1/√a and 1/√b at hand.
func (g *gradient) backNormalized(n weightNode, adj linalg.Matrix[float64]) {
	t := g.w.push()
	for a := range adj.Rows {
		row := t.Row(a)
		copy(row, adj.Row(a))
		weigh(row, n.left[g.w.i+a], n.right[g.w.j:])
	}
	g.back(n.in, t)
	evaluate(n, t, g.w)
	for a := range t.Rows {
		scaleBy(t.Row(a), -0.5)
	}
	g.backSelf(n.self, adj, t,
		func(i int) float64 { return n.left[i] * n.left[i] },
		func(j int) float64 { return n.right[j] * n.right[j] })
	g.w.pop()
}

// backSubstitute is the backward pass of κ(m), m = k(x, x) - 2k(x, y) + k(y, y).
func (g *gradient) backSubstitute(n substituteNode, outer Differentiable, adj linalg.Matrix[float64]) {
	m, slope := g.w.push(), g.w.push()
	evaluate(n.in, m, g.w)
	dtheta := make([][]float64, len(Params[Vec](n.outer)))
	for p := range dtheta {
		if p < len(n.theta) && g.wanted(n.theta[p]) {
			dtheta[p] = make([]float64, adj.Cols)
		}
	}
	for a := range adj.Rows {
		featureDistances(n, m.Row(a), g.w.i+a, g.w.j)
		profileGrads(outer, slope.Row(a), dtheta, m.Row(a))
		for p, d := range dtheta {
			if d != nil {
				g.emit(n.theta[p], a, adj.Row(a), d)
			}
		}
	}
	if n.self != nil {
		one := func(int) float64 { return 1 }
		g.backSelf(n.self, adj, slope, one, one)
		for a := range adj.Rows {
			row := slope.Row(a)
			multiplyTo(row, adj.Row(a))
			scaleBy(row, -2)
		}
		g.back(n.in, slope)
	}
	g.w.pop()
	g.w.pop()
}
