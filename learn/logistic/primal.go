package logistic

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/learn/internal/fitting"
	"github.com/mercer-ml/mercer/learn/internal/sigmoid"
	"github.com/mercer-ml/mercer/trace"
)

// primalUpTo is the number of explicit features up to which Auto solves for their weights.
const primalUpTo = 256

// primal is Newton's method for two classes on the weights u of explicit features φ, f(x) = ⟨u, φ(x)⟩ + b: few unknowns, and a step is
//
//	(Φᵀ·W·Φ + λI)·δ = -(Φᵀg + λu),  W = diag(wᵢpᵢ(1-pᵢ)), g = ℓ',
//
// with a column of ones for b, which is not penalised. The step is halved as Armijo's rule asks. At the optimum λα = -g, so that the
// solution is returned as that of the kernel's own problem, with the certificate of that. It is nil where
// the steps do not get there; then others may.
func (r *logisticRisk) primal(ctx context.Context, phi linalg.Matrix[float64], t int, tol float64, maxIter int, listen trace.Func) (*logisticSolution, error) {
	n, d := phi.Rows, phi.Cols
	x := r.bordered(phi)
	if n*x.Cols*x.Cols < 1<<20 {
		t = 1
	}
	u, grad := make([]float64, x.Cols), make([]float64, x.Cols)
	s, g, ds := make([]float64, n), make([]float64, n), make([]float64, n)
	scaled, hessian := linalg.New[float64](n, x.Cols), linalg.New[float64](x.Cols, x.Cols)
	first, last := 0.0, math.Inf(1)
	for steps := 0; ; steps++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		value := 0.5 * r.lambda * fitting.Dot(u[:d], u[:d])
		for i := range n {
			value += r.point(i, s[i:i+1], g[i:i+1])
		}
		linalg.Gemv(t, linalg.Trans, 1, x, g, 0, grad)
		size := 0.0
		for j := range d {
			grad[j] += r.lambda * u[j]
			size += grad[j] * grad[j] / r.lambda
		}
		if r.intercept {
			size += grad[d] * grad[d] * r.unit
		}
		norm := math.Sqrt(size)
		if steps == 0 {
			first = norm
		}
		if math.IsNaN(norm) || math.IsInf(norm, 0) {
			return nil, nil
		}
		listen.Report(trace.Step{Iteration: steps, Objective: value, Residual: norm})
		// As near as rounding lets it come: the certificate is taken from g alone.
		if norm <= 1e-3*tol*first || norm <= 0.1*tol*first && norm > 0.5*last || steps == maxIter {
			state := make([]float64, 2*n+1)
			for i, v := range g {
				state[i] = -v
			}
			if r.intercept {
				state[2*n] = u[d]
			}
			if out := r.finish(state, first, steps); out.certificate <= tol {
				return out, nil
			}
			return nil, nil
		}
		last = norm
		for i, w := range r.weight {
			p := sigmoid.Of(s[i])
			root, row := math.Sqrt(w*p*(1-p)), scaled.Row(i)
			for j, v := range x.Row(i) {
				row[j] = root * v
			}
		}
		linalg.Gemm(t, linalg.Trans, linalg.NoTrans, 1, scaled, scaled, 0, hessian)
		for j := range d {
			hessian.Set(j, j, hessian.At(j, j)+r.lambda)
		}
		c, err := linalg.NewCholeskyContext(ctx, t, hessian)
		if err != nil {
			return nil, ctx.Err() // all points are beyond doubt, to rounding
		}
		step := append([]float64(nil), grad...)
		c.Solve(t, fitting.Column(step))
		slope := -fitting.Dot(grad, step)
		linalg.Gemv(t, linalg.NoTrans, -1, x, step, 0, ds)
		share, ok := r.armijo(value, slope, s, ds, u[:d], step[:d])
		if !ok {
			return nil, nil
		}
		for j, v := range step {
			u[j] -= share * v
		}
		for i, v := range ds {
			s[i] += share * v
		}
	}
}

// bordered is the features about their mean and a column of ones, or the features alone where there is no intercept.
func (r *logisticRisk) bordered(phi linalg.Matrix[float64]) linalg.Matrix[float64] {
	if !r.intercept {
		return phi
	}
	n, d := phi.Rows, phi.Cols
	x, mean := linalg.New[float64](n, d+1), make([]float64, d)
	for i := range n {
		for j, v := range phi.Row(i) {
			mean[j] += v / float64(n)
		}
	}
	for i := range n {
		row := x.Row(i)
		for j, v := range phi.Row(i) {
			row[j] = v - mean[j]
		}
		row[d] = 1
	}
	return x
}

// armijo is the largest share 1, ½, ¼, … of the step that lowers the objective enough; not ok where none does.
func (r *logisticRisk) armijo(value, slope float64, s, ds, u, step []float64) (share float64, ok bool) {
	uu, us, ss := fitting.Dot(u, u), fitting.Dot(u, step), fitting.Dot(step, step)
	var score, slack [1]float64
	for share = 1; share > 1e-10; share /= 2 {
		next := 0.5 * r.lambda * (uu - 2*share*us + share*share*ss)
		for i := range s {
			score[0] = s[i] + share*ds[i]
			next += r.point(i, score[:], slack[:])
		}
		// Rounding hides a decrease near the end.
		if next <= value+1e-4*share*slope+1e-14*math.Abs(value) {
			return share, true
		}
	}
	return 0, false
}
