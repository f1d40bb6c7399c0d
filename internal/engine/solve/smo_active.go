package solve

import (
	"context"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// activePart is the part of a programme that can still move, with its own copy
// of K: the free variables, and those at a bound that want to leave it or nearly so. The others
// are looked at again when the part is solved (shrinking: Joachims 1999). The part is kept from
// round to round and from price to price and only grows, until too much of it
// is of no use.
type activePart struct {
	vars   []int // in the order they came
	points []int
	place  []int32 // by variable: 1 + its place in the part, 0 outside
	home   []int   // the Point slice of the programme that the part is of
	wanted []int   // variables that can move and are not in the part
	pairs  partPass
	k      linalg.Matrix[float32] // of the part, in store
	diag   []float64
	index  []int32   // points
	store  []float32 // K of the part
	stride int
	q      BoxQP
	beta   []float64
	f      []float64
	start  []float64
}

const (
	partFraction = 0.01 // of the violation outside, reached inside the part
	partSlack    = 0.1  // of the violation: how near to leaving its bound a variable is taken in
	partShare    = 0.7  // of all variables: a larger part is not worth its copy
	partWaste    = 1.6  // how many times what is needed a part may hold
	partLeast    = 8    // a part of fewer is not worth its bookkeeping
	partRoom     = 64   // variables that may come, beyond a quarter of the part

	// A programme of at most smallProgramme variables has all of its part of K,
	// four megabytes, near the processor: whoever is not far from moving is taken in, everybody if
	// need be, so that the copy is made once and serves the whole path.
	smallProgramme = 1024
	smallSlack     = 1.0
)

// activate brings the part up to date with who can still move; nil when that
// is nearly everything or hardly anything.
func (s *SharedSMO) activate(ctx context.Context, q BoxQP, beta, f []float64, violation float64) (*activePart, error) {
	if s.part == nil {
		s.part = &activePart{}
	}
	p := s.part
	if len(p.home) != len(q.Point) || &p.home[0] != &q.Point[0] {
		p.begin(q.Point)
		s.newton.forget()
	}
	share, slack := partShare, partSlack*violation
	if len(beta) <= smallProgramme {
		share, slack = 1, smallSlack*violation
	}
	b := multiplier(q, beta, f)
	needed := 0
	p.wanted = p.wanted[:0]
	for t, v := range beta {
		z := q.Linear[t] - f[q.Point[t]] - b
		up, down := v < q.Upper[t], v > q.Lower[t]
		if up && down || up && z > -slack || down && z < slack {
			needed++
			if p.place[t] == 0 {
				p.wanted = append(p.wanted, t)
			}
		}
	}
	if needed < partLeast || float64(needed) > share*float64(len(beta)) {
		return nil, nil
	}
	if m := len(p.vars) + len(p.wanted); m > p.stride || float64(m) > partWaste*float64(needed)+partRoom {
		p.rebuild(needed)
		s.newton.forget()
		for t, v := range beta {
			z := q.Linear[t] - f[q.Point[t]] - b
			up, down := v < q.Upper[t], v > q.Lower[t]
			if up && down || up && z > -slack || down && z < slack {
				p.wanted = append(p.wanted, t)
			}
		}
	}
	return p, p.take(ctx, s, q.Point)
}

// movable counts who would be in the part, and those of them whose row is yet to be made.
func (s *SharedSMO) movable(q BoxQP, beta, f []float64, violation float64) (count, missing int) {
	slack := partSlack * violation
	b := multiplier(q, beta, f)
	for t, v := range beta {
		z := q.Linear[t] - f[q.Point[t]] - b
		up, down := v < q.Upper[t], v > q.Lower[t]
		if up && down || up && z > -slack || down && z < slack {
			count++
			if s.Lazy != nil && s.Lazy.rows[q.Point[t]] == nil {
				missing++
			}
		}
	}
	return count, missing
}

// begin empties the part for another programme.
func (p *activePart) begin(points []int) {
	n := len(points)
	p.home = points
	if cap(p.place) < n {
		p.place = make([]int32, n)
		p.beta, p.f, p.start = make([]float64, n), make([]float64, n), make([]float64, n)
		p.q = BoxQP{Point: make([]int, n), Linear: make([]float64, n), Lower: make([]float64, n), Upper: make([]float64, n)}
		for i := range p.q.Point {
			p.q.Point[i] = i
		}
	}
	p.place = p.place[:n]
	clear(p.place)
	p.vars, p.points, p.index = p.vars[:0], p.points[:0], p.index[:0]
	p.stride = 0
}

// rebuild empties the part and makes room for m variables and some more.
func (p *activePart) rebuild(m int) {
	for _, t := range p.vars {
		p.place[t] = 0
	}
	p.vars, p.points, p.index, p.wanted = p.vars[:0], p.points[:0], p.index[:0], p.wanted[:0]
	// Whole vectors, so that the passes have no tails.
	p.stride = (min(m+m/4+partRoom, len(p.place)) + 31) &^ 31
	if cap(p.store) < p.stride*p.stride {
		p.store = linalg.New[float32](p.stride, p.stride).Data
	}
}

// take adds the wanted variables: their rows of K, and their columns.
func (p *activePart) take(ctx context.Context, s *SharedSMO, point []int) error {
	old := len(p.vars)
	for _, t := range p.wanted {
		p.vars, p.points = append(p.vars, t), append(p.points, point[t])
		p.place[t] = int32(len(p.vars))
		p.index = append(p.index, int32(point[t]))
	}
	m := len(p.vars)
	some := s.together(m)
	for lo := 0; lo < m; lo += some {
		hi := min(lo+some, m)
		if err := s.want(ctx, p.points[lo:hi]); err != nil {
			return err
		}
		for a := lo; a < hi; a++ {
			first := old
			if a >= old {
				first = 0
			}
			to := p.store[a*p.stride : a*p.stride+m]
			simd.GatherRow(to[first:], s.row(p.points[a]), p.index[first:])
		}
	}
	return nil
}

// solve optimises the part to a violation of at most eps, by pairs or, where they are slow, by
// factorisation to half of tol, and brings beta and f up to date. The whole part is one working
// set: a pair update costs a pass over it, less than a microsecond, and needs fewer companions than
// in small sets.
func (p *activePart) solve(
	ctx context.Context, s *SharedSMO, q BoxQP, beta, f []float64, eps, tol float64, limit int, r *SharedResult,
) error {
	m := len(p.vars)
	part := BoxQP{Point: p.q.Point[:m], Linear: p.q.Linear[:m], Lower: p.q.Lower[:m], Upper: p.q.Upper[:m]}
	p.k = linalg.Matrix[float32]{Rows: m, Cols: m, Stride: p.stride, Data: p.store[:(m-1)*p.stride+m]}
	p.diag = p.diag[:0]
	for a, t := range p.vars {
		p.beta[a], p.start[a], p.f[a] = beta[t], beta[t], f[p.points[a]]
		part.Linear[a], part.Lower[a], part.Upper[a] = q.Linear[t], q.Lower[t], q.Upper[t]
		p.diag = append(p.diag, s.diag[p.points[a]])
	}
	if err := p.optimise(ctx, part, &s.newton, p.beta[:m], p.f[:m], eps, tol, limit, r); err != nil {
		return err
	}
	s.points, s.weights = s.points[:0], s.weights[:0]
	for a, t := range p.vars {
		if d := p.beta[a] - p.start[a]; d != 0 {
			s.points, s.weights = append(s.points, p.points[a]), append(s.weights, d)
			beta[t] = p.beta[a]
		}
	}
	return s.addChange(ctx, f)
}

// optimise goes on by factorisation where the last round ended with one, else
// by pairs until one is due.
func (p *activePart) optimise(
	ctx context.Context, q BoxQP, w *newton, beta, f []float64, eps, tol float64, limit int, r *SharedResult,
) error {
	if w.again == 0 {
		due, err := p.improve(ctx, q, w, beta, f, eps, limit, r)
		if err != nil || !due {
			return err
		}
		w.again = newtonAgain
	}
	done, err := w.run(ctx, p.k, q, beta, f, 0.5*tol)
	if done {
		w.again--
		r.Newtons++
	} else {
		w.again = 0
	}
	return err
}

// partPairs is the number of pair updates between two fresh computations of
// the part's gradient; newtonAsk how many go by before it is asked whether a
// factorisation is worth it.
const (
	partPairs = 16384
	newtonAsk = 512
)

// improve optimises q, the programme of the part, until its violation is at
// most eps or pairs have cost so much that a factorisation is due; f is Kβ.
func (p *activePart) improve(
	ctx context.Context, q BoxQP, w *newton, beta, f []float64, eps float64, limit int, r *SharedResult,
) (due bool, err error) {
	m := len(beta)
	for budget := newtonAsk; ; budget *= 2 {
		budget = max(min(budget, partPairs, limit-r.Iterations), 1)
		n, err := p.pairs.solve(ctx, p, q, beta, f, eps, budget)
		if err != nil {
			return false, err
		}
		r.Iterations += n
		if n < budget || r.Iterations >= limit {
			return false, nil
		}
		w.spent += pairPrice(n, m)
		if w.due(m, freeCount(q, beta)) {
			return true, nil
		}
	}
}

// freeCount counts the variables strictly inside their box.
func freeCount(q BoxQP, beta []float64) int {
	n := 0
	for t, b := range beta {
		if b > q.Lower[t] && b < q.Upper[t] {
			n++
		}
	}
	return n
}
