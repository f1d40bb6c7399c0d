package svm

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/solve"
)

// svmProblem is one formulation of a support vector machine: its quadratic
// programme, a feasible start, and how its solution reads.
type svmProblem struct {
	qp    solve.BoxQP
	start []float64
	// read turns the multipliers of the groups into the bias b, the width of
	// the tube or margin that ν formulations find (else 0), and the factor that the
	// coefficients are to be multiplied by (1, or 1/ρ for ν-SVC).
	read   func(multiplier []float64) (bias, width, factor float64)
	margin bool // the width is one that rows are told apart by, and 0 says that they are not
	// loss is Σ Cᵢ·ξᵢ of the machine f + b, for the duality gap; nil where the
	// formulation has no such form.
	loss func(f []float64, bias float64) float64
	// wantValues asks for the values of the machine at its points.
	wantValues bool
}

// cSVC is  min_{w,b,ξ} ½‖w‖² + Σ Cᵢ ξᵢ  with  yᵢ f(xᵢ) ≥ 1 - ξᵢ, ξ ≥ 0; its dual is
// min_α ½ αᵀQα - Σαᵢ with 0 ≤ αᵢ ≤ Cᵢ, yᵀα = 0, Qᵢⱼ = yᵢyⱼk(xᵢ, xⱼ).
func cSVC(y, c []float64) svmProblem {
	n := len(y)
	q := solve.BoxQP{Linear: y, Lower: make([]float64, n), Upper: make([]float64, n)}
	for i := range y {
		if y[i] > 0 {
			q.Upper[i] = c[i]
		} else {
			q.Lower[i] = -c[i]
		}
	}
	return svmProblem{
		qp: q, start: make([]float64, n),
		read: func(m []float64) (float64, float64, float64) { return m[0], 0, 1 },
		loss: func(f []float64, b float64) float64 {
			s := 0.0
			for i := range y {
				if xi := 1 - y[i]*(f[i]+b); xi > 0 && c[i] > 0 {
					s += c[i] * xi
				}
			}
			return s
		},
	}
}

// nuSVC is  min_{w,b,ξ,ρ} ½‖w‖² - νρ + (1/n) Σ ξᵢ  with  yᵢ f(xᵢ) ≥ ρ - ξᵢ  (Schölkopf
// et al. 2000), scaled by ρ at the end so that margins are at ±1 again. ν
// bounds the share of margin errors from above and of support vectors from below.
func nuSVC(y, weight []float64, nu float64) (svmProblem, error) {
	n := len(y)
	q := solve.BoxQP{
		Linear: make([]float64, n), Lower: make([]float64, n), Upper: make([]float64, n),
		Group: make([]uint8, n), Groups: 2,
	}
	var total float64
	var side [2]float64
	for i := range y {
		g := 0
		if y[i] > 0 {
			q.Upper[i] = weight[i]
		} else {
			g, q.Lower[i] = 1, -weight[i]
		}
		q.Group[i] = uint8(g)
		side[g] += weight[i]
		total += weight[i]
	}
	need := nu * total / 2
	if most := 2 * min(side[0], side[1]) / total; nu > most {
		return svmProblem{}, fmt.Errorf("Nu = %g cannot be met: with these classes and weights it is at most %.6g", nu, most)
	}
	start := make([]float64, n)
	for g, left := range []float64{need, need} {
		for i := range y {
			if int(q.Group[i]) != g {
				continue
			}
			a := min(weight[i], left)
			left -= a
			start[i] = math.Copysign(a, y[i])
		}
	}
	return svmProblem{
		qp: q, start: start,
		// z = -f is b - ρ on free positive points, b + ρ on free negative ones.
		// Where the kernel cannot tell the classes apart ρ is 0, and there is
		// nothing to scale by: f stays as it is.
		read: func(m []float64) (float64, float64, float64) {
			rho := (m[1] - m[0]) / 2
			factor := 1 / rho
			if math.IsInf(factor, 0) {
				rho, factor = 0, 1
			}
			return (m[0] + m[1]) / 2, rho, factor
		},
		margin: true,
	}, nil
}

// epsilonSVR is  min ½‖w‖² + Σ Cᵢ (ξᵢ + ξᵢ*)  with  -ε - ξᵢ* ≤ f(xᵢ) - yᵢ ≤ ε + ξᵢ; its
// dual has two variables for each point, β⁺ ∈ [0, Cᵢ] and β⁻ ∈ [-Cᵢ, 0].
func epsilonSVR(y, c []float64, epsilon float64) svmProblem {
	p := tube(y, c)
	for i, v := range y {
		p.qp.Linear[i], p.qp.Linear[i+len(y)] = v-epsilon, v+epsilon
	}
	p.start = make([]float64, 2*len(y))
	p.read = func(m []float64) (float64, float64, float64) { return m[0], epsilon, 1 }
	p.loss = func(f []float64, b float64) float64 {
		s := 0.0
		for i := range y {
			if xi := math.Abs(f[i]+b-y[i]) - epsilon; xi > 0 {
				s += c[i] * xi
			}
		}
		return s
	}
	return p
}

// nuSVR is  min ½‖w‖² + C (νnε + Σ (ξᵢ + ξᵢ*))  over ε as well: ν bounds the
// share of points outside the tube from above and of support vectors from below.
func nuSVR(y, c []float64, nu float64) svmProblem {
	n := len(y)
	p := tube(y, c)
	p.qp.Group, p.qp.Groups = make([]uint8, 2*n), 2
	total := 0.0
	for i, v := range y {
		p.qp.Linear[i], p.qp.Linear[i+n] = v, v
		p.qp.Group[i+n] = 1
		total += c[i]
	}
	p.start = make([]float64, 2*n)
	left := nu * total / 2
	for i := range y {
		a := min(c[i], left)
		left -= a
		p.start[i], p.start[i+n] = a, -a
	}
	// z = y - f is b + ε on free upper variables, b - ε on free lower ones.
	p.read = func(m []float64) (float64, float64, float64) {
		return (m[0] + m[1]) / 2, (m[0] - m[1]) / 2, 1
	}
	return p
}

// tube is what the two regression formulations share.
func tube(y, c []float64) svmProblem {
	n := len(y)
	q := solve.BoxQP{
		Point: make([]int, 2*n), Linear: make([]float64, 2*n),
		Lower: make([]float64, 2*n), Upper: make([]float64, 2*n),
	}
	for i := range n {
		q.Point[i], q.Point[i+n] = i, i
		q.Upper[i], q.Lower[i+n] = c[i], -c[i]
	}
	return svmProblem{qp: q}
}

// oneClass is  min_{w,ξ,ρ} ½‖w‖² - ρ·νn + Σ ξᵢ  with  ⟨w, φ(xᵢ)⟩ ≥ ρ - ξᵢ
// (Schölkopf et al. 2001); f = ⟨w, φ(·)⟩ - ρ is positive where the data live. ν
// bounds the share of training points left outside from above.
func oneClass(weight []float64, nu float64) svmProblem {
	n := len(weight)
	q := solve.BoxQP{Linear: make([]float64, n), Lower: make([]float64, n), Upper: weight}
	total := 0.0
	for _, w := range weight {
		total += w
	}
	start, left := make([]float64, n), nu*total
	for i, w := range weight {
		start[i] = min(w, left)
		left -= start[i]
	}
	return svmProblem{
		qp: q, start: start,
		read: func(m []float64) (float64, float64, float64) { return m[0], 0, 1 },
	}
}

// nearest moves a guess onto the constraints of the programme, keeping what it can: each variable
// into its box, then the sums of the groups right, by pulling the variables of the heavier side
// towards their other bound in proportion to the room they have.
func nearest(q solve.BoxQP, guess, feasible []float64) []float64 {
	beta := make([]float64, len(guess))
	groups := max(q.Groups, 1)
	need, room := make([]float64, groups), make([][2]float64, groups)
	group := func(t int) int { return groupOf(q, t) }
	for t := range guess {
		beta[t] = min(max(guess[t], q.Lower[t]), q.Upper[t])
		need[group(t)] += feasible[t] - beta[t]
	}
	// Prefer variables that are in use: moving others would add support vectors.
	for pass := range 2 {
		for g := range room {
			room[g] = [2]float64{}
		}
		may := func(t int) bool { return pass == 1 || beta[t] != 0 }
		for t := range beta {
			if may(t) {
				r := &room[group(t)]
				r[0] += q.Upper[t] - beta[t]
				r[1] += beta[t] - q.Lower[t]
			}
		}
		left := append([]float64(nil), need...)
		for t := range beta {
			g := group(t)
			if !may(t) || need[g] == 0 {
				continue
			}
			d := 0.0
			if up := q.Upper[t] - beta[t]; need[g] > 0 && room[g][0] > 0 && up > 0 {
				if !math.IsInf(up, 1) {
					d = up * min(1, need[g]/room[g][0])
				} else {
					d = left[g]
				}
				d = min(d, left[g])
			} else if down := beta[t] - q.Lower[t]; need[g] < 0 && room[g][1] > 0 && down > 0 {
				if !math.IsInf(down, 1) {
					d = -down * min(1, -need[g]/room[g][1])
				} else {
					d = left[g]
				}
				d = max(d, left[g])
			}
			beta[t] += d
			left[g] -= d
		}
		copy(need, left)
	}
	for _, n := range need {
		if math.Abs(n) > 1e-9 {
			return append([]float64(nil), feasible...)
		}
	}
	return beta
}
