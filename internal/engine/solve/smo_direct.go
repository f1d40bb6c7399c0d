package solve

import (
	"context"
)

// direct does pair updates on the rows of K as they are, a position for every
// point, with no copy of a part of K: the cheapest way where a few hundred pairs do, as after a
// good start. Points that take no part are positions that cannot move.
type direct struct {
	home         []int   // the Point slice that the places are of
	variable     []int32 // by point: its variable, -1 where it has none
	shared       bool    // some point has two variables: not for this method
	beta         []float64
	lower, upper []float64
	pairs        singlePairs
}

// directPairs is how many pairs are done at least between two fresh computations of the
// gradient, for each variable.
const directPairs = 0.15

// Rough prices in seconds of pairs on rows of n entries, and of the copy of a
// part of K. Pairs go on directly until they have cost as much as the copy that would make
// them cheaper.
func directPrice(pairs, n int) float64 { return float64(pairs) * float64(n) * 5e-10 }
func copyPrice(m int) float64          { return float64(m) * float64(m) * 2e-9 }

// directFits says whether the programme has a variable for a point at most, and K
// rows of whole vectors.
func (s *SharedSMO) directFits(q BoxQP) bool {
	d := &s.direct
	n := s.K.Rows
	if s.K.Stride < padded(n) || len(s.K.Data) < (n-1)*s.K.Stride+padded(n) {
		return false
	}
	if len(d.home) != len(q.Point) || &d.home[0] != &q.Point[0] {
		d.home, d.shared = q.Point, false
		if len(d.variable) != n {
			d.variable = make([]int32, n)
			d.beta, d.lower, d.upper = make([]float64, n), make([]float64, n), make([]float64, n)
		}
		for p := range d.variable {
			d.variable[p] = -1
		}
		for t, p := range q.Point {
			d.shared = d.shared || d.variable[p] >= 0
			d.variable[p] = int32(t)
		}
	}
	return !d.shared
}

// runDirect does at most budget pair updates until the violation is at most
// eps, and brings beta and f up to date.
func (s *SharedSMO) runDirect(ctx context.Context, q BoxQP, beta, f []float64, eps float64, budget int, r *SharedResult) error {
	d := &s.direct
	d.pairs.begin(s.K.Rows)
	for p, t := range d.variable {
		if t < 0 {
			d.beta[p], d.lower[p], d.upper[p] = 0, 0, 0
			continue
		}
		d.beta[p], d.lower[p], d.upper[p] = beta[t], q.Lower[t], q.Upper[t]
		d.pairs.z[p] = float32(q.Linear[t] - f[p])
		d.pairs.place(p, beta[t], q.Lower[t], q.Upper[t])
	}
	n, err := d.pairs.run(ctx, s.K, s.diag, d.lower, d.upper, d.beta, eps, budget)
	if err != nil {
		return err
	}
	r.Iterations += n
	s.rows, s.weights = s.rows[:0], s.weights[:0]
	for p, t := range d.variable {
		if t < 0 {
			continue
		}
		if v := d.beta[p] - beta[t]; v != 0 {
			s.rows, s.weights = append(s.rows, s.K.Row(p)), append(s.weights, v)
			beta[t] = d.beta[p]
		}
	}
	addRows(1, f, s.rows, s.weights, 0)
	return nil
}

// directBudget is the number of pairs of one round on a programme of v variables of which m can move, after done of them:
// half of what is left of the price of the copy, so that few rounds do.
func directBudget(v, m, n, done int) int {
	left := (copyPrice(m) - directPrice(done, n)) / directPrice(1, n)
	return int(max(64, directPairs*float64(v), left/2))
}
