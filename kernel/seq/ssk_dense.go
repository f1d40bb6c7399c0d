package seq

import (
	"sync"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// The dense form. D_p(i, j) is the weight of the pairs of common subsequences of p letters that end
// at the places i and j, and
//
//	V_p(i, j) = Σ_{i'≤i, j'≤j} λ^{(i-i')+(j-j')} D_p(i', j'),   D_{p+1}(i, j) = λ²·[x_i = y_j]·V_p(i-1, j-1).
//
// Row by row, w_p[j] = Σ_{i'<i} λ^{-(i'-base)} D_p(i', j) is kept for each column. In this scale
// the decay along the rows needs no work: a new D_{p+1}(i, j) adds λ·v_p to w_{p+1}[j], where v_p,
// the decayed sum of w_p up to j-1, is made by running along the row. The levels of one column
// stand side by side, so that one step of the run is one vector operation for all of them.

// lanes is how many levels stand side by side; longer subsequences take several such rows.
const lanes = 4

// largestScale is how far λ^{-(i-base)} may grow before the rows are brought back to scale 1.
const largestScale = 1e100

type denseScratch struct{ w, v, sum []float64 }

var densePool = sync.Pool{New: func() any { return new(denseScratch) }}

// zeroed returns a slice of n zeros, from the memory of s where it is enough.
func zeroed(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// dense computes the kernel by running over all pairs of places.
func (k Subsequences) dense(x, y *letters, match []int32) float64 {
	n, lambda := k.length(), k.decay()
	cols, levels := len(y.code), max(n-1, 1)
	width := (levels + lanes - 1) / lanes * lanes
	scratch := densePool.Get().(*denseScratch)
	defer densePool.Put(scratch)
	scratch.w = zeroed(scratch.w, (cols+3)*width)
	scratch.v = zeroed(scratch.v, width)
	scratch.sum = zeroed(scratch.sum, width)
	w, sum := scratch.w, scratch.sum
	rows := simd.NewDecayRows(lambda)
	totals := make([]float64, levels+2) // by the number of letters
	scale := 1.0                        // λ^{-(i-base)}
	ones := 0.0
	for _, c := range x.code {
		places := y.places(match[c])
		if len(places) > 0 {
			ones += float64(len(places))
			if width == lanes {
				rows.Row(places, w, lambda*lambda*scale, (*[lanes]float64)(sum))
			} else {
				rowOfMany(w, places, lambda, lambda*lambda*scale, width, scratch.v, sum)
			}
			for p := range levels {
				totals[p+2] += lambda / scale * sum[p]
				sum[p] = 0
			}
		}
		if scale /= lambda; scale > largestScale {
			for i := range w {
				w[i] /= scale
			}
			scale = 1
		}
	}
	totals[1] = lambda * lambda * ones
	value := 0.0
	for q := 1; q <= n; q++ {
		if wq := k.weight(q); wq != 0 {
			value += wq * totals[q]
		}
	}
	return value
}

// rowOfMany is DecayRows.Row for any number of levels: v ← λv + w[j], and at each of the places,
// before that, sum += v and w[j] += λ·(v shifted by one level), with first for the lowest.
func rowOfMany(w []float64, places []int32, lambda, first float64, width int, v, sum []float64) {
	clear(v)
	at := 0
	for _, place := range places {
		for ; at < int(place); at++ {
			for p, u := range w[at*width : (at+1)*width] {
				v[p] = lambda*v[p] + u
			}
		}
		c := w[at*width : (at+1)*width]
		below := first
		for p, u := range c {
			sum[p] += v[p]
			c[p] = u + below
			below = lambda * v[p]
			v[p] = lambda*v[p] + u
		}
		at++
	}
}
