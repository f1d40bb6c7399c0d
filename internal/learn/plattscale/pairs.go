package plattscale

import (
	"math"
)

// CouplePairs finds class probabilities p from the pairwise ones,
// r[a][b] ≈ p_a/(p_a + p_b), as the minimiser of Σ_{a<b} (r_ba p_a - r_ab p_b)² on the simplex
// (second method of Wu, Lin & Weng, JMLR 5, 2004), by their fixed-point iteration.
// It reports whether the optimality condition holds to the tolerance.
func CouplePairs(p []float64, r [][]float64, tol float64) bool {
	k := len(p)
	q := make([][]float64, k)
	for a := range q {
		q[a] = make([]float64, k)
		for b := range k {
			if b != a {
				q[a][a] += r[b][a] * r[b][a]
				q[a][b] = -r[b][a] * r[a][b]
			}
		}
		p[a] = 1 / float64(k)
	}
	qp := make([]float64, k)
	for range max(100, k) {
		total := 0.0
		for a := range q {
			qp[a] = 0
			for b, v := range q[a] {
				qp[a] += v * p[b]
			}
			total += p[a] * qp[a]
		}
		worst := 0.0
		for a := range qp {
			worst = max(worst, math.Abs(qp[a]-total))
		}
		if worst < tol {
			return true
		}
		for a := range q {
			d := (total - qp[a]) / q[a][a]
			p[a] += d
			total = (total + d*(d*q[a][a]+2*qp[a])) / ((1 + d) * (1 + d))
			for b := range q {
				qp[b] = (qp[b] + d*q[a][b]) / (1 + d)
				p[b] /= 1 + d
			}
		}
	}
	return false
}
