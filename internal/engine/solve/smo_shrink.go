package solve

import "github.com/mercer-ml/mercer/internal/engine/par"

// Relative cost of an entry of a row: added to Kβ, computed, moved when points
// are set aside.
const (
	costAdd     = 1
	costCompute = 6
	costMove    = 8
)

// timeToShrink says whether what has been spent on points that could have been
// set aside has reached the price of doing so: then doing it now costs at
// most twice what the best plan would have.
func (s *smo[F]) timeToShrink() bool {
	if s.o.NoShrinking || s.res.WorkingSets == 0 {
		return false
	}
	counts := make([]int, (s.layout.active+scanPiece-1)/scanPiece)
	par.For(s.o.Threads, s.layout.active, scanPiece, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if s.idle(s.layout.order[i], s.f[i]) {
				counts[lo/scanPiece]++
			}
		}
	})
	idle := 0
	for _, c := range counts {
		idle += c
	}
	if idle*10 < s.layout.active || idle == s.layout.active {
		return false
	}
	s.wasted += idle * (costAdd*s.lastAdded + costCompute*s.lastComputed)
	return s.wasted >= costMove*s.layout.active*len(s.rows.cached)
}

// idle says whether none of the variables of a point is likely to move again
// (Joachims 1999): all are at a bound from which the gradient points further
// out than that of any violator.
func (s *smo[F]) idle(p int, f float64) bool {
	for _, t := range s.vars[p] {
		if t < 0 {
			break
		}
		z, g, b := s.q.Linear[t]-f, s.group(int(t)), s.beta[t]
		up, down := b < s.q.Upper[t], b > s.q.Lower[t]
		switch {
		case up && down:
			return false
		case up && z >= s.pick.low[g]:
			return false
		case down && z <= s.pick.high[g]:
			return false
		}
	}
	return true
}

// shrink sets the idle points aside. A mistake costs time only, since unshrink
// checks all points before the end.
func (s *smo[F]) shrink() {
	out := make([]bool, s.n)
	for i, p := range s.layout.order[:s.layout.active] {
		out[p] = s.idle(p, s.f[i])
	}
	s.wasted = 0
	prefix := s.layout.active
	moved := s.layout.setAside(func(p int) bool { return out[p] }, s.coef)
	partition(s.f[:prefix], moved, make([]float64, 0, len(moved)))
	s.rows.permute(moved, prefix)
	s.k = s.whole.Columns(s.layout.order[:s.layout.active])
	s.res.Shrinkings++
}

// unshrink brings all points back, with Kβ reconstructed where it was left
// behind: only the coefficients that moved since then take part.
func (s *smo[F]) unshrink() error {
	if s.layout.active == s.n {
		return nil
	}
	diff := make([]float64, s.n)
	for len(s.layout.levels) > 0 {
		last := len(s.layout.levels) - 1
		l := s.layout.levels[last]
		for p := range diff {
			diff[p] = s.coef[p] - l.coef[p]
		}
		if err := s.addProduct(diff, l.lo, l.hi); err != nil {
			return err
		}
		s.layout.levels = s.layout.levels[:last]
	}
	s.layout.active = s.n
	// Rows computed from now on must follow the order of those kept.
	s.k = s.whole.Columns(s.layout.order)
	return nil
}
