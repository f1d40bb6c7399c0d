package logistic

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/internal/learn/sigmoid"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// ordinalRisk is the objective of grades on a Gram matrix. By the identity of gradeChances the loss
// of a point of grade y is
//
//	log(1 + e^{f-θ_y}) + log(1 + e^{θ_{y-1}-f}) - log(1 - e^{θ_{y-1}-θ_y}),
//
// without the first at the highest grade and without the second at the lowest, and the last only
// between: sums of convex functions, whose derivatives are sigmoids.
type ordinalRisk struct {
	k       linalg.Matrix[float64]
	lambda  float64
	code    []int
	weight  []float64
	grades  int
	threads int
}

// ordinalState is a place: α, f = Kα and the thresholds.
type ordinalState struct{ alpha, f, theta []float64 }

type ordinalSolution struct {
	alpha, theta       []float64
	value, certificate float64
	steps              int
}

// ordinalSlope is the first and second derivatives there: by f of each point; by f and the
// thresholds above and below it; and by the thresholds, whose second derivatives are in three
// diagonals.
type ordinalSlope struct {
	byF, curve, above, below []float64
	byTheta                  []float64
	second                   *mat.SymDense
}

// softplus is log(1 + e^t).
func softplus(t float64) float64 {
	if t > 0 {
		return t + math.Log1p(math.Exp(-t))
	}
	return math.Log1p(math.Exp(t))
}

// value is the objective; infinite where thresholds do not increase.
func (r *ordinalRisk) value(s ordinalState) float64 {
	for k := 1; k < len(s.theta); k++ {
		if !(s.theta[k] > s.theta[k-1]) {
			return math.Inf(1)
		}
	}
	total := 0.0
	for i, y := range r.code {
		loss := 0.0
		if y < len(s.theta) {
			loss += softplus(s.f[i] - s.theta[y])
		}
		if y > 0 {
			loss += softplus(s.theta[y-1] - s.f[i])
		}
		if y > 0 && y < len(s.theta) {
			loss -= math.Log(-math.Expm1(s.theta[y-1] - s.theta[y]))
		}
		total += r.weight[i]*loss + r.lambda/2*s.alpha[i]*s.f[i]
	}
	return total
}

// slope is the derivatives.
func (r *ordinalRisk) slope(s ordinalState) ordinalSlope {
	n, m := len(r.code), len(s.theta)
	out := ordinalSlope{make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, m),
		mat.NewSymDense(m, nil)}
	add := func(a, b int, v float64) { out.second.SetSym(a, b, out.second.At(a, b)+v) }
	for i, y := range r.code {
		w := r.weight[i]
		if y < m {
			p := sigmoid.Of(s.f[i] - s.theta[y])
			out.byF[i] += w * p
			out.byTheta[y] -= w * p
			out.above[i] = w * p * (1 - p)
			add(y, y, out.above[i])
		}
		if y > 0 {
			p := sigmoid.Of(s.theta[y-1] - s.f[i])
			out.byF[i] -= w * p
			out.byTheta[y-1] += w * p
			out.below[i] = w * p * (1 - p)
			add(y-1, y-1, out.below[i])
		}
		if y > 0 && y < m {
			d := s.theta[y] - s.theta[y-1]
			q := 1 / math.Expm1(d)
			h := q * (1 + q) // e^d/(e^d - 1)²
			out.byTheta[y] -= w * q
			out.byTheta[y-1] += w * q
			add(y, y, w*h)
			add(y-1, y-1, w*h)
			add(y-1, y, -w*h)
		}
		out.curve[i] = out.above[i] + out.below[i]
	}
	return out
}

// start is f = 0 and the thresholds of the shares of the grades, each of which has some weight.
func (r *ordinalRisk) start() ordinalState {
	n := len(r.code)
	s := ordinalState{make([]float64, n), make([]float64, n), make([]float64, r.grades-1)}
	share, total := make([]float64, r.grades), 0.0
	for i, y := range r.code {
		share[y] += r.weight[i]
		total += r.weight[i]
	}
	sum := 0.0
	for k := range s.theta {
		sum += share[k]
		s.theta[k] = math.Log(sum) - math.Log(total-sum)
	}
	return s
}

// newton minimises by Newton's method with a line search. With r = ℓ' + λα, W = ℓ” by f, C that by
// f and θ (negative where they pull together) and H that by θ, a step solves
//
//	(WK + λI)·δα + C·δθ = -r,   CᵀK·δα + H·δθ = -ℓ'_θ:
//
// the first by A⁻¹ = (WK + λI)⁻¹ = (I - √W·B⁻¹·√W·K/λ)/λ, B = I + √W·K·√W/λ, and the second by its
// Schur complement, which has as many rows as there are thresholds.
func (r *ordinalRisk) newton(
	ctx context.Context, tol float64, maxIter int, listen trace.Func,
) (*ordinalSolution, error) {
	s, n := r.start(), len(r.code)
	out := &ordinalSolution{}
	work := linalg.New[float64](n, n)
	first := 0.0
	for ; ; out.steps++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out.value = r.value(s)
		at := r.slope(s)
		rest, image := make([]float64, n), make([]float64, n)
		for i := range rest {
			rest[i] = at.byF[i] + r.lambda*s.alpha[i]
		}
		linalg.Gemv(r.threads, linalg.NoTrans, 1, r.k, rest, 0, image)
		norm := 0.0
		for i := range rest {
			norm += rest[i] * image[i]
		}
		for _, v := range at.byTheta {
			norm += v * v
		}
		norm = math.Sqrt(math.Max(0, norm))
		if out.steps == 0 {
			if first = norm; math.IsNaN(first) || math.IsInf(first, 0) {
				return nil, fmt.Errorf("the gradient at 0 is %g: kernel values overflow; scale the points or the kernel", first)
			}
		}
		out.alpha, out.theta, out.certificate = s.alpha, s.theta, 0
		if first > 0 {
			out.certificate = norm / first
		}
		listen.Report(trace.Step{Iteration: out.steps, Objective: out.value, Residual: norm})
		if norm <= 0.5*tol*first || out.steps == maxIter {
			return out, nil
		}
		da, dt, err := r.step(ctx, at, rest, work)
		if err != nil {
			return nil, err
		}
		df := make([]float64, n)
		linalg.Gemv(r.threads, linalg.NoTrans, 1, r.k, da, 0, df)
		slope := 0.0
		for i := range da {
			slope += image[i] * da[i]
		}
		for k := range dt {
			slope += at.byTheta[k] * dt[k]
		}
		if !(slope < 0) {
			return out, nil // rounding leaves nothing to gain
		}
		next, moved := s, false
		for step := 1.0; step > 1e-12 && !moved; step /= 2 {
			next = ordinalState{along(s.alpha, da, step), along(s.f, df, step), along(s.theta, dt, step)}
			moved = r.value(next) <= out.value+1e-4*step*slope+1e-14*math.Abs(out.value)
		}
		if !moved {
			return out, nil
		}
		s = next
	}
}

func along(x, d []float64, step float64) []float64 {
	out := make([]float64, len(x))
	for i := range out {
		out[i] = x[i] + step*d[i]
	}
	return out
}

// step is Newton's, in α and in the thresholds.
func (r *ordinalRisk) step(
	ctx context.Context, at ordinalSlope, rest []float64, work linalg.Matrix[float64],
) (da, dt []float64, err error) {
	n, m := len(r.code), len(at.byTheta)
	root := make([]float64, n)
	for i, w := range at.curve {
		root[i] = math.Sqrt(w)
	}
	for i := range n {
		row, k := work.Row(i), r.k.Row(i)
		for j := range row {
			row[j] = root[i] * k[j] * root[j] / r.lambda
		}
		row[i]++
	}
	chol, err := linalg.NewCholeskyContext(ctx, r.threads, work)
	if err != nil {
		return nil, nil, fitting.NotPSD(ctx, err)
	}
	inverse := func(v []float64) []float64 { // A⁻¹v
		u := make([]float64, n)
		linalg.Gemv(r.threads, linalg.NoTrans, 1, r.k, v, 0, u)
		for i := range u {
			u[i] *= root[i]
		}
		chol.Solve(r.threads, fitting.Column(u))
		for i := range u {
			u[i] = (v[i] - root[i]*u[i]/r.lambda) / r.lambda
		}
		return u
	}
	cross := make([][]float64, m) // the columns of C
	for k := range cross {
		cross[k] = make([]float64, n)
	}
	for i, y := range r.code {
		if y < m {
			cross[y][i] -= at.above[i]
		}
		if y > 0 {
			cross[y-1][i] -= at.below[i]
		}
	}
	over := func(v []float64) []float64 { // CᵀKv
		u := make([]float64, n)
		linalg.Gemv(r.threads, linalg.NoTrans, 1, r.k, v, 0, u)
		out := make([]float64, m)
		for k := range out {
			for i, c := range cross[k] {
				out[k] += c * u[i]
			}
		}
		return out
	}
	solved, schur := make([][]float64, m), mat.NewSymDense(m, nil)
	for k := range cross {
		solved[k] = inverse(cross[k])
		for j, v := range over(solved[k]) {
			if j <= k {
				schur.SetSym(j, k, at.second.At(j, k)-v)
			}
		}
	}
	ar := inverse(rest)
	right := mat.NewVecDense(m, over(ar))
	for k, g := range at.byTheta {
		right.SetVec(k, right.AtVec(k)-g)
	}
	var small mat.Cholesky
	dt = make([]float64, m)
	if small.Factorize(schur) {
		if err := small.SolveVecTo(mat.NewVecDense(m, dt), right); err != nil {
			return nil, nil, fmt.Errorf("the thresholds cannot be told apart: %w", err)
		}
	} // else they stay for this step, and f alone moves
	da = make([]float64, n)
	for i := range da {
		da[i] = -ar[i]
		for k, v := range dt {
			da[i] -= v * solved[k][i]
		}
	}
	return da, dt, nil
}
