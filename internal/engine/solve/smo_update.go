package solve

import (
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// optimise solves the programme on a working set and brings Kβ up to date on
// the active points.
func (s *smo[F]) optimise(b *block[F], set []int) error {
	points := make([]int, 0, len(set))
	for _, t := range set {
		points = append(points, s.point(t))
	}
	computed, err := s.rows.want(s.ctx, s.k, points, s.layout.active)
	if err != nil {
		return err
	}
	s.res.RowsComputed += computed
	s.lastComputed = computed

	b.resize(len(set))
	where := make([]int, len(set))
	for a, p := range points {
		where[a] = s.layout.where[p]
	}
	// Reading here and there in long rows is dear: half of the entries will do.
	par.For(s.o.Threads, len(set), 8, func(lo, hi int) {
		for a := lo; a < hi; a++ {
			row, dst := s.rows.rows[points[a]], b.k.Row(a)
			for c, w := range where[:a+1] {
				dst[c] = row[w]
			}
		}
	})
	linalg.MirrorLower(s.o.Threads, b.k)
	from := 0
	for a, t := range set {
		b.diag[a], b.beta[a] = s.diag[points[a]], s.beta[t]
		b.low[a], b.high[a] = s.q.Lower[t], s.q.Upper[t]
		b.place(a, s.q.Linear[t]-s.f[where[a]])
		if a+1 == len(set) || s.group(set[a+1]) != s.group(t) {
			b.groups = append(b.groups, span{from, a + 1})
			from = a + 1
		}
	}
	eps := max(innerFraction*s.pick.violation, 0.5*s.target)
	limit := min(innerLimit*len(set), s.o.MaxIterations-s.res.Iterations)
	iterations, err := b.solve(s.ctx, eps, max(limit, 1))
	if err != nil {
		return err
	}
	s.res.Iterations += iterations

	s.moveTo(set, points, b.beta)
	return nil
}

// moveTo gives the variables of a set new values and brings Kβ up to date. The
// rows of their points are at hand.
func (s *smo[F]) moveTo(set, points []int, beta []float64) {
	// Only points whose coefficient moved take part in the product.
	seen := make(map[int]bool)
	var moved []int
	for a, t := range set {
		if beta[a] != s.beta[t] {
			if !seen[points[a]] {
				seen[points[a]] = true
				moved = append(moved, points[a])
			}
			s.beta[t] = beta[a]
		}
	}
	rows, weights := make([][]F, 0, len(moved)), make([]float64, 0, len(moved))
	for _, p := range moved {
		// The sum over the variables of a point, afresh, so that rounding of
		// the changes does not pile up.
		c := 0.0
		for _, t := range s.vars[p] {
			if t >= 0 {
				c += s.beta[t]
			}
		}
		if d := c - s.coef[p]; d != 0 {
			rows, weights = append(rows, s.rows.rows[p]), append(weights, d)
		}
		s.coef[p] = c
	}
	s.lastAdded = len(rows)
	addRows(s.o.Threads, s.f[:s.layout.active], rows, weights, 0)
}

const (
	innerFraction = 0.1 // of the violation outside, reached inside the set
	innerLimit    = 100 // pair updates for each variable of a set
)

// addRows adds Σ weights[a]·rows[a][shift+i] to f[i], over pieces of f in parallel.
func addRows[F linalg.Float](t int, f []float64, rows [][]F, weights []float64, shift int) {
	// An entry has the same bits however f is cut. One thread best reads a row that comes from afar
	// whole; several want pieces enough that none waits long for the last.
	piece := len(f)
	if workers := par.Workers(t); workers > 1 {
		piece = min(max(len(f)/(4*workers)&^63, 256), 2048)
	}
	par.For(t, len(f), piece, func(lo, hi int) {
		out := f[lo:hi]
		a := 0
		if rows, ok := any(rows).([][]float32); ok {
			for ; a+4 <= len(rows); a += 4 {
				var x [4][]float32
				for r := range x {
					x[r] = rows[a+r][shift+lo : shift+hi]
				}
				simd.AddRows((*[4]float64)(weights[a:]), &x, out)
			}
		}
		for ; a+4 <= len(rows); a += 4 {
			x0, x1 := rows[a][shift+lo:shift+hi], rows[a+1][shift+lo:shift+hi]
			x2, x3 := rows[a+2][shift+lo:shift+hi], rows[a+3][shift+lo:shift+hi]
			w0, w1, w2, w3 := weights[a], weights[a+1], weights[a+2], weights[a+3]
			for i := range out {
				out[i] += (w0*float64(x0[i]) + w1*float64(x1[i])) + (w2*float64(x2[i]) + w3*float64(x3[i]))
			}
		}
		for ; a < len(rows); a++ {
			x, w := rows[a][shift+lo:shift+hi], weights[a]
			for i := range out {
				out[i] += w * float64(x[i])
			}
		}
	})
}

// addProduct adds Σ coef[p]·K[p, ·] to Kβ at the positions [lo, hi), with
// cached rows where they reach so far and computed ones elsewhere.
func (s *smo[F]) addProduct(coef []float64, lo, hi int) error {
	if lo == hi {
		return nil
	}
	var missing []int
	var rows [][]F
	var weights []float64
	flush := func() {
		addRows(s.o.Threads, s.f[lo:hi], rows, weights, lo)
		rows, weights = rows[:0], weights[:0]
	}
	for p, c := range coef {
		if c == 0 {
			continue
		}
		if len(s.rows.rows[p]) < hi {
			missing = append(missing, p)
			continue
		}
		rows, weights = append(rows, s.rows.rows[p]), append(weights, c)
	}
	flush()
	if len(missing) == 0 {
		return nil
	}
	k := s.whole.Columns(s.layout.order[lo:hi])
	some := s.rows.batch(hi - lo)
	m := linalg.Unset[F](min(some, len(missing)), hi-lo)
	for a := 0; a < len(missing); a += some {
		batch := missing[a:min(a+some, len(missing))]
		part := m.Slice(0, len(batch), 0, hi-lo)
		if err := k.Rows(s.ctx, part, batch); err != nil {
			return err
		}
		s.res.RowsComputed += len(batch)
		for r, p := range batch {
			rows, weights = append(rows, part.Row(r)), append(weights, coef[p])
		}
		addRows(s.o.Threads, s.f[lo:hi], rows, weights, 0)
		rows, weights = rows[:0], weights[:0]
	}
	return nil
}
