package gram

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

// SampleScores are approximate ridge leverage scores of rows by a uniform sample of them, for rows
// that lie in many places: each is scored where it is, with S the sample, of n rows,
//
//	ℓ(x) ≈ (k(x, x) - k_S(x)ᵀ·(K_SS + λ|S|/n)⁻¹·k_S(x))/λ, at the most 1
//
// (Rudi, Calandriello, Carratino and Rosasco 2018, equation 3). With all rows as the sample these
// are the scores themselves.
type SampleScores[T any] struct{ by *scorer[T] }

// NewSampleScores prepares the scores by a sample of n rows in all. lambda is the ridge for all
// rows; 0 takes the one at which m centres are about what the theory asks for, as LeverageCenters
// does.
func NewSampleScores[T any](
	ctx context.Context, k kernel.Kernel[T], sample data.Points[T], n, m int, lambda float64, threads int,
) (*SampleScores[T], error) {
	if _, err := selfValues(ctx, k, sample, "sampled row"); err != nil {
		return nil, err
	}
	share := float64(sample.Len()) / float64(n)
	if n < sample.Len() {
		return nil, fault.Errorf("gram", "leverage scores: a sample of %d among %d rows", sample.Len(), n)
	}
	if !(lambda >= 0) || math.IsInf(lambda, 0) {
		return nil, fault.Errorf("gram", "leverage scores: lambda is %g, want a finite number, 0 or more", lambda)
	}
	if lambda == 0 {
		tail, err := tailMean(ctx, k, sample, m, threads, 0)
		if err != nil {
			return nil, err
		}
		lambda = tail / share
	}
	keep := make([]float64, sample.Len())
	for i := range keep {
		keep[i] = share
	}
	by, err := newScorer(ctx, k, sample, keep, lambda, threads)
	return &SampleScores[T]{by}, err
}

// Lambda is the ridge that the scores are for.
func (s *SampleScores[T]) Lambda() float64 { return s.by.lambda }

// ScoresTo sets dst to the scores of points.
func (s *SampleScores[T]) ScoresTo(ctx context.Context, dst []float64, x data.Points[T]) error {
	diag, err := selfValues(ctx, s.by.kernel, x, "row")
	if err != nil {
		return err
	}
	if len(dst) != len(diag) {
		return fault.Errorf("gram", "leverage scores: %d numbers for %d rows", len(dst), len(diag))
	}
	if err := kernel.CheckPair(s.by.kernel, s.by.sample, x); err != nil {
		return fault.In("gram", err)
	}
	return s.by.scores(ctx, dst, x, diag)
}
