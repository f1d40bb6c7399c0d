package smoothing

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// gaussQuery sums over the boxes around one query, ring by ring.
type gaussQuery struct {
	g    *FastGauss
	tol  Tolerance
	room Room
	x    []float64
	home []int // box of the query, may lie outside the grid
	// For each coordinate and each column of boxes, from -gaussReach to +gaussReach of home:
	hermite [][]float64 // g.order values h_k(u)
	bound   [][]float64 // the largest exact factor
	slack   [][]float64 // how far the factor of a cut series may be off
	total   float64
	off     float64 // bound for the error of total, among the boxes summed
	seen    float64 // weight of the boxes summed
}

// gaussReach is the number of rings after which exp(-r²/2) is below any
// rounding: a query that still lacks accuracy is left to the tree.
const gaussReach = 12

func newGaussQuery(g *FastGauss, tol Tolerance) *gaussQuery {
	w := &gaussQuery{g: g, tol: tol, home: make([]int, g.dim)}
	for range g.dim {
		w.hermite = append(w.hermite, make([]float64, (2*gaussReach+1)*g.order))
		w.bound = append(w.bound, make([]float64, 2*gaussReach+1))
		w.slack = append(w.slack, make([]float64, 2*gaussReach+1))
	}
	return w
}

// sum returns the sum at x, and whether it is within the tolerance.
func (w *gaussQuery) sum(x []float64) (float64, bool) {
	g := w.g
	w.x, w.total, w.off, w.seen = x, 0, 0, 0
	for j, v := range x {
		h := math.Floor(v - g.low[j])
		if h < -gaussReach || h > float64(g.count[j]+gaussReach) {
			return 0, false
		}
		w.home[j] = int(h)
	}
	absolute := math.Exp(w.tol.LogAbsolute)
	for r := 0; r <= gaussReach; r++ {
		for j := range x {
			w.prepare(j, -r)
			w.prepare(j, r)
		}
		w.ring(0, r, r == 0, 0, nil)
		// The query lies in its home box, so what is left is at least r away.
		rest := max(0, g.direct.Total-w.seen) * math.Exp(-float64(r*r)/2)
		if w.off+rest <= w.tol.Relative*(w.total-w.off)+absolute {
			return w.total, w.total > Tiny
		}
	}
	return 0, false
}

// prepare evaluates the Hermite functions of a column of boxes by
// h_{k+1} = u·h_k - k·h_{k-1}.
func (w *gaussQuery) prepare(j, offset int) {
	at := offset + gaussReach
	u := w.x[j] - (w.g.low[j] + float64(w.home[j]+offset) + 0.5)
	h := w.hermite[j][at*w.g.order : (at+1)*w.g.order]
	previous, current := 0.0, math.Exp(-u*u/2)
	for k := range h {
		h[k] = current
		previous, current = current, u*current-float64(k)*previous
	}
	gap := max(0, math.Abs(u)-0.5)
	w.bound[j][at] = math.Exp(-gap * gap / 2)
	w.slack[j][at] = w.g.cut * math.Exp(-u*u/4)
}

// ring visits the boxes whose farthest offset from home is r; edge says that a
// coordinate before j is at ±r already.
func (w *gaussQuery) ring(j, r int, edge bool, box int, path []int) {
	g := w.g
	if j == 0 {
		var room [MaxFastGaussDim]int
		path = room[:g.dim]
	}
	last := j == g.dim-1
	for o := -r; o <= r; o++ {
		if last && !edge && o > -r && o < r {
			o = r // inside the ring: seen before
		}
		c := w.home[j] + o
		if c < 0 || c >= g.count[j] {
			continue
		}
		path[j] = o + gaussReach
		next := box*g.count[j] + c
		if !last {
			w.ring(j+1, r, edge || o == -r || o == r, next, path)
		} else if lo, hi := g.start[next], g.start[next+1]; hi > lo {
			w.seen += g.mass[next]
			if m := g.moments[next]; m == nil {
				w.total += g.direct.over(&w.room, w.x, lo, hi)
			} else {
				w.series(m, g.mass[next], path)
			}
		}
	}
}

// series adds a box by its moments, and its error bound Π(t+e) - Πt.
func (w *gaussQuery) series(m []float64, mass float64, path []int) {
	exact, most := mass, mass
	for j, at := range path {
		exact *= w.bound[j][at]
		most *= w.bound[j][at] + w.slack[j][at]
	}
	w.off += most - exact
	w.total += w.contract(m, 0, path)
}

// contract is Σ m[a, b, …]·h_a·h_b·….
func (w *gaussQuery) contract(m []float64, j int, path []int) float64 {
	p := w.g.order
	h := w.hermite[j][path[j]*p : (path[j]+1)*p]
	if j == len(path)-1 {
		return simd.Dot64(m, h)
	}
	step := len(m) / p
	s := 0.0
	for a, v := range h {
		s += v * w.contract(m[a*step:(a+1)*step], j+1, path)
	}
	return s
}
