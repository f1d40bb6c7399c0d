package solve

// shrinkEvery is how many working sets pass between looks at what may be set
// aside.
const shrinkEvery = 8

func (s *smo[F]) timeToShrink() bool {
	return !s.o.NoShrinking && s.res.WorkingSets > 0 && s.res.WorkingSets%shrinkEvery == 0
}

// shrink sets aside the points none of whose variables is likely to move
// again (Joachims 1999): those at a bound from which the gradient points
// further out than that of any violator. A mistake costs time only, since unshrink
// checks all points before the end.
func (s *smo[F]) shrink() {
	still := func(t int32, f float64) bool {
		z, g, b := s.q.Linear[t]-f, s.group(int(t)), s.beta[t]
		up, down := b < s.q.Upper[t], b > s.q.Lower[t]
		switch {
		case up && down:
			return true
		case up:
			return z >= s.pick.low[g]
		case down:
			return z <= s.pick.high[g]
		}
		return false
	}
	out := make([]bool, s.n)
	count := 0
	for i, p := range s.layout.order[:s.layout.active] {
		keep := false
		for _, t := range s.vars[p] {
			keep = keep || t >= 0 && still(t, s.f[i])
		}
		if !keep {
			out[p] = true
			count++
		}
	}
	// Moving the entries of all cached rows must pay.
	if count*10 < s.layout.active || count == s.layout.active {
		return
	}
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
