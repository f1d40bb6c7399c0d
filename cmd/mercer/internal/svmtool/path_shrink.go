package svmtool

import (
	"io"
	"math"
)

// extremes are the largest violations among the active variables: of those that
// could go up along y (rise) and down (fall). The ν machines keep them apart for
// each sign, the others do not.
type extremes struct{ risePlus, riseMinus, fallPlus, fallMinus float64 }

func (s *pathQP) extremes() extremes {
	none := math.Inf(-1)
	e := extremes{none, none, none, none}
	for t := range s.active {
		g := s.grad[t]
		if s.y[t] > 0 {
			if s.state[t] != upper {
				e.risePlus = max(e.risePlus, -g)
			}
			if s.state[t] != lower {
				e.fallPlus = max(e.fallPlus, g)
			}
		} else {
			if s.state[t] != upper {
				e.fallMinus = max(e.fallMinus, -g)
			}
			if s.state[t] != lower {
				e.riseMinus = max(e.riseMinus, g)
			}
		}
	}
	if !s.nu {
		rise, fall := max(e.risePlus, e.riseMinus), max(e.fallPlus, e.fallMinus)
		e = extremes{rise, rise, fall, fall}
	}
	return e
}

// settled says whether a variable at its bound will most likely stay there.
func (s *pathQP) settled(t int, e extremes) bool {
	plus, g := s.y[t] > 0, s.grad[t]
	switch {
	case s.state[t] == upper && plus:
		return -g > e.risePlus
	case s.state[t] == upper:
		return -g > e.fallMinus
	case s.state[t] == lower && plus:
		return g > e.fallPlus
	case s.state[t] == lower:
		return g > e.riseMinus
	}
	return false
}

// setAside shrinks the problem to the variables that may still move. Once,
// when the violation is down to ten times the tolerance, all are taken in again
// first.
func (s *pathQP) setAside(eps float64) {
	e := s.extremes()
	if !s.whole && max(e.risePlus+e.fallPlus, e.riseMinus+e.fallMinus) <= eps*10 {
		s.whole = true
		s.restore()
		s.active = len(s.y)
		if !s.nu {
			io.WriteString(s.log, "*")
		}
	}
	for t := 0; t < s.active; t++ {
		if !s.settled(t, e) {
			continue
		}
		for s.active--; s.active > t; s.active-- {
			if !s.settled(s.active, e) {
				s.swap(t, s.active)
				break
			}
		}
	}
}

func (s *pathQP) swap(a, b int) {
	s.point[a], s.point[b] = s.point[b], s.point[a]
	s.y[a], s.y[b] = s.y[b], s.y[a]
	s.p[a], s.p[b] = s.p[b], s.p[a]
	s.c[a], s.c[b] = s.c[b], s.c[a]
	s.alpha[a], s.alpha[b] = s.alpha[b], s.alpha[a]
	s.diag[a], s.diag[b] = s.diag[b], s.diag[a]
	s.grad[a], s.grad[b] = s.grad[b], s.grad[a]
	s.bar[a], s.bar[b] = s.bar[b], s.bar[a]
	s.state[a], s.state[b] = s.state[b], s.state[a]
	s.place[a], s.place[b] = s.place[b], s.place[a]
}

// restore computes the gradient of the variables set aside: what those at
// their upper bound contribute is known, the free ones are added.
func (s *pathQP) restore() {
	n, active := len(s.y), s.active
	if active == n {
		return
	}
	for t := active; t < n; t++ {
		s.grad[t] = s.bar[t] + s.p[t]
	}
	inside := 0
	for _, b := range s.state[:active] {
		if b == free {
			inside++
		}
	}
	if 2*inside < active {
		io.WriteString(s.log, "\nWARNING: using -h 0 may be faster\n")
	}
	// In either order each gradient receives the same terms one after the
	// other, so that only the cost differs: LIBSVM's rule for it picks rows
	// that are likely to be in the cache.
	if inside*n > 2*active*(n-active) {
		for t := active; t < n; t++ {
			row, y := s.k.row(int(s.point[t])), s.y[t]
			for v := range active {
				if s.state[v] == free {
					s.grad[t] += float64(s.alpha[v] * (y * s.y[v] * float64(row[s.point[v]])))
				}
			}
		}
		return
	}
	for v := range active {
		if s.state[v] == free {
			s.addRow(s.grad, active, n, v, s.alpha[v])
		}
	}
}
