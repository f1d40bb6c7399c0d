package data

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Rows of one time are on one side of a cut: what is judged lies later than what was fitted, and
// not at the same time. A day of which a half was fitted on is known when the other half is judged.

// TimeHoldout keeps about the last share of rows in order of at apart: those from a time on.
func TimeHoldout(at []float64, share float64) (Fold, error) {
	test, err := testSize(len(at), share)
	if err != nil {
		return Fold{}, err
	}
	order, err := timeOrder(at)
	if err != nil {
		return Fold{}, err
	}
	cuts, err := timeCuts(at, order, []int{len(at) - test})
	if err != nil {
		return Fold{}, err
	}
	return Fold{order[:cuts[0]], order[cuts[0]:]}, nil
}

// TimeOrdered judges on the future only: in order of at, the rows are cut into
// m+1 runs, about equally long; fold i fits on the first i+1 runs and is tested on the next.
func TimeOrdered(at []float64, m int) ([]Fold, error) {
	n := len(at)
	if m < 1 {
		return nil, fmt.Errorf("%d folds; time-ordered folds need at least 1", m)
	}
	if n < m+1 {
		return nil, fmt.Errorf("%d time-ordered folds need %d rows or more; there are %d", m, m+1, n)
	}
	order, err := timeOrder(at)
	if err != nil {
		return nil, err
	}
	wanted := make([]int, m)
	for i := range wanted {
		wanted[i] = (i + 1) * n / (m + 1)
	}
	cuts, err := timeCuts(at, order, wanted)
	if err != nil {
		return nil, err
	}
	cuts = append(cuts, n)
	folds := make([]Fold, m)
	for i := range folds {
		folds[i] = Fold{slices.Clone(order[:cuts[i]]), slices.Clone(order[cuts[i]:cuts[i+1]])}
	}
	return folds, nil
}

// timeCuts are the places nearest to those wanted, which increase, at which a later time begins.
// Each is another one.
func timeCuts(at []float64, order, wanted []int) ([]int, error) {
	var begins []int // of each time but the first
	for i := 1; i < len(order); i++ {
		if at[order[i]] != at[order[i-1]] {
			begins = append(begins, i)
		}
	}
	if len(begins) < len(wanted) {
		return nil, fmt.Errorf("the rows have %s, and %s in time need %d: rows of one time are not cut apart; order them "+
			"by a finer time, or cut them less often",
			count(len(begins)+1, "time"), count(len(wanted), "cut"), len(wanted)+1)
	}
	out := make([]int, len(wanted))
	next := 0
	for k, w := range wanted {
		last := len(begins) - (len(wanted) - k) // the cuts after it need times, too
		best := next
		for i := next; i <= last; i++ {
			if abs(begins[i]-w) < abs(begins[best]-w) {
				best = i
			}
		}
		out[k], next = begins[best], best+1
	}
	return out, nil
}

func abs(x int) int { return max(x, -x) }

func timeOrder(at []float64) ([]int, error) {
	order := make([]int, len(at))
	for i, t := range at {
		if math.IsNaN(t) {
			return nil, fmt.Errorf("row %d has no time, so it cannot be put in order; drop it", i+1)
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(at[a], at[b]) })
	return order, nil
}
