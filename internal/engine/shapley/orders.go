package shapley

import "math"

// Estimate is Shapley values by sampling: each draw is an order in which the players come, and the
// same order backwards (J. Castro, D. Gómez, J. Tejada, Polynomial calculation of the Shapley value
// based on sampling, 2009; the pair is antithetic: R. Mitchell, J. Cooper, E. Frank, G. Holmes,
// Sampling permutations for Shapley value estimation, 2022). The shares of every draw add up to
// v(all) - v(none), and so do their means.
type Estimate struct {
	n         int
	mean, sum []float64 // Welford's, of the draws
}

// NewEstimate is that of d players.
func NewEstimate(d int) *Estimate {
	return &Estimate{mean: make([]float64, d), sum: make([]float64, d)}
}

// Add takes a draw: there[k] is v of the first k players of the order, and back[k] v of its last k.
func (e *Estimate) Add(order []int, there, back []float64) {
	e.n++
	d := len(order)
	for k, j := range order {
		share := (there[k+1] - there[k] + back[d-k] - back[d-k-1]) / 2
		off := share - e.mean[j]
		e.mean[j] += off / float64(e.n)
		e.sum[j] += off * (share - e.mean[j])
	}
}

// Mean is the estimate.
func (e *Estimate) Mean() []float64 { return e.mean }

// Error is the standard error of the estimate of each player, from the spread of the draws.
func (e *Estimate) Error() []float64 {
	out := make([]float64, len(e.sum))
	for j, s := range e.sum {
		out[j] = math.Sqrt(s / float64(max(e.n-1, 1)) / float64(e.n))
	}
	return out
}
