package solve

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// heldVariables are the equations eᵀδ = 0 of a Newton step: a column e for each
// group, whose sum is kept, and for each variable that was put on its bound.
type heldVariables struct {
	set     []int
	columns []linalg.Matrix[float64] // K⁻¹e; of the last ones, which new says, e itself
	new     int
	members [][]int // where e is 1
}

func (s *smo[F]) heldVariables(set []int) *heldVariables {
	h := &heldVariables{set: set}
	for g := range s.q.Groups {
		var members []int
		for a, t := range set {
			if s.group(t) == g {
				members = append(members, a)
			}
		}
		if len(members) > 0 { // without a free variable there is nothing to keep
			h.add(members)
		}
	}
	return h
}

// hold keeps the variable at place a of the set where it is.
func (h *heldVariables) hold(a int) { h.add([]int{a}) }

func (h *heldVariables) add(members []int) {
	e := linalg.New[float64](len(h.set), 1)
	for _, a := range members {
		e.Set(a, 0, 1)
	}
	h.columns, h.members, h.new = append(h.columns, e), append(h.members, members), h.new+1
}

// solve replaces the new columns e by K⁻¹e.
func (h *heldVariables) solve(threads int, c *linalg.Cholesky) {
	for ; h.new > 0; h.new-- {
		c.Solve(threads, h.columns[len(h.columns)-h.new])
	}
}

// balanced is δ = r - Σ b_i K⁻¹e_i, r = K⁻¹z, with the multipliers b that make every e_iᵀδ
// vanish: the system of the e_iᵀK⁻¹e_j is positive definite and small.
func (h *heldVariables) balanced(r linalg.Matrix[float64]) ([]float64, bool) {
	count := len(h.columns)
	at := func(i int, v linalg.Matrix[float64]) (sum float64) {
		for _, a := range h.members[i] {
			sum += v.At(a, 0)
		}
		return sum
	}
	system, right := linalg.New[float64](count, count), linalg.New[float64](count, 1)
	for i := range count {
		for j := range i + 1 {
			system.Set(i, j, at(i, h.columns[j]))
		}
		right.Set(i, 0, at(i, r))
	}
	c, err := linalg.NewCholesky(1, system)
	if err != nil {
		return nil, false
	}
	c.Solve(1, right)
	delta := make([]float64, len(h.set))
	for a := range delta {
		delta[a] = r.At(a, 0)
		for i := range count {
			delta[a] -= right.At(i, 0) * h.columns[i].At(a, 0)
		}
	}
	for _, members := range h.members {
		if len(members) == 1 {
			delta[members[0]] = 0 // exactly
		}
	}
	return delta, h.keepsSums(delta)
}

// keepsSums says whether a step leaves the sums of the groups as they are. Where K is of a lower rank
// than there are variables, δ is the difference of columns of the size of one over the ridge, and
// what their rounding makes of a sum is no step within the constraints.
func (h *heldVariables) keepsSums(delta []float64) bool {
	for _, members := range h.members {
		sum, size := 0.0, 0.0
		for _, a := range members {
			sum += delta[a]
			size += math.Abs(delta[a])
		}
		if math.Abs(sum) > mostDrift*size {
			return false
		}
	}
	return true
}

// mostDrift is what a step may change the sum of a group by, of the sum of its sizes. Steps of 10⁶,
// as a hard margin has on its way, keep no more digits, and lead there.
const mostDrift = 1e-6
