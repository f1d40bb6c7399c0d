package discrete

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/internal/field"
)

// MallowsMean is the mean of Mallows' kernel over the permutations that agree with two rankings,
//
//	k(R, S) = 1/(|R||S|) Σ_{σ ∈ R} Σ_{τ ∈ S} exp(-λ·n_d(σ, τ)),
//
// λ = Rate (1 when zero), estimated from Pairs pairs (16 when zero) of permutations of each
// ranking, every permutation with its mirror image: the opposite order of all that the ranking
// leaves open (Lomelí, Rowland, Gretton & Ghahramani, Antithetic and Monte Carlo kernel estimators
// for partial rankings, 2019). The permutations of a ranking depend on it and on Seed alone, so
// that the estimate is a kernel itself: an inner product of mean embeddings. A permutation is its
// own sample, and has exact values.
type MallowsMean struct {
	Rate  float64
	Pairs int
	Seed  uint64
}

// Name is "mallowsmean".
func (MallowsMean) Name() string { return "mallowsmean" }

func (k MallowsMean) pairs() int {
	if k.Pairs == 0 {
		return 16
	}
	return k.Pairs
}

// Eval returns the estimated mean.
func (k MallowsMean) Eval(x, y Ranking) float64 { return k.mean(new(ranks), k.sample(x), k.sample(y)) }

// PreparePoints draws the permutations of each ranking once.
func (k MallowsMean) PreparePoints(ctx context.Context, x, y data.Points[Ranking]) kernel.Rectangle {
	return kernel.PreparePairs(ctx, x, y, k.sample, withRoom(k.mean))
}

func (k MallowsMean) mean(w *ranks, x, y []lengthed) float64 {
	sum := 0.0
	for _, a := range x {
		for _, b := range y {
			sum += Mallows{k.Rate}.between(w, a, b)
		}
	}
	return sum / float64(len(x)*len(y))
}

// sample is permutations that agree with r, in mirrored pairs; r itself where it leaves nothing
// open.
func (k MallowsMean) sample(r Ranking) []lengthed {
	if !open(r) {
		return []lengthed{withLength(r)}
	}
	hash := fnv.New64a()
	for _, p := range r {
		fmt.Fprint(hash, p, ",")
	}
	rng := rand.New(rand.NewPCG(k.Seed, hash.Sum64()))
	x := rank(r)
	var out []lengthed
	for range k.pairs() {
		seats := rng.Perm(len(r)) // seats[place] = item
		out = append(out, withLength(x.seated(seats)))
		slices.Reverse(seats)
		out = append(out, withLength(x.seated(seats)))
	}
	return out
}

// open says whether more than one permutation agrees with r.
func open(r Ranking) bool {
	taken := make([]bool, len(r))
	for _, p := range r {
		if p < 0 || taken[p] {
			return len(r) > 1
		}
		taken[p] = true
	}
	return false
}

// seated is the permutation that agrees with x and has its unranked items where seats has them;
// ranked items take the other seats by their places, ties in the order in which seats has them. Of
// a random order of seats it is a random one of the permutations that agree.
func (x ranked) seated(seats []int) Ranking {
	at := make([]int, len(seats)) // item → its seat
	for s, i := range seats {
		at[i] = s
	}
	order := slices.Clone(x.order)
	slices.SortFunc(order, func(a, b int) int {
		if c := x.place[a] - x.place[b]; c != 0 {
			return c
		}
		return at[a] - at[b]
	})
	out := make(Ranking, len(seats))
	for s, i := range seats {
		if x.place[i] < 0 {
			out[i] = s
		} else {
			out[order[0]] = s
			order = order[1:]
		}
	}
	return out
}

// Params is λ.
func (k MallowsMean) Params() []kernel.Param {
	return []kernel.Param{field.Positive("mallowsmean.rate", field.Or(k.Rate, 1))}
}

// With sets λ.
func (k MallowsMean) With(theta []float64) kernel.Kernel[Ranking] {
	return MallowsMean{theta[0], k.Pairs, k.Seed}
}

// Validate refuses λ < 0 and less than one pair.
func (k MallowsMean) Validate() error {
	if k.Pairs < 0 {
		return fmt.Errorf("kernel: mallowsmean: pairs = %d, want a whole number ≥ 1", k.Pairs)
	}
	return field.MustBePositive("mallowsmean", "rate", k.Rate)
}

// CheckPoints refuses what is no ranking.
func (MallowsMean) CheckPoints(x data.Points[Ranking]) error { return checkRankings("mallowsmean", x) }

// Properties of the mean: different rankings may have one mean embedding, for all that is known.
func (MallowsMean) Properties() kernel.Properties {
	p := rankingProperties(kernel.Unknown)
	p.Bound = math.Nextafter(1, 2)
	return p
}
