package solve

import "math"

// Separable says whether K is as good as diagonal for a programme, as it is for a kernel much
// narrower than the gaps between points: all that its other entries can add to Kβ is far below the
// tolerance.
func (s *SharedSMO) Separable(q BoxQP) bool {
	if s.diag == nil || math.IsInf(s.rest, 1) || !s.directFits(q) || s.direct.kinks || q.Groups > 1 {
		return false
	}
	reach := 0.0
	for t := range q.Lower {
		reach += max(q.Upper[t], -q.Lower[t])
		if !(s.diag[q.Point[t]] > 0) {
			return false
		}
	}
	return reach*s.rest <= 1e-4*s.Tolerance()
}

// separate solves a separable programme. The variables meet in the constraint alone: with
// its multiplier b each is at the place of its box that is nearest to (c - b)/k, and
// b is where their sum, which falls as b grows, is that of beta.
func (s *SharedSMO) separate(q BoxQP, beta, f []float64) {
	want, low, high := 0.0, math.Inf(1), math.Inf(-1)
	for t, b := range beta {
		k := s.diag[q.Point[t]]
		want += b
		low, high = min(low, q.Linear[t]-k*q.Upper[t]), max(high, q.Linear[t]-k*q.Lower[t])
	}
	// Newton's steps on a function of straight pieces, kept within what is known of its zero.
	b := low/2 + high/2
	for range 200 {
		sum, slope := 0.0, 0.0
		for t := range beta {
			k := s.diag[q.Point[t]]
			v := (q.Linear[t] - b) / k
			switch {
			case v >= q.Upper[t]:
				v = q.Upper[t]
			case v <= q.Lower[t]:
				v = q.Lower[t]
			default:
				slope += 1 / k
			}
			beta[t] = v
			sum += v
		}
		over := sum - want
		if over > 0 {
			low = b
		} else {
			high = b
		}
		next := b + over/slope
		if over == 0 || next == b {
			break
		}
		if !(next > low && next < high) {
			if next = low/2 + high/2; next <= low || next >= high {
				break // neighbours
			}
		}
		b = next
	}
	clear(f)
	for t, v := range beta {
		f[q.Point[t]] += s.diag[q.Point[t]] * v
	}
}
