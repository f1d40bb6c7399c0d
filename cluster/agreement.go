package cluster

import (
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/fault"
)

// contingency counts the pairs of labels of two groupings, rows and columns in
// the order in which labels first appear.
func contingency[A, B comparable](a []A, b []B) (counts [][]float64, rows, cols []float64, err error) {
	if len(a) != len(b) {
		return nil, nil, nil, fault.Errorf("cluster", "groupings of %d and %d points", len(a), len(b))
	}
	if len(a) == 0 {
		return nil, nil, nil, fault.Errorf("cluster", "groupings of no points")
	}
	ra, cb := map[A]int{}, map[B]int{}
	for i := range a {
		if _, ok := ra[a[i]]; !ok {
			ra[a[i]] = len(ra)
		}
		if _, ok := cb[b[i]]; !ok {
			cb[b[i]] = len(cb)
		}
	}
	counts = make([][]float64, len(ra))
	for r := range counts {
		counts[r] = make([]float64, len(cb))
	}
	rows, cols = make([]float64, len(ra)), make([]float64, len(cb))
	for i := range a {
		counts[ra[a[i]]][cb[b[i]]]++
		rows[ra[a[i]]]++
		cols[cb[b[i]]]++
	}
	return counts, rows, cols, nil
}

// AdjustedRand is the share of pairs of points that two groupings treat alike,
// corrected for chance (Hubert and Arabie 1985): 1 for equal groupings whatever
// their labels, about 0 for unrelated ones.
func AdjustedRand[A, B comparable](a []A, b []B) (float64, error) {
	counts, rows, cols, err := contingency(a, b)
	if err != nil {
		return 0, err
	}
	pairs := func(v []float64) float64 {
		s := 0.0
		for _, e := range v {
			s += e * (e - 1) / 2
		}
		return s
	}
	both := pairs(slices.Concat(counts...))
	inA, inB := pairs(rows), pairs(cols)
	n := float64(len(a))
	total := n * (n - 1) / 2
	if total == 0 || inA == inB && (inA == 0 || inA == total) {
		return 1, nil // nothing to disagree about
	}
	chance := inA * inB / total
	return (both - chance) / ((inA+inB)/2 - chance), nil
}

// NormalizedMutualInformation is I(a; b) over the mean of the entropies of a
// and b (Strehl and Ghosh 2002, with the arithmetic mean): 1 for equal
// groupings, 0 for independent ones.
func NormalizedMutualInformation[A, B comparable](a []A, b []B) (float64, error) {
	counts, rows, cols, err := contingency(a, b)
	if err != nil {
		return 0, err
	}
	n := float64(len(a))
	entropy := func(v []float64) float64 {
		h := 0.0
		for _, e := range v {
			h -= e / n * math.Log(e/n)
		}
		return h
	}
	ha, hb := entropy(rows), entropy(cols)
	if len(rows) == 1 && len(cols) == 1 {
		return 1, nil
	}
	information := 0.0
	for r, row := range counts {
		for c, v := range row {
			if v > 0 {
				information += v / n * math.Log(v*n/(rows[r]*cols[c]))
			}
		}
	}
	if information <= 0 {
		return 0, nil
	}
	return math.Min(information/((ha+hb)/2), 1), nil
}
