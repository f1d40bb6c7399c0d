package solve

import "math"

// Multipliers reads the multiplier of each group's constraint off a solution: the mean of c - Kβ
// over the free variables, or the middle of the interval that the bounded ones leave where none is
// free. A variable that rounding left just inside its bound is a bounded one: where the totals of
// both sides are equal (classes weighted to balance, a small C) all are, and the one that took up
// the rounding of the sums would put the multiplier at an end of the interval, which gives every
// point to one class.
func Multipliers(q BoxQP, beta, f []float64) []float64 {
	return multipliers(q, beta, f, boundSlack)
}

// multiplier is that of the one group of a programme under way, in which a variable is free as long
// as it can move at all.
func multiplier(q BoxQP, beta, f []float64) float64 { return multipliers(q, beta, f, 0)[0] }

func multipliers(q BoxQP, beta, f []float64, share float64) []float64 {
	groups := max(q.Groups, 1)
	low, high := make([]float64, groups), make([]float64, groups)
	for g := range groups {
		low[g], high[g] = math.Inf(1), math.Inf(-1)
	}
	sum, count := make([]float64, groups), make([]int, groups)
	for t, b := range beta {
		p, g := t, 0
		if q.Point != nil {
			p = q.Point[t]
		}
		if q.Group != nil {
			g = int(q.Group[t])
		}
		z, slack := q.Linear[t]-f[p], 0.0
		if w := q.Upper[t] - q.Lower[t]; !math.IsInf(w, 0) {
			slack = share * w
		}
		up, down := b < q.Upper[t]-slack, b > q.Lower[t]+slack
		if up && down {
			sum[g] += z
			count[g]++
		}
		if up {
			high[g] = max(high[g], z)
		}
		if down {
			low[g] = min(low[g], z)
		}
	}
	for g := range sum {
		switch {
		case count[g] > 0:
			sum[g] /= float64(count[g])
		case math.IsInf(low[g], 0) && math.IsInf(high[g], 0):
			sum[g] = 0 // nothing can move
		case math.IsInf(low[g], 0):
			sum[g] = high[g]
		case math.IsInf(high[g], 0):
			sum[g] = low[g]
		default:
			sum[g] = (low[g] + high[g]) / 2
		}
	}
	return sum
}

// boundSlack is, of the width of its box, how far inside a variable is still at its bound.
const boundSlack = 1e-12
