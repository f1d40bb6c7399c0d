package kernel

import (
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// ParamGrads sets dst[p][i, j] = ∂k(x.At(i), y.At(j))/∂θₚ for every parameter in the order of
// Params, in parallel. Entries for integer parameters are 0. A Tunable kernel that knows no derivative is
// differenced.
func ParamGrads[T any](k Kernel[T], dst []*mat.Dense, x, y data.Points[T]) error {
	n := len(Params(k))
	if len(dst) != n {
		return fault.Errorf("kernel", "%d matrices for the derivatives by %d parameters", len(dst), n)
	}
	for p, m := range dst {
		if r, c := m.Dims(); r != x.Len() || c != y.Len() {
			return fault.Errorf("kernel", "matrix %d is %d×%d, the Gram block is %d×%d", p, r, c, x.Len(), y.Len())
		}
	}
	if n == 0 || x.Len() == 0 || y.Len() == 0 {
		return nil
	}
	p := newPlan(k, x, y)
	store := make([]linalg.Matrix[float64], n)
	for i, m := range dst {
		m.Zero()
		store[i] = linalg.Of(m)
	}
	if !storable(p.root) {
		pairGrads(k, store, x, y, p.same)
		return nil
	}
	backward(p, func(int) *gradient { return &gradient{store: store} }, func(g *gradient, i, j, r, c int) linalg.Matrix[float64] {
		ones := linalg.New[float64](r, c)
		fill(ones.Data, 1)
		return ones
	})
	if p.same {
		par.For(0, n, 1, func(i, _ int) { mirror(store[i], store[i], true) })
	}
	return nil
}

// pairGrads is ParamGrads a pair at a time.
func pairGrads[T any](k Kernel[T], dst []linalg.Matrix[float64], x, y data.Points[T], same bool) {
	par.For(0, x.Len(), 8, func(lo, hi int) {
		dtheta := make([]float64, len(dst))
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
	return ParamGradDotOf(k, grad, nil, w, x, y)
}

// ParamGradDotOf is ParamGradDot for those parameters that are wanted; grad[p] of the others is 0. A parameter that is
// held costs nothing then, which matters where its derivative is dear, like that of a Matérn kernel
// by ν. With wanted nil it is all of them.
func ParamGradDotOf[T any](k Kernel[T], grad []float64, wanted []bool, w *mat.Dense, x, y data.Points[T]) error {
	if n := len(Params(k)); len(grad) != n || wanted != nil && len(wanted) != n {
		return fault.Errorf("kernel", "room for %d derivatives, %d of them marked, by %d parameters", len(grad), len(wanted), n)
	}
	if r, c := w.Dims(); r != x.Len() || c != y.Len() {
		return fault.Errorf("kernel", "the weights are %d×%d, the Gram block is %d×%d", r, c, x.Len(), y.Len())
	}
	clear(grad)
	if len(grad) == 0 || x.Len() == 0 || y.Len() == 0 {
		return nil
	}
	p := newPlan(k, x, y)
	weights := linalg.Of(w)
	parts := make([][]float64, (p.rows+gradTile-1)/gradTile)
	backward(p, func(piece int) *gradient {
		parts[piece] = make([]float64, len(grad))
		return &gradient{sum: parts[piece], want: wanted}
	}, func(g *gradient, i, j, r, c int) linalg.Matrix[float64] {
		tile := weights.Slice(i, i+r, j, j+c)
		if p.same && i != j { // the mirrored tile has the same derivatives
			return g.addMirror(tile, weights.Slice(j, j+c, i, i+r))
		}
		return tile
	})
	for _, part := range parts {
		for i, v := range part {
			if wanted == nil || wanted[i] {
				grad[i] += v
			}
		}
	}
	return nil
}

// backward runs a backward pass over all tiles, those on and below the diagonal when
// both sides are the same points. Each row of tiles is one piece with a gradient of its own.
func backward(p *plan, start func(piece int) *gradient, weights func(g *gradient, i, j, r, c int) linalg.Matrix[float64]) {
	across := (p.cols + gradTile - 1) / gradTile
	down := (p.rows + gradTile - 1) / gradTile
	par.For(0, down, 1, func(bi, _ int) {
		g := start(bi)
		g.plan = p
		g.w = &work[float64]{keep: true}
		i := bi * gradTile
		r := min(gradTile, p.rows-i)
		last := across
		if p.same {
			last = bi + 1
		}
		for bj := range last {
			if p.stopped() {
				return
			}
			j := bj * gradTile
			c := min(gradTile, p.cols-j)
			g.w.start(i, j, r, c, len(p.sources))
			g.back(p.root, weights(g, i, j, r, c))
		}
	})
}

// gradient is a backward pass in one goroutine. It adds weighted derivatives up,
// or stores those of each pair when store is there.
type gradient struct {
	sum    []float64
	want   []bool // which parameters; nil means all
	store  []linalg.Matrix[float64]
	w      *work[float64]
	mirror linalg.Matrix[float64]
	plan   *plan
}

// wanted says whether the derivative by the parameter at place at is asked for.
func (g *gradient) wanted(at int) bool { return at >= 0 && (g.want == nil || g.want[at]) }

// emit takes adj·d, a row of the derivatives by the parameter at place at.
func (g *gradient) emit(at, a int, adj, d []float64) {
	if g.store == nil {
		g.sum[at] += simd.Dot(adj, d)
		return
	}
	row := g.store[at].Row(g.w.i + a)[g.w.j:]
	for b, v := range adj {
		row[b] += v * d[b]
	}
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
			ones := make([]float64, adj.Cols)
			fill(ones, 1)
			for a := range adj.Rows {
				g.emit(n.theta[0], a, adj.Row(a), ones)
			}
		}
	case scaleNode:
		t := g.w.push()
		evaluate(n.in, t, g.w)
		if n.at >= 0 {
			for a := range adj.Rows {
				g.emit(n.at, a, adj.Row(a), t.Row(a))
			}
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
		power := make([]float64, adj.Cols)
		for m, at := range n.theta {
			if !g.wanted(at) {
				continue
			}
			for a := range adj.Rows {
				simd.PowInt64(power, t.Row(a), m)
				g.emit(at, a, adj.Row(a), power)
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
		if n.self != nil {
			g.backNormalized(n, adj)
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
		if outer, ok := n.outer.(Differentiable); ok {
			g.backSubstitute(n, outer, adj)
		} else {
			g.backPairs(n.pairwise, adj)
		}
	case offsetNode:
		t := g.w.push()
		t.CopyFrom(adj)
		for a := range t.Rows {
			scaleBy(t.Row(a), n.c)
		}
		g.back(n.in, t)
		g.w.pop()
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
	if !slices.ContainsFunc(n.theta, g.wanted) {
		return
	}
	dtheta := make([]float64, len(n.theta))
	rows := linalg.New[float64](len(n.theta), adj.Cols)
	for a := range adj.Rows {
		if g.plan.stopped() {
			return
		}
		if n.rows != nil {
			n.rows(g.w.i+a, g.w.j, rows)
		}
		for b := 0; b < adj.Cols && n.rows == nil; b++ {
			n.grad(g.w.i+a, g.w.j+b, dtheta)
			for p, d := range dtheta {
				rows.Set(p, b, d)
			}
		}
		for p, at := range n.theta {
			if g.wanted(at) {
				g.emit(at, a, adj.Row(a), rows.Row(p))
			}
		}
	}
}
