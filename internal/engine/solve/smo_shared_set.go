package solve

import (
	"context"
	"math"
)

// scan finds M = min_down z and m = max_up z.
func (s *SharedSMO) scan(q BoxQP, beta, f []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	s.up, s.down = s.up[:0], s.down[:0]
	for t, b := range beta {
		z := q.Linear[t] - f[q.Point[t]]
		if b < q.Upper[t] && z > high {
			high = z
		}
		if b > q.Lower[t] && z < low {
			low = z
		}
	}
	return low, high
}

// choose picks the working set: the worst violators on both sides and, for
// half of the places, what the last set held, free variables first.
func (s *SharedSMO) choose(q BoxQP, beta, f []float64, low, high float64, size int) {
	s.up, s.down, s.kept = s.up[:0], s.down[:0], s.kept[:0]
	for t, b := range beta {
		z := q.Linear[t] - f[q.Point[t]]
		if z > low && b < q.Upper[t] {
			s.up = append(s.up, ranked{z - low, int32(t)})
		}
		if z < high && b > q.Lower[t] {
			s.down = append(s.down, ranked{high - z, int32(t)})
		}
	}
	s.stamp++
	fresh := size
	if len(s.last) > 0 {
		fresh = max(size/2, 2)
	}
	s.set = s.set[:0]
	take := func(from []ranked, count int) {
		for _, r := range worst(from, count) {
			if s.mark[r.t] != s.stamp {
				if s.mark[r.t] != s.stamp-1 {
					s.age[r.t] = s.stamp
				}
				s.mark[r.t] = s.stamp
				s.set = append(s.set, int(r.t))
			}
		}
	}
	take(s.up, fresh/2)
	take(s.down, fresh-fresh/2)
	for _, t := range s.last {
		if s.mark[t] == s.stamp {
			continue
		}
		score := float64(s.age[t])
		if b := beta[t]; b > q.Lower[t] && b < q.Upper[t] {
			score += 1e9
		}
		s.kept = append(s.kept, ranked{score, int32(t)})
	}
	take(s.kept, size-len(s.set))
	s.last = append(s.last[:0], s.set...)
}

// sharedLimit bounds the pair updates for each variable of a set: where more
// would be needed a factorisation is cheaper.
const sharedLimit = 16

// optimise solves the programme on the working set and brings f up to date.
func (s *SharedSMO) optimise(ctx context.Context, q BoxQP, beta, f []float64, eps float64, limit int) (int, error) {
	if s.block == nil {
		s.block = newBlock[float32](s.size(math.MaxInt))
	}
	b, set := s.block, s.set
	b.resize(len(set))
	s.points = s.points[:0]
	for _, t := range set {
		s.points = append(s.points, q.Point[t])
	}
	if err := s.want(ctx, s.points); err != nil {
		return 0, err
	}
	for a, p := range s.points {
		row, dst := s.row(p), b.k.Row(a)
		for c, w := range s.points[:a+1] {
			dst[c] = row[w]
		}
	}
	for a := range s.points {
		row := b.k.Row(a)
		for c := a + 1; c < len(set); c++ {
			row[c] = b.k.Data[c*b.k.Stride+a]
		}
	}
	for a, t := range set {
		p := s.points[a]
		b.diag[a], b.beta[a] = s.diag[p], beta[t]
		b.low[a], b.high[a] = q.Lower[t], q.Upper[t]
		b.place(a, q.Linear[t]-f[p])
	}
	b.groups = append(b.groups, span{0, len(set)})
	n, err := b.solve(ctx, eps, max(min(sharedLimit*len(set), limit), 1))
	if err != nil {
		return n, err
	}
	s.rows, s.weights = s.rows[:0], s.weights[:0]
	for a, t := range set {
		if d := b.beta[a] - beta[t]; d != 0 {
			s.rows, s.weights = append(s.rows, s.row(s.points[a])), append(s.weights, d)
			beta[t] = b.beta[a]
		}
	}
	addRows(1, f, s.rows, s.weights, 0)
	return n, nil
}
