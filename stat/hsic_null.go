package stat

import (
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
)

// line is the statistic as slope·V + offset, with D at its mean over the
// permutations when unbiased.
func (p *paired) line() (slope, offset float64) {
	n := float64(p.n())
	if !p.isUnbiased {
		return 1 / (n * n), 0
	}
	slope = 1 / (n * (n - 3))
	return slope, -slope * p.tk * p.tl / (n - 1)
}

// gammaNull is the gamma distribution with the mean and variance of V over all n! permutations.
// (Gretton et al. 2007 estimate the two moments; these are exact, for any kernels;
// TestPermutedMoments goes through them all. Far in the tail the two gammas differ by many powers
// of ten, and neither is exact there: permutations say no more than 1/(1 + B).)
func (p *paired) gammaNull(r *TestResult, s TestSettings) error {
	mean, variance := permutedMoments(p.n(), invariantsOf(p.threads, p.k), invariantsOf(p.threads, p.l))
	g := newGamma(mean, variance)
	slope, offset := p.line()
	r.conclude(s, g.upper((r.Statistic-offset-p.tie())/slope), slope*g.quantile(s.Alpha)+offset)
	return nil
}

// spectralTerms is how many products of eigenvalues are drawn for; the others
// enter by their mean.
const spectralTerms = 4096

// spectralNull draws from the limit V ~ Σ λᵢηⱼ zᵢⱼ²/(n−1), with λ and η the
// eigenvalues of K̃ and L̃ (K. Zhang, J. Peters, D. Janzing and B. Schölkopf,
// Kernel-based conditional independence test, UAI 2011, theorem 4; n−1 makes
// the mean that of the permutations).
func (p *paired) spectralNull(ctx context.Context, r *TestResult, s TestSettings) error {
	lambda, err := linalg.SymEigenValuesContext(ctx, s.Threads, p.k.Clone())
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return fault.Errorf("stat", "HSIC: spectral null: %w", err)
	}
	eta, err := linalg.SymEigenValuesContext(ctx, s.Threads, p.l.Clone())
	if err != nil {
		return fault.Errorf("stat", "HSIC: spectral null: %w", err)
	}
	slices.Reverse(lambda)
	slices.Reverse(eta)
	var products []float64
	for i, a := range lambda {
		for j, b := range eta {
			// (i, j) has at least (i+1)(j+1) products that are as large
			if a <= 0 || b <= 0 || (i+1)*(j+1) > spectralTerms {
				break
			}
			products = append(products, a*b/float64(p.n()-1))
		}
	}
	slices.Sort(products)
	products = products[max(0, len(products)-spectralTerms):]
	rest := p.tk * p.tl / float64(p.n()-1)
	for _, v := range products {
		rest -= v
	}
	rest = math.Max(0, rest)
	draws := make([]float64, s.Permutations)
	if err := weightedChiSquare(ctx, s, products, draws); err != nil {
		return err
	}
	slope, offset := p.line()
	for b := range draws {
		draws[b] = slope*(draws[b]+rest) + offset
	}
	return r.sampled(s, draws, p.tie())
}
