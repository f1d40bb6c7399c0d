package tune

import (
	"math"
	"sort"
)

// KendallTau is Kendall's τ_b between predicted and true order, the mean over
// the groups (queries) where the points have groups: concordant less
// discordant pairs over √((pairs not tied in truth)(pairs not tied in prediction)).
func KendallTau() Metric {
	return Metric{Name: "kendall", Maximize: true, Score: func(p Predictions) float64 {
		return p.overQueries(func(truth, value []float64) float64 {
			agree, x, y := 0.0, 0.0, 0.0
			for i := range truth {
				for j := range i {
					a, b := sign(truth[i]-truth[j]), sign(value[i]-value[j])
					agree += a * b
					x += a * a
					y += b * b
				}
			}
			if x == 0 || y == 0 {
				return math.NaN()
			}
			return agree / math.Sqrt(x*y)
		})
	}}
}

func sign(v float64) float64 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// NDCG is the normalised discounted cumulative gain of the top at places (0:
// all): Σ (2^rel - 1)/log₂(1 + place) in predicted order over the same in the best order (Järvelin & Kekäläinen
// 2002), the mean over the groups (queries). The truth is the relevance, 0 or more.
func NDCG(top int) Metric {
	return Metric{Name: "ndcg", Maximize: true, Score: func(p Predictions) float64 {
		return p.overQueries(func(truth, value []float64) float64 {
			gain := func(order []int) float64 {
				s := 0.0
				for place, i := range order {
					if top > 0 && place >= top {
						break
					}
					s += (math.Exp2(truth[i]) - 1) / math.Log2(float64(place)+2)
				}
				return s
			}
			best := gain(descending(truth))
			if best <= 0 || math.IsInf(best, 0) {
				return math.NaN()
			}
			return gain(descending(value)) / best
		})
	}}
}

func descending(v []float64) []int {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return v[order[a]] > v[order[b]] })
	return order
}

// overQueries is the mean of a ranking measure over the groups of the rows;
// groups where it is not defined are left out.
func (p Predictions) overQueries(f func(truth, value []float64) float64) float64 {
	if p.Value == nil {
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
		if v := f(gather(p.Truth, rows[g]), gather(p.Value, rows[g])); !math.IsNaN(v) {
			sum += v
			k++
		}
	}
	if k == 0 {
		return math.NaN()
	}
	return sum / k
}
