package discrete

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/internal/field"
)

// Mallows is the exponential of the number of pairs of items that two permutations order
// differently,
//
//	k(σ, τ) = exp(-λ·n_d(σ, τ)),
//
// λ = Rate (1 when zero) (Jiao & Vert 2015, 2018). n_d is a quarter of the squared distance of the
// features Φᵢⱼ of Kendall's kernel, and that is what stands in its place for rankings that leave
// something open: the Gaussian kernel on mean embeddings. The mean of exp(-λ·n_d) itself is
// MallowsMean. It is strictly positive definite on permutations (Mania et al., On kernel methods
// for covariates that are rankings, 2018).
type Mallows struct {
	Rate float64
}

// Name is "mallows".
func (Mallows) Name() string { return "mallows" }

// lengthed is a ranking with the squared norm of its features.
type lengthed struct {
	ranked
	square float64
}

func withLength(r Ranking) lengthed {
	x := rank(r)
	return lengthed{x, alike(new(ranks), x, x)}
}

func (k Mallows) between(w *ranks, x, y lengthed) float64 {
	return math.Exp(-field.Or(k.Rate, 1) * max(0, x.square-2*alike(w, x.ranked, y.ranked)+y.square) / 4)
}

// Eval returns exp(-λ·n_d).
func (k Mallows) Eval(x, y Ranking) float64 {
	return k.between(new(ranks), withLength(x), withLength(y))
}

// PreparePoints sorts each ranking once.
func (k Mallows) PreparePoints(ctx context.Context, x, y data.Points[Ranking]) kernel.Rectangle {
	return kernel.PreparePairs(ctx, x, y, withLength, withRoom(k.between))
}

// Params is λ.
func (k Mallows) Params() []kernel.Param {
	return []kernel.Param{field.Positive("mallows.rate", field.Or(k.Rate, 1))}
}

// With sets λ.
func (Mallows) With(theta []float64) kernel.Kernel[Ranking] { return Mallows{theta[0]} }

// Validate refuses λ < 0.
func (k Mallows) Validate() error { return field.MustBePositive("mallows", "rate", k.Rate) }

// CheckPoints refuses what is no ranking.
func (Mallows) CheckPoints(x data.Points[Ranking]) error { return checkRankings("mallows", x) }

// Properties of Mallows' kernel. On permutations alone it is strictly positive definite; a tie of
// all items and none ranked are alike to it.
func (Mallows) Properties() kernel.Properties { return rankingProperties(kernel.No) }
