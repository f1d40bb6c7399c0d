package gram

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
)

func checkCount(n, m int) error {
	if m < 1 || m > n {
		return fault.Errorf("gram", "%d centres from %d points; want between 1 and %d", m, n, n)
	}
	return nil
}

// UniformCenters draws m of n rows, all equally likely, none twice.
func UniformCenters(n, m int, seed uint64) ([]int, error) {
	if err := checkCount(n, m); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 0xce27))
	if n <= wholeDeck {
		return rng.Perm(n)[:m], nil
	}
	return dealFew(rng, n, m), nil
}

// wholeDeck is the number of rows up to which all of them are shuffled to draw some.
const wholeDeck = 1 << 22

// dealFew shuffles the first m of n places (Fisher and Yates) and remembers only the places that
// have changed.
func dealFew(rng *rand.Rand, n, m int) []int {
	moved, out := make(map[int]int, 2*m), make([]int, m)
	at := func(i int) int {
		if j, ok := moved[i]; ok {
			return j
		}
		return i
	}
	for i := range out {
		j := i + rng.IntN(n-i)
		out[i] = at(j)
		moved[j] = at(i)
	}
	return out
}

// KMeansCenters draws m rows by the k-means++ rule in feature space (Arthur
// and Vassilvitskii 2007; Oglic and Gärtner 2017 for Nyström): each next
// centre with probability proportional to its squared distance
// k(x,x) - 2k(x,c) + k(c,c) from the nearest centre so far. Fewer than m come
// back when every point already coincides with a centre. When ctx ends first, the error is its.
func KMeansCenters[T any](
	ctx context.Context, k kernel.Kernel[T], x data.Points[T], m int, threads int, seed uint64,
) ([]int, error) {
	diag, err := selfValues(ctx, k, x, "row")
	if err != nil {
		return nil, err
	}
	n := len(diag)
	if err := checkCount(n, m); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 0x3ea5))
	t := kernel.Prepare(ctx, k, x, x)
	dist := make([]float64, n)
	column := make([]float64, n)
	for i := range dist {
		dist[i] = math.Inf(1)
	}
	centers := []int{rng.IntN(n)}
	for {
		c := centers[len(centers)-1]
		par.For(threads, n, 4096, func(lo, hi int) {
			row(t, column[lo:hi], c, lo)
			for i := lo; i < hi; i++ {
				d := diag[i] - 2*column[i] + diag[c]
				if d <= 1e-14*(diag[i]+diag[c]) {
					d = 0 // the same point, up to rounding
				}
				dist[i] = math.Min(dist[i], d)
			}
		})
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		dist[c] = 0
		if len(centers) == m {
			return centers, nil
		}
		next := draw(rng, dist)
		if next < 0 {
			return centers, nil
		}
		centers = append(centers, next)
	}
}

// draw returns i with probability proportional to weight[i]; -1 if all are 0.
func draw(rng *rand.Rand, weight []float64) int {
	total := 0.0
	for _, w := range weight {
		total += w
	}
	if !(total > 0) {
		return -1
	}
	u := rng.Float64() * total
	last := -1
	for i, w := range weight {
		if w > 0 {
			last = i
			if u -= w; u < 0 {
				return i
			}
		}
	}
	return last
}
