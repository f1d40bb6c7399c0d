package kernel

import (
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// profileGrad is the backward pass of κ(metric(u(x), u(y))): by the parameters
// of κ, then through the metric to the mapped points, then through the maps to
// their parameters.
type profileGrad struct {
	valued
	src *source
	k   Differentiable
	// theta are the places of the parameters of k, links the maps before
	// the metric.
	theta []int
	links []link
}

func newProfileGrad(src *source, k Differentiable, p pair[Vec]) profileGrad {
	value := newProfileNode(src, k)
	return profileGrad{valued{value}, src, value.k.(Differentiable), p.theta, p.links}
}

// storable: no map with parameters stands before another map.
func (n profileGrad) storable() bool {
	for i, l := range n.links {
		if len(l.theta) > 0 && i < len(n.links)-1 {
			return false
		}
	}
	return true
}

func (n profileGrad) back(g *gradient, adj linalg.Matrix[float64]) {
	params := len(Params[Vec](n.k))
	outer := -1 // the link with parameters furthest from the metric
	for i, l := range n.links {
		if slices.ContainsFunc(l.theta, g.wanted) {
			outer = i
			break
		}
	}
	points := g.points.Rows > 0
	if params == 0 && outer < 0 && !points {
		return
	}
	m := sharedMetric(g.w, n.src)
	slope := push(g.w)
	// The whole tile in one call, so that a profile may work on long runs of numbers.
	tiles, dtheta := make([]linalg.Matrix[float64], params), make([][]float64, params)
	for p := range params {
		if p < len(n.theta) && g.wanted(n.theta[p]) {
			tiles[p] = push(g.w)
			dtheta[p] = tiles[p].Data
		}
	}
	profileGrads(n.k, slope.Data, dtheta, m.Data)
	for p, tile := range tiles {
		for a := range tile.Rows {
			g.emit(n.theta[p], a, adj.Row(a), tile.Row(a))
		}
		if tile.Rows > 0 {
			pop(g.w)
		}
	}
	if outer >= 0 || points {
		for a := range adj.Rows {
			multiplyTo(slope.Row(a), adj.Row(a))
		}
	}
	switch {
	case outer >= 0 && g.store != nil:
		g.storeLink(n, slope)
	case outer >= 0:
		g.backLinks(n, outer, slope)
	}
	if points {
		g.backPoints(n, slope)
	}
	pop(g.w)
}

// storeLink stores the derivatives of each pair by the parameters of the last map:
// A·(∂m/∂u·u̇ + ∂m/∂v·v̇) with the tangents u̇, v̇ of the mapped points.
func (g *gradient) storeLink(n profileGrad, adj linalg.Matrix[float64]) {
	i, j, d := g.w.i, g.w.j, n.src.x.Cols
	last := n.links[len(n.links)-1]
	tu, tv := linalg.New[float64](adj.Rows, d), linalg.New[float64](adj.Cols, d)
	slope, row := make(Vec, d), make([]float64, adj.Cols)
	for p, at := range last.theta {
		for a := range adj.Rows {
			last.e.tangent(tu.Row(a), p, last.x.Row(i+a))
		}
		for b := range adj.Cols {
			last.e.tangent(tv.Row(b), p, last.y.Row(j+b))
		}
		for a := range adj.Rows {
			u := n.src.x.Row(i + a)
			for b := range row {
				v := n.src.y.Row(j + b)
				clear(slope)
				n.src.metric.gradient(slope, 1, u, v)
				row[b] = Inner.Between(slope, tu.Row(a))
				clear(slope)
				n.src.metric.gradient(slope, 1, v, u)
				row[b] += Inner.Between(slope, tv.Row(b))
			}
			g.emit(at, a, adj.Row(a), row)
		}
	}
}

// backLinks takes the adjoint of the metric to the parameters of the maps.
func (g *gradient) backLinks(n profileGrad, outer int, adj linalg.Matrix[float64]) {
	i, j := g.w.i, g.w.j
	d := n.src.x.Cols
	u, v := n.src.x.Slice(i, i+adj.Rows, 0, d), n.src.y.Slice(j, j+adj.Cols, 0, d)
	ubar, vbar := metricAdjoint(n.src.metric, adj, u, v)
	for l := len(n.links) - 1; l >= outer; l-- {
		link := n.links[l]
		x := link.x.Slice(i, i+adj.Rows, 0, link.x.Cols)
		y := link.y.Slice(j, j+adj.Cols, 0, link.y.Cols)
		if len(link.theta) > 0 {
			g.mapParams(link, ubar, x)
			g.mapParams(link, vbar, y)
		}
		if l > outer {
			ubar, vbar = pullAll(link.e, ubar, x), pullAll(link.e, vbar, y)
		}
	}
}

// mapParams adds ubar·∂u/∂θ over the rows.
func (g *gradient) mapParams(l link, ubar, x linalg.Matrix[float64]) {
	if !slices.ContainsFunc(l.theta, g.wanted) {
		return
	}
	if l.e.tangentDot != nil {
		sum := make([]float64, len(l.theta))
		for i := range x.Rows {
			l.e.tangentDot(sum, ubar.Row(i), x.Row(i))
		}
		for p, at := range l.theta {
			g.sum[at] += sum[p]
		}
		return
	}
	t := make(Vec, ubar.Cols)
	for p, at := range l.theta {
		for i := range x.Rows {
			l.e.tangent(t, p, x.Row(i))
			g.sum[at] += Inner.Between(ubar.Row(i), t)
		}
	}
}

func pullAll(e embedding, ubar, x linalg.Matrix[float64]) linalg.Matrix[float64] {
	out := linalg.New[float64](x.Rows, x.Cols)
	for i := range x.Rows {
		e.pull(out.Row(i), ubar.Row(i), x.Row(i))
	}
	return out
}

// metricAdjoint is Σⱼ Aᵢⱼ ∂m(uᵢ, vⱼ)/∂uᵢ for each i, and the same for each vⱼ.
func metricAdjoint(m Metric, adj, u, v linalg.Matrix[float64]) (ubar, vbar linalg.Matrix[float64]) {
	ubar, vbar = linalg.New[float64](u.Rows, u.Cols), linalg.New[float64](v.Rows, v.Cols)
	switch m {
	case Inner, SqDist:
	case L1Dist:
		absoluteAdjoint(adj, u, v, ubar, vbar)
		return ubar, vbar
	default:
		for i := range adj.Rows {
			for j, a := range adj.Row(i) {
				m.gradient(ubar.Row(i), a, u.Row(i), v.Row(j))
				m.gradient(vbar.Row(j), a, v.Row(j), u.Row(i))
			}
		}
		return ubar, vbar
	}
	if m == SqDist {
		u, v = nearOrigin(u, v)
	}
	linalg.Gemm(1, linalg.NoTrans, linalg.NoTrans, 1, adj, v, 0, ubar)
	linalg.Gemm(1, linalg.Trans, linalg.NoTrans, 1, adj, u, 0, vbar)
	if m == Inner {
		return ubar, vbar
	}
	// ∂‖u-v‖²/∂u = 2(u-v), summed: 2(uᵢ·Σⱼ Aᵢⱼ - (AV)ᵢ).
	cols := make([]float64, adj.Cols)
	for i := range adj.Rows {
		rowSum := 0.0
		for _, a := range adj.Row(i) {
			rowSum += a
		}
		simd.Axpy(1, adj.Row(i), cols)
		centre(ubar.Row(i), u.Row(i), rowSum)
	}
	for j := range v.Rows {
		centre(vbar.Row(j), v.Row(j), cols[j])
	}
	return ubar, vbar
}

// nearOrigin is the points of both, moved there where all of them lie together far from it: sums of
// differences are taken as differences of sums, which have few digits left of large numbers.
func nearOrigin(u, v linalg.Matrix[float64]) (_, _ linalg.Matrix[float64]) {
	c := originOf(data.RowsOf(u), data.RowsOf(v))
	if c == nil {
		return u, v
	}
	return movedRows(u, c), movedRows(v, c)
}

// centre sets bar = 2(sum·u - bar).
func centre(bar, u []float64, sum float64) {
	for i, v := range u {
		bar[i] = 2 * (sum*v - bar[i])
	}
}

// absoluteAdjoint is metricAdjoint of Σ|u-v|: a coordinate at a time, Aᵢⱼ with the sign of uᵢ-vⱼ
// goes to uᵢ, and from vⱼ.
func absoluteAdjoint(adj, u, v, ubar, vbar linalg.Matrix[float64]) {
	column, sums := make([]float64, v.Rows), make([]float64, v.Rows)
	for d := range u.Cols {
		for j := range column {
			column[j] = v.At(j, d)
		}
		clear(sums)
		for i := range adj.Rows {
			x, sum := u.At(i, d), 0.0
			for j, a := range adj.Row(i) {
				t := x - column[j]
				if t == 0 {
					continue // a kink: 0
				}
				s := math.Copysign(1, t) * a
				sum += s
				sums[j] -= s
			}
			ubar.Set(i, d, sum)
		}
		for j, s := range sums {
			vbar.Set(j, d, s)
		}
	}
}
