package discrete

import (
	"context"
	"math"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Spearman is the correlation of the places of items in two permutations,
//
//	k(σ, τ) = Σᵢ (σᵢ - m)(τᵢ - m)/(n(n²-1)/12),   m the mean place,
//
// Spearman's ρ, and the mean of it for rankings that leave something open: places become mean
// places (Places). Fewer than two items have k = 1.
type Spearman struct{}

// Name is "spearman".
func (Spearman) Name() string { return "spearman" }

// Eval returns Spearman's ρ, or its mean.
func (Spearman) Eval(x, y Ranking) float64 { return spearman(Places(x), Places(y)) }

func spearman(x, y kernel.Vec) float64 {
	n := float64(len(x))
	if n < 2 {
		return 1
	}
	return kernel.Inner.Between(x, y) / (n * (n*n - 1) / 12)
}

// PreparePoints finds the places once.
func (Spearman) PreparePoints(ctx context.Context, x, y data.Points[Ranking]) kernel.Rectangle {
	return kernel.PreparePairs(ctx, x, y, Places, spearman)
}

// EachFeature adds the place of each item, in units that make a permutation one of length 1.
func (Spearman) EachFeature(x Ranking, add func(name string, value float64)) {
	n := float64(len(x))
	if n < 2 {
		add("1", 1)
		return
	}
	unit := 1 / math.Sqrt(n*(n*n-1)/12)
	for i, v := range Places(x) {
		add(strconv.Itoa(i), v*unit)
	}
}

// CheckPoints refuses what is no ranking.
func (Spearman) CheckPoints(x data.Points[Ranking]) error { return checkRankings("spearman", x) }

// Properties of Spearman's kernel: it has n features.
func (Spearman) Properties() kernel.Properties { return rankingProperties(kernel.No) }

// Places is the mean place of each item over all permutations that agree with a ranking, less
// (n-1)/2, the mean of all: ties share their places, the a-th of k ranked among n items has
// a·(n+1)/(k+1) from above, an item that is not ranked has 0. It makes kernels on rankings of those
// on vectors: with kernel.Pullback, kernel.LaplaceL1 becomes exp of Spearman's footrule Σ|σᵢ-τᵢ|,
// kernel.Gaussian that of Spearman's distance Σ(σᵢ-τᵢ)².
func Places(r Ranking) kernel.Vec {
	x := rank(r)
	out := x.lean
	for i := range out {
		out[i] *= -float64(len(r)+1) / 2
	}
	return out
}
