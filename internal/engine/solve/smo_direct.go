package solve

import (
	"context"
)

// direct does pair updates on the rows of K as they are, a position for every point, with no copy
// of a part of K: the cheapest way where a few hundred pairs do, as after a good start, or where
// rows are made only when a pair needs them. Points that take no part are positions that cannot
// move. The two variables of a point of a regression are one with a kink.
type direct struct {
	home         []int      // the Point slice that the places are of
	variable     [][2]int32 // by point: its variables, -1 where it has none; of two, the one for β > 0 first
	unfit        bool       // some point has two variables of another kind
	kinks        bool
	beta         []float64
	lower, upper []float64
	pairs        singlePairs
}

// directPairs is how many pairs are done at least between two fresh computations of the gradient,
// for each variable, and directMost how many at most: by then all but a few may be settled, and the
// others are solved on a copy of their part of K in less time than a pass over all points takes.
const (
	directPairs = 0.15
	directMost  = 1
)

// Rough prices in seconds of pairs on rows of n entries, and of the copy of a
// part of K. Pairs go on directly until they have cost as much as the copy that would make
// them cheaper.
func directPrice(pairs, n int) float64 { return float64(pairs) * float64(n) * 5e-10 }
func copyPrice(m int) float64          { return float64(m) * float64(m) * 2e-9 }
func rowPrice(rows, n int) float64     { return float64(rows) * float64(n) * 1e-9 }

// directFits says whether the programme has a variable for a point at most, or two that are one
// with a kink, and K rows of whole vectors.
func (s *SharedSMO) directFits(q BoxQP) bool {
	d := &s.direct
	n := s.points0()
	if s.Lazy == nil && (s.K.Stride < padded(n) || len(s.K.Data) < (n-1)*s.K.Stride+padded(n)) {
		return false
	}
	if len(d.home) != len(q.Point) || &d.home[0] != &q.Point[0] {
		d.assign(q, n)
	}
	return !d.unfit
}

// assign finds the variables of every point.
func (d *direct) assign(q BoxQP, n int) {
	d.home, d.unfit, d.kinks = q.Point, false, false
	if len(d.variable) != n {
		d.variable = make([][2]int32, n)
		d.beta, d.lower, d.upper = make([]float64, n), make([]float64, n), make([]float64, n)
	}
	for p := range d.variable {
		d.variable[p] = [2]int32{-1, -1}
	}
	for t, p := range q.Point {
		v := &d.variable[p]
		switch {
		case v[0] < 0:
			v[0] = int32(t)
		case v[1] < 0:
			v[1] = int32(t)
			d.kinks = true
			if q.Lower[t] >= 0 { // the first of the two is for β > 0
				v[0], v[1] = v[1], v[0]
			}
			plus, minus := v[0], v[1]
			if q.Lower[plus] != 0 || q.Upper[minus] != 0 || q.Linear[minus] < q.Linear[plus] || q.Group != nil {
				d.unfit = true
			}
		default:
			d.unfit = true
		}
	}
}

// load takes beta and the gradient over.
func (d *direct) load(q BoxQP, beta, f []float64) {
	_, low, high := BoxViolation(q, beta, f)
	middle := middles(low, high)
	d.pairs.begin(len(d.variable), max(q.Groups, 1), d.kinks)
	for p, v := range d.variable {
		t := v[0]
		if t < 0 {
			d.beta[p], d.lower[p], d.upper[p] = 0, 0, 0
			continue
		}
		d.beta[p], d.lower[p], d.upper[p] = beta[t], q.Lower[t], q.Upper[t]
		kink := 0.0
		if u := v[1]; u >= 0 {
			d.beta[p] += beta[u]
			d.lower[p] = q.Lower[u]
			kink = q.Linear[u] - q.Linear[t]
		}
		group := groupOf(q, int(t))
		d.pairs.start(p, q.Linear[t]-f[p]-middle[group], kink, d.beta[p])
		d.pairs.place(p, group, d.beta[p], d.lower[p], d.upper[p])
	}
}

func groupOf(q BoxQP, t int) int {
	if q.Group == nil {
		return 0
	}
	return int(q.Group[t])
}

// runDirect does at most budget pair updates until the violation is at most
// eps, and brings beta and f up to date.
func (s *SharedSMO) runDirect(
	ctx context.Context, q BoxQP, beta, f []float64, eps float64, budget int, r *SharedResult,
) error {
	d := &s.direct
	d.load(q, beta, f)
	n := s.points0()
	p := pairsRun{diag: s.diag, lower: d.lower, upper: d.upper, beta: d.beta}
	if s.Lazy == nil {
		width := padded(n)
		p.row = func(t int) []float32 { return s.K.Data[t*s.K.Stride : t*s.K.Stride+width] }
	} else {
		p.row = func(t int) []float32 {
			s.Lazy.use(t)
			return s.Lazy.rows[t]
		}
	}
	if q.Group != nil {
		p.group = func(t int) int { return int(q.Group[d.variable[t][0]]) }
	}
	if s.Lazy != nil {
		s.Lazy.leaving = func(points []int) { s.settle(q, beta, f, points) }
		defer func() { s.Lazy.leaving = nil }()
	}
	for left := budget; left > 0; {
		done, missing, err := d.pairs.run(ctx, p, eps, left)
		if err != nil {
			return err
		}
		left -= done
		r.Iterations += done
		if missing < 0 || s.PairsOnly && s.Lazy.made >= s.MaxRows {
			break
		}
		likely := d.pairs.likely(s.Lazy.batch/2, s.Lazy.none)
		if err := s.Lazy.need(ctx, missing, likely); err != nil {
			return err
		}
	}
	s.settle(q, beta, f, nil)
	return ctx.Err()
}

// settle gives what the pairs did to some points (nil: to all), whose rows are present where they
// moved, back to beta, and brings f up to date.
func (s *SharedSMO) settle(q BoxQP, beta, f []float64, points []int) {
	s.rows, s.weights = s.rows[:0], s.weights[:0]
	if points == nil {
		for p := range s.direct.variable {
			s.settlePoint(beta, p)
		}
	}
	for _, p := range points {
		s.settlePoint(beta, p)
	}
	addRows(1, f, s.rows, s.weights, 0)
}

func (s *SharedSMO) settlePoint(beta []float64, p int) {
	d := &s.direct
	t, u := d.variable[p][0], d.variable[p][1]
	if t < 0 {
		return
	}
	before := beta[t]
	if u >= 0 {
		before += beta[u]
	}
	change := d.beta[p] - before
	if change == 0 {
		return
	}
	s.rows, s.weights = append(s.rows, s.row(p)), append(s.weights, change)
	beta[t] = d.beta[p]
	if u >= 0 {
		beta[t], beta[u] = max(d.beta[p], 0), min(d.beta[p], 0)
	}
}

// directBudget is the number of pairs of one round on a programme of v variables of which m can
// move, after done of them: half of what is left of the price of the copy, within bounds, so that
// few rounds do.
func directBudget(v, m, n, done int) int {
	left := (copyPrice(m) - directPrice(done, n)) / directPrice(1, n)
	return int(max(64, directPairs*float64(v), min(left/2, directMost*float64(v))))
}
