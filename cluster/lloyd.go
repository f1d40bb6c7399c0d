package cluster

import (
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
)

// lloyd is plain k-means on the rows of x with k-means++ starts: what is left
// to do after a spectral embedding. It returns the best of the restarts.
func lloyd(threads int, x linalg.Matrix[float64], k, restarts int, seed uint64) (labels []int, centers linalg.Matrix[float64]) {
	type result struct {
		labels  []int
		centers linalg.Matrix[float64]
		cost    float64
	}
	results := make([]result, restarts)
	par.For(threads, restarts, 1, func(r, _ int) {
		rng := rand.New(rand.NewPCG(seed, uint64(r)+0x110d))
		c := plusPlus(x, k, rng)
		l := make([]int, x.Rows)
		cost := math.Inf(1)
		for range 300 {
			next := assignRows(x, c, l)
			if !(next < cost*(1-1e-12)) {
				cost = next
				break
			}
			cost = next
			meanRows(x, c, l)
		}
		results[r] = result{l, c, cost}
	})
	best := results[0]
	for _, r := range results[1:] {
		if r.cost < best.cost {
			best = r
		}
	}
	return best.labels, best.centers
}

// plusPlus draws rows of x, each with probability proportional to its squared
// distance from those drawn (Arthur and Vassilvitskii 2007).
func plusPlus(x linalg.Matrix[float64], k int, rng *rand.Rand) linalg.Matrix[float64] {
	c := linalg.New[float64](k, x.Cols)
	d := make([]float64, x.Rows)
	for i := range d {
		d[i] = math.Inf(1)
	}
	at := rng.IntN(x.Rows)
	for a := range k {
		copy(c.Row(a), x.Row(at))
		total := 0.0
		for i := range d {
			d[i] = math.Min(d[i], squared(x.Row(i), c.Row(a)))
			total += d[i]
		}
		u := rng.Float64() * total
		for i, v := range d {
			if v > 0 {
				at = i
				if u -= v; u < 0 {
					break
				}
			}
		}
	}
	return c
}

// assignRows sets labels to the nearest centre and returns the sum of squares.
func assignRows(x, c linalg.Matrix[float64], labels []int) float64 {
	v := make([]float64, c.Rows)
	cost := 0.0
	for i := range labels {
		for a := range v {
			v[a] = squared(x.Row(i), c.Row(a))
		}
		labels[i] = nearest(v)
		cost += v[labels[i]]
	}
	return cost
}

// meanRows moves centres to the means of their rows; one without rows goes to
// the row farthest from its own centre.
func meanRows(x, c linalg.Matrix[float64], labels []int) {
	for a, rows := range members(labels, c.Rows) {
		if len(rows) == 0 {
			far := make([]float64, x.Rows)
			for i, l := range labels {
				far[i] = -squared(x.Row(i), c.Row(l))
			}
			copy(c.Row(a), x.Row(nearest(far)))
			continue
		}
		row := c.Row(a)
		clear(row)
		for _, i := range rows {
			for j, v := range x.Row(i) {
				row[j] += v / float64(len(rows))
			}
		}
	}
}

func squared(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += (v - b[i]) * (v - b[i])
	}
	return s
}
