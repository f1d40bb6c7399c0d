package solve

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/linalg"
)

// activePart is the part of a programme that can still move, with its own copy
// of K: the free variables, and those at a bound that want to leave it or nearly so. The others
// are looked at again when the part is solved (shrinking: Joachims 1999). The part is kept from
// round to round and from price to price and only grows, until too much of it
// is of no use.
type activePart struct {
	vars   []int // in the order they came
	points []int
	place  []int32   // by variable: 1 + its place in the part, 0 outside
	home   []int     // the Point slice of the programme that the part is of
	wanted []int     // variables that can move and are not in the part
	smo    SharedSMO // its newton, on the part
	block  block[float32]
	store  []float32 // K of the part
	stride int
	q      BoxQP
	beta   []float64
	f      []float64
	start  []float64
}

const (
	partFraction = 0.01 // of the violation outside, reached inside the part
	partSlack    = 0.25 // of the violation: how near to leaving its bound a variable is taken in
	partShare    = 0.7  // of all variables: a larger part is not worth its copy
	partWaste    = 1.6  // how many times what is needed a part may hold
	partLeast    = 64
)

// activate brings the part up to date with who can still move; nil when that
// is nearly everything or hardly anything.
func (s *SharedSMO) activate(q BoxQP, beta, f []float64, violation float64) *activePart {
	if s.part == nil {
		s.part = &activePart{}
	}
	p := s.part
	if len(p.home) != len(q.Point) || &p.home[0] != &q.Point[0] {
		p.begin(q.Point)
	}
	b, slack := Multiplier(q, beta, f), partSlack*violation
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
	if needed < partLeast || float64(needed) > partShare*float64(len(beta)) {
		return nil
	}
	if m := len(p.vars) + len(p.wanted); m > p.stride || float64(m) > partWaste*float64(needed)+partLeast {
		p.rebuild(needed)
		for t, v := range beta {
			z := q.Linear[t] - f[q.Point[t]] - b
			up, down := v < q.Upper[t], v > q.Lower[t]
			if up && down || up && z > -slack || down && z < slack {
				p.wanted = append(p.wanted, t)
			}
		}
	}
	p.take(s.K, q.Point)
	return p
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
	p.vars, p.points = p.vars[:0], p.points[:0]
}

// rebuild empties the part and makes room for m variables and some more.
func (p *activePart) rebuild(m int) {
	for _, t := range p.vars {
		p.place[t] = 0
	}
	p.vars, p.points, p.wanted = p.vars[:0], p.points[:0], p.wanted[:0]
	// Rows of whole cache lines.
	p.stride = min(m+m/4+partLeast, len(p.place)) + 15&^15
	if cap(p.store) < p.stride*p.stride {
		p.store = make([]float32, p.stride*p.stride)
	}
}

// take adds the wanted variables: their rows of K, and their columns.
func (p *activePart) take(k linalg.Matrix[float32], point []int) {
	old := len(p.vars)
	for _, t := range p.wanted {
		p.vars, p.points = append(p.vars, t), append(p.points, point[t])
		p.place[t] = int32(len(p.vars))
	}
	m := len(p.vars)
	for a, o := range p.points {
		from, first := k.Row(o), old
		if a >= old {
			first = 0
		}
		to := p.store[a*p.stride : a*p.stride+m]
		for c, w := range p.points[first:] {
			to[first+c] = from[w]
		}
	}
}

// solve optimises the part to a violation of at most eps and brings beta and f
// up to date. The whole part is one working set: a pair update costs
// a pass over it, less than a microsecond, and needs fewer companions than in small sets.
func (p *activePart) solve(ctx context.Context, s *SharedSMO, q BoxQP, beta, f []float64, eps float64, limit int, r *SharedResult) error {
	m := len(p.vars)
	part := BoxQP{Point: p.q.Point[:m], Linear: p.q.Linear[:m], Lower: p.q.Lower[:m], Upper: p.q.Upper[:m]}
	k := linalg.Matrix[float32]{Rows: m, Cols: m, Stride: p.stride, Data: p.store[:(m-1)*p.stride+m]}
	p.smo.K, p.smo.diag = k, p.smo.diag[:0]
	for a, t := range p.vars {
		p.beta[a], p.start[a], p.f[a] = beta[t], beta[t], f[p.points[a]]
		part.Linear[a], part.Lower[a], part.Upper[a] = q.Linear[t], q.Lower[t], q.Upper[t]
		p.smo.diag = append(p.smo.diag, s.diag[p.points[a]])
	}
	if err := p.improve(ctx, part, p.beta[:m], p.f[:m], eps, limit, r); err != nil {
		return err
	}
	s.rows, s.weights = s.rows[:0], s.weights[:0]
	for a, t := range p.vars {
		if d := p.beta[a] - p.start[a]; d != 0 {
			s.rows, s.weights = append(s.rows, s.K.Row(p.points[a])), append(s.weights, d)
			beta[t] = p.beta[a]
		}
	}
	addRows(1, f, s.rows, s.weights, 0)
	return nil
}

// partPairs is the number of pair updates between two looks at whether a
// factorisation is worth it.
const partPairs = 4096

// improve optimises q, the programme of the part, until its violation is at
// most eps.
func (p *activePart) improve(ctx context.Context, q BoxQP, beta, f []float64, eps float64, limit int, r *SharedResult) error {
	m, k := len(beta), p.smo.K
	if cap(p.block.diag) < m {
		p.block = *newBlock[float32](0)
		p.block.grow(p.stride)
	}
	b := &p.block
	b.narrow(m)
	b.k, b.groups = k, append(b.groups[:0], span{0, m})
	copy(b.diag, p.smo.diag)
	copy(b.low, q.Lower)
	copy(b.high, q.Upper)
	p.smo.newton.begin()
	for {
		copy(b.beta, beta)
		for t := range beta {
			b.place(t, q.Linear[t]-f[t])
		}
		for {
			n, err := b.solve(ctx, eps, max(min(partPairs, limit-r.Iterations), 1))
			if err != nil {
				return err
			}
			r.Iterations += n
			p.smo.newton.pairs += n
			if n < partPairs || r.Iterations >= limit {
				copy(beta, b.beta)
				return nil
			}
			p.smo.newton.sets = 1
			if p.smo.newton.due(m, 0, p.smo.free(q, b.beta)) {
				break
			}
		}
		// Back to β and Kβ for the factorisation.
		copy(beta, b.beta)
		for t := range f {
			if z := b.up[t]; !math.IsInf(z, 0) {
				f[t] = q.Linear[t] - z
			} else if z := b.down[t]; !math.IsInf(z, 0) {
				f[t] = q.Linear[t] - z
			}
		}
		moved, err := p.smo.tryNewton(ctx, q, beta, f, eps)
		if err != nil {
			return err
		}
		if moved {
			r.Newtons++
		}
	}
}
