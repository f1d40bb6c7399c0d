package sparse

import (
	"context"
	"math"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/trace"
)

// relevance is the state of sparse Bayesian learning: which basis functions
// are in the model with which precisions α, the posterior N(μ, Σ) of their
// weights, and for every basis function m, in the model or not,
//
//	S_m = φ_mᵀC⁻¹φ_m,  Q_m = φ_mᵀC⁻¹t,  C = noise + Φ A⁻¹ Φᵀ,
//
// from which the change of the evidence by adding, deleting or re-estimating
// any single α follows in closed form (Tipping and Faul 2003, eqs 22-24).
type relevance struct {
	basis  linalg.Matrix[float64] // row m is basis function m at all points
	active []int                  // in the order they came in
	slot   []int                  // place of m in active, or -1
	alpha  []float64              // for each active
	mu     []float64
	sigma  linalg.Matrix[float64] // Σ, in the leading rows and columns
	s, q   []float64              // S and Q of every basis function
	log    float64                // log evidence
}

func newRelevance(basis linalg.Matrix[float64]) relevance {
	r := relevance{basis: basis, slot: make([]int, basis.Rows), s: make([]float64, basis.Rows),
		q: make([]float64, basis.Rows)}
	for m := range r.slot {
		r.slot[m] = -1
	}
	return r
}

type relevanceMove int

const (
	addBasis relevanceMove = iota
	reestimateBasis
	deleteBasis
)

// best is the change of one α that raises the evidence most, and by how much.
func (r *relevance) best() (move relevanceMove, at int, alpha, gain float64) {
	at = -1
	for m, s := range r.s {
		q := r.q[m]
		a := r.slot[m]
		if a < 0 {
			if !(s > 0) || !(q*q > s) {
				continue
			}
			if g := ((q*q-s)/s + math.Log(s/(q*q))) / 2; g > gain {
				move, at, alpha, gain = addBasis, m, s*s/(q*q-s), g
			}
			continue
		}
		old := r.alpha[a]
		rest := old - s // α(1 - αΣ) > 0 but for rounding
		if !(rest > 1e-14*old) {
			continue
		}
		outS, outQ := old*s/rest, old*q/rest
		if theta := outQ*outQ - outS; theta > 0 {
			next := outS * outS / theta
			d := 1/next - 1/old
			if d == 0 || math.IsInf(next, 0) {
				continue
			}
			if g := (q*q/(s+1/d) - math.Log1p(s*d)) / 2; g > gain {
				move, at, alpha, gain = reestimateBasis, m, next, g
			}
		} else if g := (q*q/(s-old) - math.Log(rest/old)) / 2; g > gain {
			move, at, alpha, gain = deleteBasis, m, math.Inf(1), g
		}
	}
	return move, at, alpha, gain
}

// enter makes room for basis function m as the last active one.
func (r *relevance) enter(m int, alpha float64) {
	a := len(r.active)
	r.slot[m] = a
	r.active, r.alpha, r.mu = append(r.active, m), append(r.alpha, alpha), append(r.mu, 0)
	if a+1 > r.sigma.Rows {
		wide := linalg.New[float64](2*a+8, 2*a+8)
		for i := range a {
			copy(wide.Row(i), r.sigma.Row(i)[:a])
		}
		r.sigma = wide
	}
}

// leave takes the active function at place a out.
func (r *relevance) leave(a int) {
	n := len(r.active)
	r.slot[r.active[a]] = -1
	for b := a + 1; b < n; b++ {
		r.slot[r.active[b]]--
	}
	r.active = append(r.active[:a], r.active[a+1:]...)
	r.alpha = append(r.alpha[:a], r.alpha[a+1:]...)
	r.mu = append(r.mu[:a], r.mu[a+1:]...)
	for i := 0; i < n; i++ {
		row := r.sigma.Row(i)
		copy(row[a:n-1], row[a+1:n])
	}
	for i := a; i+1 < n; i++ {
		copy(r.sigma.Row(i)[:n-1], r.sigma.Row(i + 1)[:n-1])
	}
}

// gaussianRelevance is sparse Bayesian regression: t = Φw + noise of precision β.
type gaussianRelevance struct {
	relevance
	threads int
	t       []float64
	count   float64 // points of positive weight
	energy  float64 // tᵀt
	beta    float64
	norm    []float64   // φ_mᵀφ_m
	corr    []float64   // φ_mᵀt
	cross   [][]float64 // for each active a: φ_mᵀφ_a for all m
}

func newGaussianRelevance(threads int, basis linalg.Matrix[float64], t []float64, beta float64) *gaussianRelevance {
	g := &gaussianRelevance{relevance: newRelevance(basis), threads: threads, t: t, beta: beta, count: float64(len(t)),
		energy: fitting.SquaredNorm(t), norm: make([]float64, basis.Rows), corr: make([]float64, basis.Rows)}
	for m := range g.norm {
		g.norm[m] = fitting.SquaredNorm(basis.Row(m))
	}
	linalg.Gemv(threads, linalg.NoTrans, 1, basis, t, 0, g.corr)
	return g
}

// refresh computes Σ, μ, S, Q and the evidence from α and β alone.
func (g *gaussianRelevance) refresh(ctx context.Context) error {
	a := len(g.active)
	h := linalg.New[float64](a, a)
	logAlpha := 0.0
	for i := range a {
		for j, m := range g.active {
			h.Set(i, j, g.beta*g.cross[i][m])
		}
		h.Row(i)[i] += g.alpha[i]
		logAlpha += math.Log(g.alpha[i])
		g.mu[i] = g.beta * g.corr[g.active[i]]
	}
	logDet, fit := 0.0, 0.0
	v := linalg.New[float64](a, len(g.s))
	if a > 0 {
		chol, err := linalg.NewCholeskyContext(ctx, g.threads, h)
		if err != nil {
			return err
		}
		logDet = chol.LogDet()
		if err := chol.SolveContext(ctx, g.threads, fitting.Column(g.mu)); err != nil {
			return err
		}
		for i := range a {
			copy(v.Row(i), g.cross[i])
			fit += g.corr[g.active[i]] * g.mu[i]
		}
		if err := chol.SolveLContext(ctx, g.threads, v); err != nil {
			return err
		}
		inverse, err := chol.InverseContext(ctx, g.threads) // Σ itself is wanted, not a solution
		if err != nil {
			return err
		}
		for i := range a {
			copy(g.sigma.Row(i)[:a], inverse.Row(i))
		}
	}
	for m := range g.s {
		g.s[m] = g.beta * g.norm[m]
		g.q[m] = g.beta * g.corr[m]
	}
	for i := range a {
		for m, w := range v.Row(i) {
			g.s[m] -= g.beta * g.beta * w * w
		}
		simd.Axpy(-g.beta*g.mu[i], g.cross[i], g.q)
	}
	g.log = -(g.count*math.Log(2*math.Pi/g.beta) + logDet - logAlpha + g.beta*(g.energy-fit)) / 2
	return nil
}

// along is v_m = β Σₐ uₐ φ_mᵀφₐ.
func (g *gaussianRelevance) along(u []float64) []float64 {
	v := make([]float64, len(g.s))
	for a, c := range u {
		simd.Axpy(g.beta*c, g.cross[a], v)
	}
	return v
}

// apply makes one move, in O(basis functions · active ones) plus, for an
// addition, one product with the basis (Tipping and Faul 2003, appendix A).
func (g *gaussianRelevance) apply(move relevanceMove, m int, alpha, gain float64) {
	n := len(g.active)
	g.log += gain
	if move == addBasis {
		cross := make([]float64, len(g.s))
		linalg.Gemv(g.threads, linalg.NoTrans, 1, g.basis, g.basis.Row(m), 0, cross)
		variance := 1 / (alpha + g.s[m])
		mean := variance * g.q[m]
		u := make([]float64, n) // βΣΦᵀφ_m
		for i := range u {
			for j, b := range g.active {
				u[i] += g.beta * g.sigma.At(i, j) * cross[b]
			}
		}
		v := g.along(u)
		for i := range v {
			v[i] = g.beta*cross[i] - v[i]
			g.s[i] -= variance * v[i] * v[i]
			g.q[i] -= mean * v[i]
		}
		g.enter(m, alpha)
		g.cross = append(g.cross, cross)
		for i, a := range u {
			row := g.sigma.Row(i)
			simd.Axpy(variance*a, u, row[:n])
			row[n] = -variance * a
			g.sigma.Set(n, i, -variance*a)
			g.mu[i] -= mean * a
		}
		g.sigma.Set(n, n, variance)
		g.mu[n] = mean
		return
	}
	a := g.slot[m]
	u := append([]float64(nil), g.sigma.Row(a)[:n]...)
	scale := 1 / u[a]
	if move == reestimateBasis {
		scale = 1 / (u[a] + 1/(alpha-g.alpha[a]))
		g.alpha[a] = alpha
	}
	mean := g.mu[a]
	for i, v := range g.along(u) {
		g.s[i] += scale * v * v
		g.q[i] += scale * mean * v
	}
	for i, c := range u {
		simd.Axpy(-scale*c, u, g.sigma.Row(i)[:n])
		g.mu[i] -= scale * mean * c
	}
	if move == deleteBasis {
		g.leave(a)
		g.cross = append(g.cross[:a], g.cross[a+1:]...)
	}
}

// noise is the next β: (n - Σ(1 - αΣ))/‖t - Φμ‖².
func (g *gaussianRelevance) noise(most float64) float64 {
	r := append([]float64(nil), g.t...)
	free := g.count
	for i, m := range g.active {
		simd.Axpy(-g.mu[i], g.basis.Row(m), r)
		free -= 1 - g.alpha[i]*g.sigma.At(i, i)
	}
	return math.Min(math.Max(free, 1e-3*g.count)/math.Max(fitting.SquaredNorm(r), 1e-300), most)
}

// rvmStop is how an evidence maximisation ended.
type rvmStop struct {
	steps     int
	gain      float64 // the best single change left
	converged bool
	floored   bool // the noise reached its floor
}

// maximise makes the best single change until none raises the evidence by
// tol. Unless the noise is fixed it is re-estimated between, and the state
// recomputed from scratch, which also clears the rounding of the updates.
func (g *gaussianRelevance) maximise(
	ctx context.Context, tol float64, limit int, fixedNoise bool, most float64, listen trace.Func,
) (rvmStop, error) {
	start := time.Now()
	var out rvmStop
	if err := g.refresh(ctx); err != nil {
		return out, err
	}
	since, exact := 0, true
	for out.steps < limit {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		move, m, alpha, gain := g.best()
		out.gain = gain
		idle := m < 0 || gain <= tol
		if idle || since >= 10+len(g.active) {
			moved := false
			if !fixedNoise {
				next := g.noise(most)
				moved = math.Abs(math.Log(next/g.beta)) > math.Min(1e-6, math.Sqrt(tol))
				g.beta, out.floored = next, next == most
			}
			if idle && !moved && exact {
				out.converged = true
				return out, nil
			}
			if err := g.refresh(ctx); err != nil {
				return out, err
			}
			since, exact = 0, true
			out.steps++
			continue
		}
		g.apply(move, m, alpha, gain)
		out.steps++
		since++
		exact = false
		listen.Report(trace.Step{Iteration: out.steps, Objective: -g.log, Residual: gain, Elapsed: time.Since(start)})
	}
	return out, g.refresh(ctx)
}
