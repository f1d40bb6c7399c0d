package solve

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// signSearch moves the coefficients β that are not 0, and b, to the minimiser of
//
//	½ Σ hᵢ(zᵢ - Σⱼ βⱼXⱼᵢ - b)² + λ‖β‖₁
//
// among those of the same signs, or as far towards it as the first of them gets to 0, where it
// stays, and so on with the rest (the feature-sign search of Lee, Battle, Raina and Ng 2007,
// between two sweeps that let features in). Every such step lowers the objective. Features as
// correlated as the columns of a kernel matrix make coordinate descent crawl along valleys that one
// factorisation crosses.
type signSearch struct {
	columns   linalg.Matrix[float64] // row j is feature j at all points
	h         []float64              // weights or curvatures, 0 or more
	lambda    float64
	intercept bool
	threads   int
	exact     bool // factorise anew whenever a feature leaves: slower, and good to the last digits
}

// mostSigns bounds the features of one factorisation.
const mostSigns = 1000

// run changes beta[a], of the features at[a], and rho = h∘(z - Xβ - b) to match; it returns the
// change of b. It does nothing where the features in use are too many or depend on each other.
func (q signSearch) run(at []int, beta, rho []float64) (db float64) {
	var used []int
	for a, b := range beta {
		if b != 0 {
			used = append(used, a)
		}
	}
	m, n := len(used), len(q.h)
	if m == 0 || m > min(mostSigns, n) {
		return 0
	}
	x, hx := linalg.New[float64](m, n), linalg.New[float64](m, n)
	sums, total := make([]float64, m), 0.0 // h·x of each feature, and Σh
	for r, a := range used {
		copy(x.Row(r), q.columns.Row(at[a]))
		for i, v := range x.Row(r) {
			hx.Row(r)[i] = q.h[i] * v
		}
		sums[r] = sumTerms(hx.Row(r))
	}
	if q.intercept {
		total = sumTerms(q.h)
	}
	g := linalg.New[float64](m, m)
	linalg.Gemm(q.threads, linalg.NoTrans, linalg.Trans, 1, x, hx, 0, g)
	if total > 0 { // b at its best
		for r := range m {
			simd.Axpy(-sums[r]/total, sums, g.Row(r))
		}
	}
	live := make([]int, m) // rows of g still in play
	for r := range live {
		live[r] = r
	}
	for r := range m {
		g.Row(r)[r] *= 1 + 1e-13
	}
	factor, ok := factorOf(q.threads, g, live)
	if !ok {
		return 0
	}
	// Features leave one by one: the factor loses a row each time. It is made anew only for the
	// last step, so that what the rotations lost, of a matrix that may have been close to singular
	// before features left, does not stay in the solution.
	stale := false
	for len(live) > 0 {
		d, lift, ok := q.direction(factor, x, live, used, beta, sums, total, rho)
		if !ok {
			return db
		}
		step, first := 1.0, -1
		for p, r := range live {
			b := beta[used[r]]
			if to := b + d[p]; to == 0 || (to > 0) != (b > 0) {
				if t := -b / d[p]; t < step {
					step, first = t, p
				}
			}
		}
		for p, r := range live {
			beta[used[r]] += step * d[p]
			simd.Axpy(-step*d[p], hx.Row(r), rho)
		}
		if total > 0 {
			simd.Axpy(-step*lift, q.h, rho)
			db += step * lift
		}
		if first < 0 {
			if !stale {
				break
			}
			if factor, ok = factorOf(q.threads, g, live); !ok {
				return db
			}
			stale = false
			continue
		}
		beta[used[live[first]]] = 0
		live = append(live[:first], live[first+1:]...)
		if q.exact {
			factor, ok = factorOf(q.threads, g, live)
		} else {
			ok, stale = factor.remove(first), true
		}
		if !ok {
			return db
		}
	}
	return db
}

// direction solves for the change of the coefficients in play, and of b.
func (q signSearch) direction(
	l lowerFactor, x linalg.Matrix[float64], live, used []int, beta, sums []float64, total float64, rho []float64,
) (d []float64, lift float64, ok bool) {
	left := 0.0
	if total > 0 {
		left = sumTerms(rho)
	}
	d = make([]float64, len(live))
	for p, r := range live {
		d[p] = simd.Dot(x.Row(r), rho) - math.Copysign(q.lambda, beta[used[r]])
		if total > 0 {
			d[p] -= sums[r] * left / total
		}
	}
	l.solve(q.threads, d)
	for p, r := range live {
		if math.IsNaN(d[p]) || math.IsInf(d[p], 0) {
			return nil, 0, false
		}
		left -= d[p] * sums[r]
	}
	if total > 0 {
		lift = left / total
	}
	return d, lift, true
}

func sumTerms(v []float64) float64 {
	s := 0.0
	for _, t := range v {
		s += t
	}
	return s
}
