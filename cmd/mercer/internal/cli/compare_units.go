package cli

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/stat"
	"github.com/mercer-ml/mercer/tune"
)

// units is what two models are compared by: rows, or groups of rows that are alike and count as
// one, with the weights of their rows.
type units struct {
	of      []int     // the unit of each row
	weights []float64 // of the rows; nil: all 1
	count   int
	grouped bool
}

func unitsOf(p learn.Predictions) units {
	u := units{of: make([]int, len(p.Truth)), weights: p.Weights, count: len(p.Truth), grouped: p.Groups != nil}
	for i := range u.of {
		u.of[i] = i
	}
	if u.grouped {
		seen := map[int]int{}
		for i, g := range p.Groups {
			if _, ok := seen[g]; !ok {
				seen[g] = len(seen)
			}
			u.of[i] = seen[g]
		}
		u.count = len(seen)
	}
	return u
}

// plain says that each row counts once, by itself.
func (u units) plain() bool { return !u.grouped && u.weights == nil }

func (u units) weight(i int) float64 {
	if u.weights == nil {
		return 1
	}
	return u.weights[i]
}

func (u units) mean(v []float64) float64 {
	sum, total := 0.0, 0.0
	for i, x := range v {
		sum, total = sum+u.weight(i)*x, total+u.weight(i)
	}
	return sum / total
}

// sums is Σ wᵢ(vᵢ − center) over each unit.
func (u units) sums(v []float64, center float64) []float64 {
	out := make([]float64, u.count)
	for i, x := range v {
		out[u.of[i]] += u.weight(i) * (x - center)
	}
	return out
}

// interval is the weighted mean d̄ ± 1.96 standard errors, √(G/(G−1)·Σ_g (Σ_{i∈g} wᵢ(dᵢ − d̄))²)/Σ
// wᵢ, which needs no more than that units are drawn independently.
func (u units) interval(d []float64) (low, high float64) {
	mean, total := u.mean(d), 0.0
	for i := range d {
		total += u.weight(i)
	}
	square := 0.0
	for _, s := range u.sums(d, mean) {
		square += s * s
	}
	count := float64(u.count)
	half := 1.959963984540054 * math.Sqrt(count/(count-1)*square) / total
	return mean - half, mean + half
}

// p is that of differences with mean 0, by drawing the signs of whole units anew.
func (u units) p(ctx context.Context, settings stat.TestSettings, d []float64) (float64, error) {
	r, err := stat.SignFlip{TestSettings: settings}.Test(ctx, u.sums(d, 0))
	if err != nil {
		return 0, err
	}
	return r.P, nil
}

// ndcgs is how well each model ranks the rows of each group; groups in which there is nothing to
// rank are left out.
func ndcgs(p [2]learn.Predictions, u units) (out [2][]float64) {
	rows := make([][]int, u.count)
	for i, g := range u.of {
		rows[g] = append(rows[g], i)
	}
	metric := tune.NDCG(0)
	for _, of := range rows {
		a, b := metric.Score(p[0].Gather(of)), metric.Score(p[1].Gather(of))
		if !math.IsNaN(a) && !math.IsNaN(b) {
			out[0], out[1] = append(out[0], a), append(out[1], b)
		}
	}
	return out
}
