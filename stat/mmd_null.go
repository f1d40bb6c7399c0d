package stat

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
)

// line is the statistic as a function of V = wᵀK̃w, the biased estimate:
// itself, or for the unbiased one slope·V + offset, with Σ_x K̃ᵢᵢ at its mean
// over the permutations (exact when m = n).
func (p *pooled) line(e MMDEstimate) (slope, offset float64) {
	if e == Biased {
		return 1, 0
	}
	m, n := float64(p.m), float64(p.n)
	tau := 1/m + 1/n
	slope = (1/(m*(m-1)) + 1/(n*(n-1)) + 2/(m*n)) / (tau * tau)
	return slope, -p.trace / (m + n) * (1/(m-1) + 1/(n-1))
}

// stored refuses a Gram matrix that is over the byte budget.
func (p *pooled) stored(null Null) error {
	if p.lazy != nil {
		return fault.Errorf("stat",
			"MMD: the %v null needs the Gram matrix of %d points in memory; raise the byte budget or use the permutation null",
			null, p.m+p.n)
	}
	return nil
}

// gammaNull approximates the distribution of V over all exchanges of points by
// the gamma distribution with the same mean and variance, which are known in
// closed form. (Gretton et al. 2009 estimate the two moments for m = n and
// k(x, x) = 1; these are exact, for any kernel and sizes.)
func (p *pooled) gammaNull(r *TestResult, e MMDEstimate, s TestSettings) error {
	if err := p.stored(NullGamma); err != nil {
		return err
	}
	g := newGamma(p.moments())
	slope, offset := p.line(e)
	r.conclude(s, g.upper((r.Statistic-offset)/slope-p.tie()), slope*g.quantile(s.Alpha)+offset)
	return nil
}

// moments are mean and variance of V = wᵀK̃w over all exchanges of points; the
// pool has at least four.
func (p *pooled) moments() (mean, variance float64) {
	m, n := float64(p.m), float64(p.n)
	tau := 1/m + 1/n
	w := invariants{tau, tau * tau, 1/(m*m*m) + 1/(n*n*n)}
	return permutedMoments(p.m+p.n, invariantsOf(p.threads, p.k), w)
}

// spectralNull draws from the limit of the null distribution,
//
//	V ~ (1/m + 1/n) Σ λ_l z_l²,   z_l ~ N(0, 1),
//
// with λ the eigenvalues of K̃/(N−1) (A. Gretton, K. Fukumizu, Z. Harchaoui and
// B. Sriperumbudur, A fast, consistent kernel two-sample test, NIPS 2009; N−1
// rather than N makes the mean that of the permutations).
func (p *pooled) spectralNull(ctx context.Context, r *TestResult, e MMDEstimate, s TestSettings) error {
	if err := p.stored(NullSpectral); err != nil {
		return err
	}
	values, err := linalg.SymEigenValuesContext(ctx, s.Threads, p.k.Clone())
	if err != nil {
		return fault.Errorf("stat", "MMD: spectral null: %w", err)
	}
	size := float64(p.m + p.n)
	tau := 1/float64(p.m) + 1/float64(p.n)
	for i := range values {
		values[i] *= tau / (size - 1)
	}
	slope, offset := p.line(e)
	draws := make([]float64, s.Permutations)
	if err := weightedChiSquare(ctx, s, values, draws); err != nil {
		return err
	}
	for b := range draws {
		draws[b] = slope*draws[b] + offset
	}
	return r.sampled(s, draws, p.tie())
}

// weightedChiSquare draws Σ λᵢ zᵢ². The many eigenvalues that are together
// less than 1e-6 of the sum enter by their mean; negative ones, rounding of
// zero, are left out.
func weightedChiSquare(ctx context.Context, s TestSettings, ascending, draws []float64) error {
	sum := 0.0
	for _, v := range ascending {
		sum += math.Max(0, v)
	}
	tail, first := 0.0, 0
	for ; first < len(ascending); first++ {
		v := math.Max(0, ascending[first])
		if tail+v > 1e-6*sum {
			break
		}
		tail += v
	}
	return s.inBatches(ctx, func(lo, hi int) error {
		par.For(s.Threads, hi-lo, 8, func(from, to int) {
			for b := lo + from; b < lo+to; b++ {
				rng := s.stream(drawSpectral, b)
				v := tail
				for _, l := range ascending[first:] {
					z := rng.NormFloat64()
					v += l * z * z
				}
				draws[b] = v
			}
		})
		return nil
	})
}
