package smoothing

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
)

// FastGauss is the fast Gauss transform (Greengard and Strain 1991): space is
// cut into boxes as wide as the bandwidth, and the sum over a crowded box is a
// short series around its centre c,
//
//	Σ wᵢ·exp(-(x-yᵢ)²/2) = Σ_k M_k·h_k(x-c),  M_k = Σ wᵢ(yᵢ-c)^k/k!,  h_k(u) = He_k(u)·exp(-u²/2)
//
// in each coordinate. With Cramér's inequality |h_k(u)| ≤ 1.0865·√(k!)·exp(-u²/4) and |y-c| ≤ a = ½
// the series cut at order p is off by at most e·exp(-u²/4) per unit of weight,
//
//	e = 1.0865·a^p/√(p!) / (1 - a/√(p+1)).
//
// Each query adds up these bounds, and a bound for the boxes it leaves out; where
// they exceed the tolerance, the tree takes over. The cost of a query does not
// grow with the number of points.
type FastGauss struct {
	direct  Sum // points in box order
	dim     int
	order   int       // p
	cut     float64   // e
	low     []float64 // lower corner of the grid
	count   []int     // boxes along each coordinate
	start   []int     // places of box b: [start[b], start[b+1])
	mass    []float64 // weight of each box
	moments [][]float64
}

const cramer = 1.0865

// MaxFastGaussDim is the number of coordinates beyond which p^d terms a box and
// their neighbours cost more than the points.
const MaxFastGaussDim = 3

// seriesOrder is the least p whose cut is below eps, and the cut.
func seriesOrder(eps float64) (p int, cut float64) {
	const a = 0.5
	term := cramer
	for p = 1; ; p++ {
		term *= a / math.Sqrt(float64(p))
		cut = term / (1 - a/math.Sqrt(float64(p+1)))
		if cut <= eps || p == 24 {
			return p, cut
		}
	}
}

// NewFastGauss sorts the points into boxes; nil when the grid would be much
// larger than the data.
func NewFastGauss(k *Sum, tol Tolerance) *FastGauss {
	t := k.Tree
	if k.Kernel != Gaussian || k.inverse != nil || t.Dim < 1 || t.Dim > MaxFastGaussDim {
		return nil
	}
	eps := max(tol.Relative, math.Exp(tol.LogAbsolute)/k.Total)
	g := &FastGauss{dim: t.Dim, low: make([]float64, t.Dim), count: make([]int, t.Dim)}
	g.order, g.cut = seriesOrder(eps * 1e-3)
	low, high := t.box(0)
	boxes := 1.0
	for j := range low {
		g.low[j] = low[j]
		cells := math.Floor(high[j]-low[j]) + 1
		if boxes *= cells; !(boxes < 4*float64(t.N)+4096) {
			return nil
		}
		g.count[j] = int(cells)
	}
	total := int(boxes)
	g.start = make([]int, total+1)
	of := make([]int, t.N)
	point := make([]float64, t.Dim)
	for p := range of {
		t.Point(point, p)
		of[p] = g.boxOf(point)
		g.start[of[p]+1]++
	}
	for b := range total {
		g.start[b+1] += g.start[b]
	}
	place := append([]int(nil), g.start[:total]...)
	cols := make([][]float64, t.Dim)
	for j := range cols {
		cols[j] = make([]float64, t.N)
	}
	if k.Weight != nil {
		g.direct.Weight = make([]float64, t.N)
	}
	for p, b := range of {
		to := place[b]
		place[b]++
		for j := range cols {
			cols[j][to] = t.cols[j][p]
		}
		if k.Weight != nil {
			g.direct.Weight[to] = k.Weight[p]
		}
	}
	g.direct.Tree = &Tree{Dim: t.Dim, N: t.N, cols: cols}
	g.direct.Total = k.Total
	g.sumMoments(total)
	return g
}

func (g *FastGauss) boxOf(x []float64) int {
	b := 0
	for j, v := range x {
		c := min(max(int(math.Floor(v-g.low[j])), 0), g.count[j]-1)
		b = b*g.count[j] + c
	}
	return b
}

// sumMoments makes the series of every box that holds more points than terms.
func (g *FastGauss) sumMoments(total int) {
	terms := 1
	for range g.dim {
		terms *= g.order
	}
	g.mass, g.moments = make([]float64, total), make([][]float64, total)
	powers := make([][]float64, g.dim)
	for j := range powers {
		powers[j] = make([]float64, g.order)
	}
	centre := make([]float64, g.dim)
	for b := range total {
		lo, hi := g.start[b], g.start[b+1]
		series := hi-lo > terms
		if series {
			g.moments[b] = make([]float64, terms)
			g.centre(b, centre)
		}
		for p := lo; p < hi; p++ {
			w := 1.0
			if g.direct.Weight != nil {
				w = g.direct.Weight[p]
			}
			g.mass[b] += w
			if !series {
				continue
			}
			for j, pow := range powers {
				v, u := 1.0, g.direct.Tree.cols[j][p]-centre[j]
				for a := range pow {
					pow[a] = v
					v *= u / float64(a+1)
				}
			}
			addOuter(g.moments[b], w, powers)
		}
	}
}

// addOuter adds w·⊗ powers to m.
func addOuter(m []float64, w float64, powers [][]float64) {
	if len(powers) == 1 {
		for a, v := range powers[0] {
			m[a] += w * v
		}
		return
	}
	step := len(m) / len(powers[0])
	for a, v := range powers[0] {
		addOuter(m[a*step:(a+1)*step], w*v, powers[1:])
	}
}

// centre of box b.
func (g *FastGauss) centre(b int, c []float64) {
	for j := g.dim - 1; j >= 0; j-- {
		c[j] = g.low[j] + float64(b%g.count[j]) + 0.5
		b /= g.count[j]
	}
}

// LogSums evaluates the queries, leaving those whose bound is too large to the
// tree of k.
func (g *FastGauss) LogSums(
	ctx context.Context, t int, dst []float64, q linalg.Matrix[float64], k *Sum, tol Tolerance,
) error {
	left := make([]bool, q.Rows)
	par.For(t, q.Rows, 16, func(lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		w := newGaussQuery(g, tol)
		for i := lo; i < hi; i++ {
			s, ok := w.sum(q.Row(i))
			dst[i], left[i] = math.Log(s), !ok
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	return k.logSumsOf(ctx, t, dst, q, left, tol)
}

// logSumsOf evaluates the marked queries by the tree.
func (k *Sum) logSumsOf(
	ctx context.Context, t int, dst []float64, q linalg.Matrix[float64], marked []bool, tol Tolerance,
) error {
	var rows []int
	for i, m := range marked {
		if m {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	rest := linalg.New[float64](len(rows), q.Cols)
	for a, i := range rows {
		copy(rest.Row(a), q.Row(i))
	}
	logs := make([]float64, len(rows))
	if err := k.LogSums(ctx, t, logs, rest, tol); err != nil {
		return err
	}
	for a, i := range rows {
		dst[i] = logs[a]
	}
	return nil
}
