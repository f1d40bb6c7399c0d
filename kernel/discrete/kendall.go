package discrete

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Kendall is the share of pairs of items that two permutations order alike, less that of pairs
// which they order differently,
//
//	k(σ, τ) = (n_c - n_d)/(n(n-1)/2),
//
// and the mean of it for rankings that leave something open. Each pair of items has the feature
// Φᵢⱼ(R) = P(i better than j) - P(j better than i): ±1 where both are ranked apart, 0 where they
// tie, (k+1-2a)/(k+1) where i is the a-th of k and j is not ranked; k(R, S) = Σ_{i<j}
// Φᵢⱼ(R)Φᵢⱼ(S)/(n(n-1)/2). A value takes O(n log n) (Jiao & Vert 2015, 2018; Knight 1966).
// Normalised it is Kendall's τ_b. Fewer than two items have k = 1.
type Kendall struct{}

// Name is "kendall".
func (Kendall) Name() string { return "kendall" }

// Eval returns Kendall's τ, or its mean.
func (Kendall) Eval(x, y Ranking) float64 { return kendall(new(ranks), rank(x), rank(y)) }

// PreparePoints sorts each ranking once.
func (Kendall) PreparePoints(ctx context.Context, x, y data.Points[Ranking]) kernel.Rectangle {
	return kernel.PreparePairs(ctx, x, y, rank, withRoom(kendall))
}

// EachFeature adds Φᵢⱼ for each pair of items.
func (Kendall) EachFeature(x Ranking, add func(name string, value float64)) {
	r, n := rank(x), len(x)
	if n < 2 {
		add("1", 1)
		return
	}
	unit := 1 / math.Sqrt(float64(pairsOf(n)))
	for i := range n {
		for j := i + 1; j < n; j++ {
			a, b := r.place[i], r.place[j]
			phi := 0.0
			switch {
			case a >= 0 && b >= 0:
				phi = float64(cmp.Compare(b, a))
			case a >= 0:
				phi = r.lean[i]
			case b >= 0:
				phi = -r.lean[j]
			}
			if phi != 0 {
				add(strconv.Itoa(i)+"<"+strconv.Itoa(j), phi*unit)
			}
		}
	}
}

// CheckPoints refuses what is no ranking.
func (Kendall) CheckPoints(x data.Points[Ranking]) error { return checkRankings("kendall", x) }

// Properties of Kendall's kernel: it has n(n-1)/2 features.
func (Kendall) Properties() kernel.Properties { return rankingProperties(kernel.No) }

func kendall(w *ranks, x, y ranked) float64 {
	n := float64(len(x.place))
	if n < 2 {
		return 1
	}
	return alike(w, x, y) / (n * (n - 1) / 2)
}

// alike is Σ_{i<j} Φᵢⱼ(x)Φᵢⱼ(y), by whether i and j are ranked in both, in one or in none. Pairs of
// which neither is ranked in one of the two rankings add nothing.
func alike(w *ranks, x, y ranked) float64 {
	unknown, both := 0, 0.0 // items ranked in neither, Σ lean·lean over those ranked in both
	onlyX, onlyY := 0.0, 0.0
	for i, p := range x.place {
		switch q := y.place[i]; {
		case p >= 0 && q >= 0:
			both += x.lean[i] * y.lean[i]
		case p >= 0:
			onlyX += x.lean[i]
		case q >= 0:
			onlyY += y.lean[i]
		default:
			unknown++
		}
	}
	return w.concordance(x, y) + besides(x, y) + besides(y, x) + float64(unknown)*both - onlyX*onlyY
}

// besides is the sum over i ranked in both and j ranked in x alone: Φᵢⱼ(x) is ±1, Φᵢⱼ(y) the lean
// of i.
func besides(x, y ranked) float64 {
	alone := 0
	for _, j := range x.order {
		if y.place[j] < 0 {
			alone++
		}
	}
	if alone == 0 {
		return 0
	}
	sum, above := 0.0, 0
	for from := 0; from < len(x.order); {
		to := x.groupEnd(from)
		tied, lean := 0, 0.0
		for _, i := range x.order[from:to] {
			if y.place[i] < 0 {
				tied++
			} else {
				lean += y.lean[i]
			}
		}
		below := alone - above - tied
		sum += lean * float64(below-above)
		above += tied
		from = to
	}
	return sum
}

// ranks is room for places.
type ranks struct{ places, sorted []int }

// withRoom is eval with room that calls of one goroutine after the other share.
func withRoom[U any](eval func(w *ranks, u, v U) float64) func(u, v U) float64 {
	pool := &sync.Pool{New: func() any { return new(ranks) }}
	return func(u, v U) float64 {
		w := pool.Get().(*ranks)
		defer pool.Put(w)
		return eval(w, u, v)
	}
}

// concordance is Σ sign·sign over the items ranked in both (Knight 1966): of all pairs, those tied
// on a side add nothing, and those that x and y order differently are the inversions of y's places
// in the order of x, counted by merge sort.
func (w *ranks) concordance(x, y ranked) float64 {
	w.places = w.places[:0]
	tiedX, tiedBoth := 0, 0
	for from := 0; from < len(x.order); {
		to := x.groupEnd(from)
		first := len(w.places)
		for _, i := range x.order[from:to] {
			if y.place[i] >= 0 {
				w.places = append(w.places, y.place[i])
			}
		}
		group := w.places[first:]
		if len(group) > 1 {
			slices.Sort(group) // ties of x are no inversions
			tiedX += pairsOf(len(group))
			tiedBoth += tiedPairs(group)
		}
		from = to
	}
	m := len(w.places)
	w.sorted = slices.Grow(w.sorted[:0], m)[:m]
	discordant := inversions(w.places, w.sorted)
	return float64(pairsOf(m) - tiedX - tiedPairs(w.places) + tiedBoth - 2*discordant) // places are sorted now
}

func pairsOf(n int) int { return n * (n - 1) / 2 }

// tiedPairs counts the pairs of equal numbers in increasing ones.
func tiedPairs(v []int) int {
	all, run := 0, 0
	for i := range v {
		if i > 0 && v[i] == v[i-1] {
			run++
			all += run
		} else {
			run = 0
		}
	}
	return all
}

// inversions sorts v and counts the pairs that were in the wrong order.
func inversions(v, room []int) int {
	if len(v) < 2 {
		return 0
	}
	half := len(v) / 2
	left, right := v[:half], v[half:]
	n := inversions(left, room[:half]) + inversions(right, room[half:])
	at := 0
	for i, j := 0, 0; i < len(left) || j < len(right); at++ {
		if j == len(right) || i < len(left) && left[i] <= right[j] {
			room[at] = left[i]
			i++
		} else {
			room[at] = right[j]
			j++
			n += len(left) - i
		}
	}
	copy(v, room)
	return n
}
