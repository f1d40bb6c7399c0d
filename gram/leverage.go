package gram

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
)

// LeverageScores estimates the λ-ridge leverage scores ℓᵢ = (K·(K+λI)⁻¹)ᵢᵢ by
// recursive sampling (Musco and Musco 2017, algorithm 2): the scores of a
// random half of the points, themselves estimated from a half of that, pick a
// weighted sample S, and
//
//	ℓᵢ ≈ (kᵢᵢ - k_iS·(K_SS + λW⁻²)⁻¹·k_Si)/λ,
//
// which never underestimates by much. It costs O(n·s²), s the size of the
// samples, about the effective dimension Σℓᵢ times its logarithm, and never
// more than limit. When ctx ends first, the error is its.
func LeverageScores[T any](
	ctx context.Context, k kernel.Kernel[T], x data.Points[T], lambda float64, limit int, threads int, seed uint64,
) ([]float64, error) {
	diag, err := selfValues(ctx, k, x, "row")
	if err != nil {
		return nil, err
	}
	if !(lambda > 0) || math.IsInf(lambda, 0) {
		return nil, fault.Errorf("gram", "leverage scores: lambda is %g, want a finite number > 0", lambda)
	}
	if limit < 1 {
		return nil, fault.Errorf("gram", "leverage scores: sample limit is %d, want at least 1", limit)
	}
	rng := rand.New(rand.NewPCG(seed, 0x1e7e))
	order := rng.Perm(len(diag))
	// Nested random subsets: the first size points of order.
	sizes := []int{len(diag)}
	for s := len(diag); s > limit; {
		s = (s + 1) / 2
		sizes = append(sizes, s)
	}
	slices.Reverse(sizes)
	// The smallest subset is its own sample, with weights 1.
	pick := slices.Clone(order[:min(sizes[0], limit)])
	keep := make([]float64, len(pick)) // the probabilities they were kept with
	for i := range keep {
		keep[i] = 1
	}
	var scores []float64
	for level, size := range sizes {
		subset := order[:size]
		if level == len(sizes)-1 {
			subset = par.Indices(0, len(diag))
		}
		scores, err = scoresBy(ctx, k, x, diag, subset, pick, keep, lambda, threads)
		if err != nil {
			return nil, err
		}
		if level < len(sizes)-1 {
			pick, keep = sampleByScore(rng, subset, scores, limit)
		}
	}
	return scores, nil
}

// scoresBy estimates the scores of the subset from a sample kept with the
// given probabilities (weights W = 1/√keep).
func scoresBy[T any](
	ctx context.Context, k kernel.Kernel[T], x data.Points[T], diag []float64, subset, sample []int, keep []float64,
	lambda float64, threads int,
) ([]float64, error) {
	if len(sample) == 0 { // nothing is known yet: ℓᵢ ≤ kᵢᵢ/λ
		scores := make([]float64, len(subset))
		for i, j := range subset {
			scores[i] = math.Min(1, diag[j]/lambda)
		}
		return scores, ctx.Err()
	}
	by, err := newScorer(ctx, k, data.Gather(x, sample), keep, lambda, threads)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(subset))
	return scores, by.scores(ctx, scores, data.Gather(x, subset), data.Take(diag, subset))
}

// scorer scores points by a sample.
type scorer[T any] struct {
	kernel  kernel.Kernel[T]
	sample  data.Points[T]
	chol    *linalg.Cholesky // of K_SS + λW⁻²
	lambda  float64
	threads int
}

func newScorer[T any](
	ctx context.Context, k kernel.Kernel[T], s data.Points[T], keep []float64, lambda float64, threads int,
) (*scorer[T], error) {
	n := s.Len()
	kss := linalg.New[float64](n, n)
	if err := kernel.Fill(threads, blas64.General(kss), kernel.Prepare(ctx, k, s, s)); err != nil {
		return nil, err
	}
	top := 0.0
	for i := range n {
		top = math.Max(top, kss.At(i, i))
	}
	for i := range n {
		// A floor of rounding size keeps the factorisation alive for tiny λ.
		kss.Row(i)[i] += math.Max(lambda*keep[i], float64(n)*0x1p-50*top)
	}
	c, err := linalg.NewCholeskyContext(ctx, threads, kss)
	if err != nil {
		return nil, fault.Errorf("gram", "leverage scores: %w", err)
	}
	return &scorer[T]{k, s, c, lambda, threads}, ctx.Err()
}

// scores sets dst to those of points with the given k(x, x).
func (s *scorer[T]) scores(ctx context.Context, dst []float64, x data.Points[T], diag []float64) error {
	t := kernel.Prepare(ctx, s.kernel, s.sample, x)
	par.For(s.threads, x.Len(), mapPiece, func(lo, hi int) {
		b := linalg.New[float64](s.sample.Len(), hi-lo)
		if t.Tile(blas64.General(b), 0, lo); t.Err() != nil {
			return
		}
		s.chol.SolveL(1, b)
		copy(dst[lo:hi], diag[lo:hi])
		for a := range b.Rows {
			for i, v := range b.Row(a) {
				dst[lo+i] -= v * v
			}
		}
		for i := lo; i < hi; i++ {
			dst[i] = math.Min(1, math.Max(dst[i], 0)/s.lambda)
		}
	})
	return t.Err()
}

// sampleByScore keeps each point with probability min(1, c·ℓᵢ), c being the
// logarithmic oversampling of the theory or what limit leaves of it.
func sampleByScore(rng *rand.Rand, subset []int, scores []float64, limit int) ([]int, []float64) {
	sum := 0.0
	for _, v := range scores {
		sum += v
	}
	over := math.Min(1.5*math.Log(math.Max(sum, 1)*8+2), float64(limit)/math.Max(sum, 1e-300))
	var pick []int
	var keep []float64
	for i, v := range scores {
		p := math.Min(1, over*v)
		if rng.Float64() < p {
			pick = append(pick, subset[i])
			keep = append(keep, p)
		}
	}
	if len(pick) == 0 { // every score is next to 0: any point will do
		return []int{subset[0]}, []float64{1}
	}
	return pick, keep
}

// LeverageCenters draws m rows with probabilities proportional to their
// approximate ridge leverage scores, none twice. lambda = 0 takes the mean of
// the eigenvalues of K beyond the first m/(4 log m), estimated on a uniform
// sample: the ridge at which m centres are about what the theory asks for.
func LeverageCenters[T any](
	ctx context.Context, k kernel.Kernel[T], x data.Points[T], m int, lambda float64, threads int, seed uint64,
) ([]int, error) {
	n := 0
	if x != nil {
		n = x.Len()
	}
	if err := checkCount(n, m); err != nil {
		return nil, err
	}
	if lambda == 0 {
		var err error
		if lambda, err = tailMean(ctx, k, x, m, threads, seed); err != nil {
			return nil, err
		}
	}
	scores, err := LeverageScores(ctx, k, x, lambda, max(m, 32), threads, seed)
	if err != nil {
		return nil, err
	}
	rows, _ := byKeys(rand.New(rand.NewPCG(seed, 0x1e7f)), par.Indices(0, n), scores, m, n)
	return rows, nil
}

// tailMean estimates (1/q)·Σ_{i>q} λᵢ(K) with q = m/(4 log m) on a uniform
// sample of at most 2m points.
func tailMean[T any](
	ctx context.Context, k kernel.Kernel[T], x data.Points[T], m int, threads int, seed uint64,
) (float64, error) {
	n := x.Len()
	s := min(n, max(2*m, 16), 1000)
	index := rand.New(rand.NewPCG(seed, 0x7a11)).Perm(n)[:s]
	p := data.Gather(x, index)
	if _, err := selfValues(ctx, k, p, "sampled row"); err != nil {
		return 0, err
	}
	kss := linalg.New[float64](s, s)
	if err := kernel.Fill(threads, blas64.General(kss), kernel.Prepare(ctx, k, p, p)); err != nil {
		return 0, err
	}
	values, _, err := linalg.SymEigenContext(ctx, threads, kss)
	if err != nil {
		return 0, fault.Errorf("gram", "leverage centres: %w", err)
	}
	q := max(1, int(float64(m)/(4*math.Log(float64(m)+2))))
	q = min(q, s-1)
	sum, top := 0.0, math.Max(values[s-1], 0)
	for _, v := range values[:s-max(q, 0)] {
		sum += math.Max(v, 0)
	}
	lambda := sum / math.Max(float64(q), 1) * float64(n) / float64(s)
	// Below rounding every score is 1 and there is nothing to choose by.
	return math.Max(lambda, 1e-12*top*float64(n)/float64(s)+1e-300), nil
}
