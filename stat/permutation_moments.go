package stat

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"gonum.org/v1/gonum/mathext"
)

// invariants of a centred symmetric matrix are all that the first two moments
// of its permuted inner products depend on.
type invariants struct {
	trace, square, diag float64 // tr A, tr A², Σ aᵢᵢ²
}

func invariantsOf(threads int, a linalg.Matrix[float64]) invariants {
	part := make([]invariants, a.Rows)
	par.For(threads, a.Rows, 16, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			s := 0.0
			for _, v := range a.Row(i) {
				s += v * v
			}
			d := a.At(i, i)
			part[i] = invariants{d, s, d * d}
		}
	})
	var v invariants
	for _, p := range part {
		v.trace += p.trace
		v.square += p.square
		v.diag += p.diag
	}
	return v
}

// permutedMoments are mean and variance of Σᵢⱼ Aᵢⱼ B_{π(i)π(j)} over all n!
// permutations π, for centred A and B (F. Kazi-Aoual, S. Hitier, R. Sabatier
// and J.-D. Lebreton, Refined approximations to permutation tests for
// multivariate inference, Comput. Stat. Data Anal. 20, 1995). n is at least 4.
func permutedMoments(n int, a, b invariants) (mean, variance float64) {
	m := float64(n)
	mean = a.trace * b.trace / (m - 1)
	spread := func(v invariants) float64 { return (m-1)*v.square - v.trace*v.trace }
	corner := func(v invariants) float64 { return m*(m+1)*v.diag - (m-1)*(v.trace*v.trace+2*v.square) }
	variance = 2*spread(a)*spread(b)/((m-1)*(m-1)*(m+1)*(m-2)) +
		corner(a)*corner(b)/((m+1)*m*(m-1)*(m-2)*(m-3))
	return mean, math.Max(0, variance)
}

// gamma is the gamma distribution of a given mean and variance; with no
// variance, all of it is at the mean.
type gamma struct{ shape, scale, mean float64 }

func newGamma(mean, variance float64) gamma {
	if !(variance > 1e-28*mean*mean) || mean <= 0 {
		return gamma{mean: mean}
	}
	return gamma{mean * mean / variance, variance / mean, mean}
}

// upper is the probability of at least v.
func (g gamma) upper(v float64) float64 {
	if g.shape == 0 {
		if v <= g.mean*(1+1e-12) {
			return 1
		}
		return 0
	}
	return mathext.GammaIncRegComp(g.shape, math.Max(0, v)/g.scale)
}

// quantile is the value above which the probability is p.
func (g gamma) quantile(p float64) float64 {
	if g.shape == 0 {
		return g.mean
	}
	return g.scale * mathext.GammaIncRegCompInv(g.shape, p)
}
