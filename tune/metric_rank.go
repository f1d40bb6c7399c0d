package tune

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/learn"
)

// KendallTau is Kendall's τ_b between predicted and true order, the mean over
// the groups (queries) where the points have groups: concordant less
// discordant pairs over √((pairs not tied in truth)(pairs not tied in prediction)).
func KendallTau() Metric {
	return Metric{Name: "kendall", Maximize: true, Score: func(p learn.Predictions) float64 {
		return overQueries(p, kendall)
	}}
}

// kendall is τ_b in n log n steps (Knight 1966): with the points in the order
// of the truth, discordant pairs are the exchanges that a merge sort by
// prediction makes.
func kendall(truth, value []float64) float64 {
	n := len(truth)
	order := par.Indices(0, n)
	slices.SortFunc(order, func(i, j int) int {
		if c := cmp.Compare(truth[i], truth[j]); c != 0 {
			return c
		}
		return cmp.Compare(value[i], value[j])
	})
	sorted := data.Take(value, order)
	tiedTruth := ties(n, func(a, b int) bool { return truth[order[a]] == truth[order[b]] })
	tiedBoth := ties(n, func(a, b int) bool { return truth[order[a]] == truth[order[b]] && sorted[a] == sorted[b] })
	discordant := exchanges(sorted, make([]float64, n))
	tiedValue := ties(n, func(a, b int) bool { return sorted[a] == sorted[b] })
	all := float64(n) * float64(n-1) / 2
	if all == tiedTruth || all == tiedValue {
		return math.NaN()
	}
	agree := all - tiedTruth - tiedValue + tiedBoth - 2*discordant
	return agree / (math.Sqrt(all-tiedTruth) * math.Sqrt(all-tiedValue))
}

// ties counts the pairs of neighbours in order that are alike.
func ties(n int, alike func(a, b int) bool) float64 {
	sum := 0.0
	for lo := 0; lo < n; {
		hi := lo + 1
		for hi < n && alike(lo, hi) {
			hi++
		}
		sum += float64(hi-lo) * float64(hi-lo-1) / 2
		lo = hi
	}
	return sum
}

// exchanges sorts v and counts the pairs that were in the wrong order.
func exchanges(v, spare []float64) float64 {
	if len(v) < 2 {
		return 0
	}
	half := len(v) / 2
	a, b := v[:half], v[half:]
	count := exchanges(a, spare[:half]) + exchanges(b, spare[half:])
	out := spare[:0]
	for len(a) > 0 && len(b) > 0 {
		if a[0] <= b[0] {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
			count += float64(len(a))
		}
	}
	out = append(append(out, a...), b...)
	copy(v, out)
	return count
}

// NDCG is the normalised discounted cumulative gain of the top at places (0: all): Σ (2^rel -
// 1)/log₂(1 + place) in predicted order over the same in the best order (Järvelin & Kekäläinen
// 2002), the mean over the groups (queries). The truth is the relevance, 0 or more; where it is
// below, nothing is gained and there is no score.
func NDCG(top int) Metric {
	return Metric{Name: "ndcg", Maximize: true, Score: func(p learn.Predictions) float64 {
		return overQueries(p, func(truth, value []float64) float64 {
			if len(truth) == 0 || slices.Min(truth) < 0 {
				return math.NaN()
			}
			best := gained(truth, truth, top)
			if best <= 0 || math.IsInf(best, 0) {
				return math.NaN()
			}
			return gained(truth, value, top) / best
		})
	}}
}

// gained is the discounted gain of rows in the order of values. Those of equal value share the
// places they take, each with their mean gain, which is what to expect of an order drawn at random
// (F. McSherry and M. Najork, ECIR 2008): else a model without an opinion would be as good as the
// order of the file.
func gained(truth, value []float64, top int) float64 {
	n, order := len(value), descending(value)
	if top <= 0 || top > n {
		top = n
	}
	sum := 0.0
	for lo, hi := 0, 0; lo < top; lo = hi {
		gain, discount := 0.0, 0.0
		for ; hi < n && value[order[hi]] == value[order[lo]]; hi++ {
			gain += math.Exp2(truth[order[hi]]) - 1
			if hi < top {
				discount += 1 / math.Log2(float64(hi)+2)
			}
		}
		sum += gain * discount / float64(hi-lo)
	}
	return sum
}

// ascending is the places of values from the smallest to the largest, those of equal values as they
// stand.
func ascending(v []float64) []int {
	return sortedPlaces(v, cmp.Compare[float64])
}

// descending is the same from the largest.
func descending(v []float64) []int {
	return sortedPlaces(v, func(a, b float64) int { return cmp.Compare(b, a) })
}

// sortedPlaces breaks ties by place, which has the result of a stable sort at the price of a plain
// one.
func sortedPlaces(v []float64, compare func(a, b float64) int) []int {
	order := par.Indices(0, len(v))
	slices.SortFunc(order, func(i, j int) int {
		if c := compare(v[i], v[j]); c != 0 {
			return c
		}
		return i - j
	})
	return order
}

// overQueries is the mean of a ranking measure over the groups of the rows;
// groups where it is not defined are left out.
func overQueries(p learn.Predictions, f func(truth, value []float64) float64) float64 {
	if p.Value == nil || slices.ContainsFunc(p.Value, math.IsNaN) {
		return math.NaN()
	}
	if p.Groups == nil {
		return f(p.Truth, p.Value)
	}
	rows := map[int][]int{}
	var names []int
	for i, g := range p.Groups {
		if rows[g] == nil {
			names = append(names, g)
		}
		rows[g] = append(rows[g], i)
	}
	sort.Ints(names)
	sum, k := 0.0, 0.0
	for _, g := range names {
		if v := f(data.Take(p.Truth, rows[g]), data.Take(p.Value, rows[g])); !math.IsNaN(v) {
			sum += v
			k++
		}
	}
	if k == 0 {
		return math.NaN()
	}
	return sum / k
}
