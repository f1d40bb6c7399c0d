package solve

import (
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
)

// A violation below the tolerance leaves Kβ + b off by up to the tolerance
// wherever variables are free. Where they are few, one factorisation ends that: polish
// makes the violation among the free variables vanish by a Newton step on them,
//
//	K_FF δ + Σ_g b_g e_g = z_F,   e_gᵀδ = 0 for each group g,
//
// and decision values then stand to the rounding of the rows rather than to the tolerance.
const (
	settled     = 0.1  // of the tolerance: a violation below this is left alone
	polishMost  = 3    // factorisations
	polishSteps = 64   // Newton steps by each
	polishLimit = 2500 // free variables: beyond, the cube costs as much as the fit
)

// polishPrice is about what a factorisation of m free variables takes, in seconds.
func polishPrice(m int) float64 {
	if m > polishLimit {
		return 0
	}
	return 1.5e-11 * float64(m) * float64(m) * float64(m)
}

// stepsPrice is what the memory of a factorisation and the steps by it take beside that. One machine
// does not feel it; of hundreds side by side, which hold their rows, it is a third of the time.
func stepsPrice(m int) float64 { return 3e-5 + 6e-9*float64(m)*float64(m) }

// polish takes steps by one factorisation, each as far as the box has room for it. The variable
// that stops one is put on its bound and held there in the next: δ_j = 0 is one more equation like
// those of the groups, with a multiplier and a column e_j, and costs the square of the variables
// where another factorisation would cost the cube. It reports whether anything moved.
func (s *smo[F]) polish() (bool, error) {
	set := s.freeVariables()
	m := len(set)
	if m < 2 || m > polishLimit || m >= s.rows.capacity(s.layout.active) || 8*int64(m)*int64(m) > s.o.Bytes/workShare/2 {
		return false, nil
	}
	points, where := make([]int, m), make([]int, m)
	for a, t := range set {
		points[a] = s.point(t)
		where[a] = s.layout.where[points[a]]
	}
	computed, err := s.rows.want(s.ctx, s.k, points, s.layout.active)
	if err != nil {
		return false, err
	}
	s.res.RowsComputed += computed
	k := linalg.New[float64](m, m)
	ridge := rowRounding[F]()
	par.For(s.o.Threads, m, 32, func(lo, hi int) {
		for a := lo; a < hi; a++ {
			row, dst := s.rows.rows[points[a]], k.Row(a)
			for c, w := range where[:a+1] {
				dst[c] = float64(row[w])
			}
			// Equal rows leave the block singular, and rounding indefinite.
			dst[a] += ridge * (1 + dst[a])
		}
	})
	c, err := linalg.NewCholeskyContext(s.ctx, s.o.Threads, k)
	if err != nil {
		return false, s.ctx.Err() // not definite: the pairs have done what there is to do
	}
	s.res.Polishings++
	h := s.heldVariables(set)
	moved := false
	for range polishSteps {
		r := linalg.New[float64](m, 1)
		for a, t := range set {
			r.Set(a, 0, s.q.Linear[t]-s.f[where[a]])
		}
		c.Solve(s.o.Threads, r)
		h.solve(s.o.Threads, c)
		delta, ok := h.balanced(r)
		if !ok {
			break
		}
		stop, ok := s.stepInBox(set, points, delta)
		if !ok {
			break
		}
		moved = true
		if stop < 0 {
			break // all of the step: what is left is for the pairs
		}
		h.hold(stop)
		if err := s.ctx.Err(); err != nil {
			return false, err
		}
	}
	return moved, nil
}

// rowRounding is what the diagonal is raised by, relatively.
func rowRounding[F linalg.Float]() float64 {
	if sizeOf[F]() == 4 {
		return 1e-6
	}
	return 1e-12
}

// freeVariables lists the active variables strictly inside their box, by group
// and place. A point with two free variables is left out: its block is singular.
func (s *smo[F]) freeVariables() []int {
	var set []int
	for _, p := range s.layout.order[:s.layout.active] {
		free, count := 0, 0
		for _, t := range s.vars[p] {
			if t >= 0 && s.beta[t] > s.q.Lower[t] && s.beta[t] < s.q.Upper[t] {
				free = int(t)
				count++
			}
		}
		if count == 1 {
			set = append(set, free)
		}
	}
	return set
}

// stepInBox moves the set by δ, or by the share of it that keeps all of them in
// their boxes; stop is who is in the way, -1 where nobody is, and ok is false where there is
// no room at all.
func (s *smo[F]) stepInBox(set, points []int, delta []float64) (stop int, ok bool) {
	share := 1.0
	stop = -1
	for a, t := range set {
		room := s.q.Upper[t] - s.beta[t]
		d := delta[a]
		if d < 0 {
			room, d = s.beta[t]-s.q.Lower[t], -d
		}
		if d*share > room {
			share, stop = room/d, a
		}
	}
	if !(share > 0) {
		return stop, false
	}
	beta := make([]float64, len(set))
	for a, t := range set {
		beta[a] = min(max(s.beta[t]+share*delta[a], s.q.Lower[t]), s.q.Upper[t])
		if a == stop && delta[a] > 0 {
			beta[a] = s.q.Upper[t]
		} else if a == stop {
			beta[a] = s.q.Lower[t]
		}
	}
	s.moveTo(set, points, beta)
	return stop, true
}
