package seq

import (
	"math"
	"sync"
)

// The program of LocalAlignment. M(i, j) is the sum over the alignments that end with the pair i,
// j; X and Y over those that end there in a gap, X with letters of x without partners, Y with
// letters of y after that:
//
//	M(i, j) = e^{βs}·(1 + M + X + Y)(i-1, j-1),
//	X(i, j) = e^{-β·open}·M(i-1, j) + e^{-β·extend}·X(i-1, j),
//	Y(i, j) = e^{-β·open}·(M + X)(i, j-1) + e^{-β·extend}·Y(i, j-1),
//
// and k = 1 + Σ M(i, j). A gap in both strings at once is counted once, with x first.

type localScratch struct{ m, x, y []float64 }

var localPool = sync.Pool{New: func() any { return new(localScratch) }}

// program returns log k as a function of coded strings.
func (k LocalAlignment) program() func(x, y *coded) float64 {
	weights, beta := k.weights(), or(k.Beta, 0.5)
	open, extend := k.gaps()
	f, g := math.Exp(-beta*open), math.Exp(-beta*extend)
	return func(x, y *coded) float64 {
		if x.text > y.text {
			x, y = y, x
		}
		if v := localPlain(x.codes, y.codes, weights, f, g); v < math.MaxFloat64 {
			return math.Log(v)
		}
		return localWide(x.codes, y.codes, weights, f, g)
	}
}

// localPlain is k in float64. Nothing that matters underflows, since M ≥ e^{βs} for every pair;
// what is too large is +Inf or NaN.
func localPlain(x, y []int, weights [][]float64, open, extend float64) float64 {
	s := localPool.Get().(*localScratch)
	defer localPool.Put(s)
	s.m, s.x, s.y = zeroed(s.m, len(y)+1), zeroed(s.x, len(y)+1), zeroed(s.y, len(y)+1)
	total := 1.0
	for _, a := range x {
		w := weights[a]
		var dm, dx, dy float64 // the row above, one column back
		var lm, lx, ly float64 // this row, one column back
		for j, b := range y {
			um, ux := s.m[j+1], s.x[j+1]
			uy := s.y[j+1]
			lm, lx, ly = w[b]*(1+dm+dx+dy), open*um+extend*ux, open*(lm+lx)+extend*ly
			dm, dx, dy = um, ux, uy
			s.m[j+1], s.x[j+1], s.y[j+1] = lm, lx, ly
			total += lm
		}
	}
	return total
}

// localWide is log k by numbers without bounds on their range.
func localWide(x, y []int, weights [][]float64, open, extend float64) float64 {
	type cell struct{ m, x, y wide }
	row := make([]cell, len(y)+1)
	one, f, g := wideOf(1), wideOf(open), wideOf(extend)
	total := one
	for _, a := range x {
		var diagonal, left cell
		for j, b := range y {
			up := row[j+1]
			left = cell{
				wideOf(weights[a][b]).times(one.plus(diagonal.m).plus(diagonal.x).plus(diagonal.y)),
				f.times(up.m).plus(g.times(up.x)),
				f.times(left.m.plus(left.x)).plus(g.times(left.y)),
			}
			diagonal = up
			row[j+1] = left
			total = total.plus(left.m)
		}
	}
	return total.log()
}
