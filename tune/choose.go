package tune

import (
	"math"
	"strings"
)

// winner is the cell with the best mean. Among equal means of one candidate it
// is the simplest, between candidates the one that was named first, so that
// the choice does not depend on which was judged first.
func (e *engine) winner(cells []Cell) (best Cell, ok bool) {
	for _, c := range cells {
		if !c.complete() {
			continue
		}
		switch {
		case !ok || e.metric.better(c.Mean, best.Mean):
			best, ok = c, true
		case c.Mean == best.Mean && (c.Candidate < best.Candidate || c.Candidate == best.Candidate && simpler(c, best)):
			best = c
		}
	}
	return best, ok
}

// bound is the mean within one standard error of a cell. Repeats of
// cross-validation judge the same rows again and say little new about others (Nadeau &
// Bengio 2003), so the error here is that of one repeat.
func (e *engine) bound(best Cell) float64 {
	if !(best.SE > 0) {
		return best.Mean
	}
	se := best.SE * math.Sqrt(e.repeats())
	if e.metric.Maximize {
		return best.Mean - se
	}
	return best.Mean + se
}

// simplest applies the one-standard-error rule (Breiman et al. 1984) to the candidate of the best
// cell: of the cells whose mean is within one standard error of the best, the one with most
// regularisation (smallest C, largest λ), then the widest kernel.
func (e *engine) simplest(cells []Cell, best Cell) Cell {
	bound := e.bound(best)
	chosen := best
	for _, c := range cells {
		if c.Candidate != best.Candidate || !c.complete() || e.metric.better(bound, c.Mean) {
			continue
		}
		if simpler(c, chosen) {
			chosen = c
		}
	}
	return chosen
}

func simpler(a, b Cell) bool {
	order := []struct {
		name  string
		large bool
	}{{"C", false}, {"lambda", true}, {"epsilon", true}, {"lengthscale", true}}
	for _, o := range order {
		for i, s := range a.Params {
			name := s.Name[strings.LastIndex(s.Name, ".")+1:]
			if name != o.name || s.Value == b.Params[i].Value {
				continue
			}
			return (s.Value > b.Params[i].Value) == o.large
		}
	}
	return false
}
