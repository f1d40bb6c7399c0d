package svm

import (
	"cmp"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/solve"
)

// foldStart is where the machine of a fold, q, begins: at the solution main of all points, whose
// programme is whole, without those that are left out (alpha seeding: DeCoste & Wagstaff 2000). Who
// is at a bound stays at it, wherever the fold has it, and the sums of the groups are made right by
// those whose move costs least by the gradient z = c - f at the solution, each as far as it goes
// before the next one moves. A little from everybody would leave all of them strictly inside their
// boxes, and take a pair update for each, and its row, to undo.
func foldStart(q, whole solve.BoxQP, main *machine, feasible []float64) []float64 {
	beta := make([]float64, len(feasible))
	need := make([]float64, max(q.Groups, 1))
	for t, b := range main.beta {
		switch {
		case b <= whole.Lower[t]:
			beta[t] = q.Lower[t]
		case b >= whole.Upper[t]:
			beta[t] = q.Upper[t]
		default:
			beta[t] = min(max(b, q.Lower[t]), q.Upper[t])
		}
		need[groupOf(q, t)] += feasible[t] - beta[t]
	}
	z := make([]float64, len(beta))
	for t := range z {
		z[t] = q.Linear[t] - main.values[pointOf(q, t)]
	}
	for g, lack := range need {
		if lack = balance(q, beta, z, g, lack); math.Abs(lack) > 1e-9 {
			return append([]float64(nil), feasible...)
		}
	}
	return beta
}

// balance raises (lack > 0) or lowers variables of a group, the cheapest first, until their sum is
// right; it returns what is still lacking.
func balance(q solve.BoxQP, beta, z []float64, group int, lack float64) float64 {
	var order []int
	for t, b := range beta {
		if groupOf(q, t) == group && (lack > 0 && b < q.Upper[t] || lack < 0 && b > q.Lower[t]) {
			order = append(order, t)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		if lack > 0 {
			return cmp.Or(cmp.Compare(z[b], z[a]), cmp.Compare(a, b))
		}
		return cmp.Or(cmp.Compare(z[a], z[b]), cmp.Compare(a, b))
	})
	for _, t := range order {
		room := q.Upper[t] - beta[t]
		if lack < 0 {
			room = q.Lower[t] - beta[t]
		}
		if math.Abs(room) >= math.Abs(lack) {
			beta[t] += lack
			return 0
		}
		// Exactly at its bound: it counts as such.
		if beta[t] = q.Upper[t]; lack < 0 {
			beta[t] = q.Lower[t]
		}
		lack -= room
	}
	return lack
}

func groupOf(q solve.BoxQP, t int) int {
	if q.Group == nil {
		return 0
	}
	return int(q.Group[t])
}
