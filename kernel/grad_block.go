package kernel

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/linalg"
	"github.com/mercer-ml/mercer/internal/par"
	"gonum.org/v1/gonum/mat"
)

// ParamGrads sets dst[p][i, j] = ∂k(x.At(i), y.At(j))/∂θₚ for every parameter in the order of
// Params, in parallel. Entries for integer parameters are 0. A Tunable kernel that knows no derivative is
// differenced.
func ParamGrads[T any](k Kernel[T], dst []*mat.Dense, x, y data.Points[T]) error {
	n := len(Params(k))
	if len(dst) != n {
		return fmt.Errorf("kernel: %d matrices for the derivatives by %d parameters", len(dst), n)
	}
	for p, m := range dst {
		if r, c := m.Dims(); r != x.Len() || c != y.Len() {
			return fmt.Errorf("kernel: matrix %d is %d×%d, the Gram block is %d×%d", p, r, c, x.Len(), y.Len())
		}
	}
	same := samePoints(x, y)
	par.For(0, x.Len(), 8, func(lo, hi int) {
		dtheta := make([]float64, n)
		for i := lo; i < hi; i++ {
			xi := x.At(i)
			last := y.Len()
			if same {
				last = i + 1
			}
			for j := range last {
				pairGrad(k, xi, y.At(j), dtheta)
				for p, v := range dtheta {
					dst[p].Set(i, j, v)
					if same {
						dst[p].Set(j, i, v)
					}
				}
			}
		}
	})
	return nil
}

// gradTile is the side of the tiles ParamGradDot works on: small, because
// several derivatives of one tile are in flight together.
const gradTile = 128

// ParamGradDot sets grad[p] = Σᵢⱼ Wᵢⱼ ∂k(xᵢ, yⱼ)/∂θₚ for every parameter in the order of
// Params, without storing a matrix for each: what the gradient of a Gaussian process' marginal
// likelihood, with W = ½(ααᵀ - K⁻¹), or of any loss of K asks for. One backward pass over
// tiles serves all parameters; the length-scales of ARD come from one matrix product
// (Σᵢⱼ Aᵢⱼ ∂‖u-v‖²ᵢⱼ needs only A·V and Aᵀ·U).
func ParamGradDot[T any](k Kernel[T], grad []float64, w *mat.Dense, x, y data.Points[T]) error {
	if n := len(Params(k)); len(grad) != n {
		return fmt.Errorf("kernel: room for %d derivatives by %d parameters", len(grad), n)
	}
	if r, c := w.Dims(); r != x.Len() || c != y.Len() {
		return fmt.Errorf("kernel: the weights are %d×%d, the Gram block is %d×%d", r, c, x.Len(), y.Len())
	}
	clear(grad)
	if len(grad) == 0 || x.Len() == 0 || y.Len() == 0 {
		return nil
	}
	p := newPlan(k, x, y)
	weights := linalg.Of(w)
	across := (p.cols + gradTile - 1) / gradTile
	down := (p.rows + gradTile - 1) / gradTile
	parts := make([][]float64, down)
	par.For(0, down, 1, func(bi, _ int) {
		g := &gradient{sum: make([]float64, len(grad)), w: &work[float64]{keep: true}}
		parts[bi] = g.sum
		i := bi * gradTile
		i1 := min(i+gradTile, p.rows)
		last := across
		if p.same {
			last = bi + 1
		}
		for bj := range last {
			j := bj * gradTile
			j1 := min(j+gradTile, p.cols)
			g.w.start(i, j, i1-i, j1-j, len(p.sources))
			tile := weights.Slice(i, i1, j, j1)
			if p.same && bi != bj { // the mirrored tile has the same derivatives
				tile = g.addMirror(tile, weights.Slice(j, j1, i, i1))
			}
			g.back(p.root, tile)
		}
	})
	for _, part := range parts {
		for i, v := range part {
			grad[i] += v
		}
	}
	return nil
}

// gradient is a backward pass in one goroutine.
type gradient struct {
	sum    []float64
	w      *work[float64]
	mirror linalg.Matrix[float64]
}

func (g *gradient) addMirror(a, b linalg.Matrix[float64]) linalg.Matrix[float64] {
	if g.mirror.Rows != a.Rows || g.mirror.Cols != a.Cols {
		g.mirror = linalg.New[float64](a.Rows, a.Cols)
	}
	for i := range a.Rows {
		row, in := g.mirror.Row(i), a.Row(i)
		for j := range row {
			row[j] = in[j] + b.At(j, i)
		}
	}
	return g.mirror
}

// back adds Σ adj·∂n/∂θ to the sum; adj is not changed.
func (g *gradient) back(n node, adj linalg.Matrix[float64]) {
	switch n := n.(type) {
	case sumNode:
		for _, t := range n.terms {
			g.back(t, adj)
		}
	case productNode:
		g.backProduct(n, adj)
	case constantNode:
		if len(n.theta) > 0 {
			for a := range adj.Rows {
				for _, v := range adj.Row(a) {
					g.sum[n.theta[0]] += v
				}
			}
		}
	case scaleNode:
		t := g.w.push()
		evaluate(n.in, t, g.w)
		if n.at >= 0 {
			g.sum[n.at] += dot(adj, t)
		}
		g.chain(n.in, t, adj, func(float64) float64 { return n.c })
		g.w.pop()
	case powerNode:
		t := g.w.push()
		evaluate(n.in, t, g.w)
		g.chain(n.in, t, adj, func(v float64) float64 { return float64(n.p) * intPower(v, n.p-1) })
		g.w.pop()
	case polynomialNode:
		t := g.w.push()
		evaluate(n.in, t, g.w)
		for m, at := range n.theta {
			for a := range adj.Rows {
				row, v := adj.Row(a), t.Row(a)
				for b := range row {
					g.sum[at] += row[b] * intPower(v[b], m)
				}
			}
		}
		g.chain(n.in, t, adj, func(v float64) float64 { return hornerSlope(n.coef, v) })
		g.w.pop()
	case expNode:
		t := g.w.push()
		evaluate(n, t, g.w)
		g.chain(n.in, t, adj, func(v float64) float64 { return v })
		g.w.pop()
	case weightNode:
		if n.grad != nil {
			g.backPairs(n.pairwise, adj)
			return
		}
		t := g.w.push()
		for a := range adj.Rows {
			row := t.Row(a)
			copy(row, adj.Row(a))
			weigh(row, n.left[g.w.i+a], n.right[g.w.j:])
		}
		g.back(n.in, t)
		g.w.pop()
	case substituteNode:
		g.backPairs(n.pairwise, adj)
	case aliasNode:
		g.backPairs(n.pairwise, adj)
	case blockNode:
		g.backPairs(n.pairwise, adj)
	case profileNode:
		g.backProfile(n, adj)
	}
}

// chain passes adj·slope(values) down; it overwrites values.
func (g *gradient) chain(in node, values, adj linalg.Matrix[float64], slope func(float64) float64) {
	for a := range adj.Rows {
		row, v := adj.Row(a), values.Row(a)
		for b := range row {
			v[b] = row[b] * slope(v[b])
		}
	}
	g.back(in, values)
}

func dot(a, b linalg.Matrix[float64]) float64 {
	s := 0.0
	for i := range a.Rows {
		s += Inner.Between(a.Row(i), b.Row(i))
	}
	return s
}

func (g *gradient) backProduct(n productNode, adj linalg.Matrix[float64]) {
	values := make([]linalg.Matrix[float64], len(n.factors))
	for i, f := range n.factors {
		values[i] = g.w.push()
		evaluate(f, values[i], g.w)
	}
	t := g.w.push()
	for i, f := range n.factors {
		t.CopyFrom(adj)
		for j := range n.factors {
			if j != i {
				for a := range t.Rows {
					multiplyTo(t.Row(a), values[j].Row(a))
				}
			}
		}
		g.back(f, t)
	}
	g.w.pop()
	for range n.factors {
		g.w.pop()
	}
}

func (g *gradient) backPairs(n pairwise, adj linalg.Matrix[float64]) {
	if len(n.theta) == 0 {
		return
	}
	dtheta := make([]float64, len(n.theta))
	for a := range adj.Rows {
		for b, v := range adj.Row(a) {
			n.grad(g.w.i+a, g.w.j+b, dtheta)
			for p, d := range dtheta {
				if at := n.theta[p]; at >= 0 {
					g.sum[at] += v * d
				}
			}
		}
	}
}
