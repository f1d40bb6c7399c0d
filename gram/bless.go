package gram

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

// What BLESS draws at each λ: rows to be scored, in units of the number κ²n/λ of them that could
// have a score to speak of, and centres, in units of the effective dimension.
const (
	blessRows    = 4
	blessCenters = 5
	blessLeast   = 64 // of both
	blessStep    = 2  // λ is divided by
)

// BlessCenters draws m rows, none twice, with probabilities proportional to approximate ridge
// leverage scores at lambda, found bottom-up (BLESS; Rudi, Calandriello, Carratino and Rosasco
// 2018, algorithm 1): λ falls from κ²n by halves; at each the scores of a few uniform rows, by the
// centres of the λ before, choose the next centres. It reads rows and centres in proportion to 1/λ
// and to the effective dimension, not to n. λ stops falling where the effective dimension has
// reached m: fewer centres cannot tell more; lambda = 0 goes there. Beside the rows it returns how
// many of all rows each of them stands for, in proportion to 1/score, n in all. When ctx ends
// first, the error is its.
func BlessCenters[T any](
	ctx context.Context, k kernel.Kernel[T], x data.Points[T], m int, lambda float64, threads int, seed uint64,
) (rows []int, share []float64, err error) {
	diag, err := selfValues(ctx, k, x, "row")
	if err != nil {
		return nil, nil, err
	}
	n := len(diag)
	if err := checkCount(n, m); err != nil {
		return nil, nil, err
	}
	if !(lambda >= 0) || math.IsInf(lambda, 0) {
		return nil, nil, fault.Errorf("gram", "leverage scores: lambda is %g, want a finite number, 0 or more", lambda)
	}
	top := slices.Max(diag)
	if !(top > 0) {
		return nil, nil, fault.Errorf("gram", "leverage scores: k(x, x) is 0 at every row")
	}
	rng := rand.New(rand.NewPCG(seed, 0xb1e5))
	order := rng.Perm(n) // its first R are uniform rows; scores of nested rows serve as well as those of new ones
	var centers []int
	var times []float64 // how often each was expected among the centres
	at, last := float64(n)*top, false
	for {
		if !last {
			at = math.Max(at/blessStep, lambda)
		}
		some := order[:min(n, max(int(math.Ceil(blessRows*top*float64(n)/at)), blessLeast, m))]
		scores, err := scoresBy(ctx, k, x, diag, some, centers, times, at, threads)
		if err != nil {
			return nil, nil, err
		}
		sum := 0.0
		for _, s := range scores {
			sum += s
		}
		dimension := sum * float64(n) / float64(len(some))
		if last {
			rows, share = byKeys(rng, some, scores, m, n)
			return rows, share, nil
		}
		// The last λ is gone through twice: scores by the centres of the λ before are too large, by
		// up to its ratio.
		last = at <= lambda || dimension >= float64(m) || at <= 1e-12*float64(n)*top
		count := min(max(int(math.Ceil(blessCenters*dimension)), blessLeast), max(3*m, blessLeast))
		centers, times = centers[:0], times[:0]
		for range count {
			i := draw(rng, scores)
			if i < 0 {
				break
			}
			centers = append(centers, some[i])
			times = append(times, float64(len(some))/float64(n)*float64(count)*scores[i]/sum)
		}
	}
}

// byKeys draws m of some rows without replacement, weighted (Efraimidis and Spirakis 2006): the
// largest keys log(u)/w.
func byKeys(rng *rand.Rand, some []int, weight []float64, m, n int) (rows []int, share []float64) {
	keys := make([]float64, len(some))
	for i, w := range weight {
		keys[i] = math.Log(1-rng.Float64()) / math.Max(w, 1e-300)
	}
	index := par.Indices(0, len(some))
	slices.SortStableFunc(index, func(a, b int) int { return cmp.Compare(keys[b], keys[a]) })
	total := 0.0
	for _, i := range index[:m] {
		rows = append(rows, some[i])
		share = append(share, 1/math.Max(weight[i], 1e-12))
		total += share[len(share)-1]
	}
	for i := range share {
		share[i] *= float64(n) / total
	}
	return rows, share
}
