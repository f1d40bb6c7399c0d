package nystrom

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// The path of λ: from where the penalty is all that counts, down by pathStep; one step at each, to
// a tenth, suffices to be near the next solution (Marteau-Ferey, Bach and Rudi 2019, §4). At the
// last λ steps go on, and are solved the better the nearer the end is.
const (
	pathStep    = 10
	roughStep   = 0.1
	finestStep  = 1e-10
	innerSteps  = 200 // of conjugate gradients for one step
	enoughGain  = 1e-4
	leastLength = 1e-6
	mostStale   = 20    // steps at the last λ that do not halve the gradient
	rounding    = 1e-14 // of a sum of losses: at the end there is nothing more to be seen in it
)

// minimise goes down the path to λ. When the context ends the solution is the last finished step,
// beside the error; nil before the first.
func (r *risk) minimise(ctx context.Context, lambda float64) (*solution, error) {
	p, k := r.p, r.p.outputs
	start := time.Now()
	z := linalg.New[float64](r.size, k)
	value, grad, err := r.at(ctx, z)
	if err != nil {
		return nil, err
	}
	scale := fitting.SquaredNorm(grad.Data)
	now := p.weight * meanSquare(p.basis.at) // Σ wφφᵀ is no larger
	s := &solution{condition: 1}
	finish := func(err error) (*solution, error) {
		m := p.basis.dim()
		s.v = z.Slice(0, m, 0, k).Clone()
		s.objective = value + lambda/2*fitting.SquaredNorm(s.v.Data)
		if p.intercept {
			s.bias = append([]float64(nil), z.Row(m)...)
		}
		return s, err
	}
	s.residual = 1
	best, stale := math.Inf(1), 0
	for {
		now = math.Max(now/pathStep, lambda)
		full := r.penalised(grad, z, now)
		if now == lambda {
			s.residual = 0
			if scale > 0 {
				s.residual = math.Sqrt(fitting.SquaredNorm(full.Data) / scale)
			}
			p.Trace.Report(trace.Step{Iteration: s.steps, Objective: value + lambda/2*r.norm(z), Residual: s.residual,
				Elapsed: time.Since(start)})
			if stale++; s.residual < best/2 {
				best, stale = s.residual, 0
			}
			if s.settled = s.residual <= p.Tol; s.settled || s.steps >= p.MaxIterations || stale > mostStale {
				return finish(nil)
			}
		}
		tol := roughStep
		if now == lambda {
			tol = math.Max(math.Min(roughStep, s.residual), finestStep)
		}
		step, err := r.newton(ctx, s, z, full, now, tol)
		if err != nil {
			return finish(err)
		}
		// Halve the step until the risk at this λ falls.
		before, slope := value+now/2*r.norm(z), 0.0
		for i, g := range full.Data {
			slope += g * step.Data[i]
		}
		length, moved := 1.0, false
		for ; length > leastLength; length /= 2 {
			next := z.Clone()
			for i, d := range step.Data {
				next.Data[i] += length * d
			}
			v, g, err := r.at(ctx, next)
			if err != nil {
				return finish(err)
			}
			if v+now/2*r.norm(next) <= before+enoughGain*length*slope+rounding*math.Abs(before) {
				z, value, grad, moved = next, v, g, true
				break
			}
		}
		if s.steps++; !moved { // rounding leaves nothing to gain
			if now > lambda {
				continue
			}
			return finish(nil)
		}
	}
}

// centre takes their mean off the biases of several classes: what all of them share changes no
// probability. The second derivative is 0 along it, and rounding would let steps go anywhere.
func centre(bias []float64) {
	mean := 0.0
	for _, b := range bias {
		mean += b / float64(len(bias))
	}
	for o := range bias {
		if len(bias) > 1 {
			bias[o] -= mean
		}
	}
}

// meanSquare is the mean of ‖row‖².
func meanSquare(m linalg.Matrix[float64]) float64 {
	sum := 0.0
	for i := range m.Rows {
		sum += fitting.SquaredNorm(m.Row(i)) / float64(m.Rows)
	}
	return sum
}

// norm is ‖v‖² of z = [v; b].
func (r *risk) norm(z linalg.Matrix[float64]) float64 {
	return fitting.SquaredNorm(z.Data[:r.p.basis.dim()*z.Cols])
}

// penalised is the gradient with that of the penalty.
func (r *risk) penalised(grad, z linalg.Matrix[float64], lambda float64) linalg.Matrix[float64] {
	out := grad.Clone()
	for i := range out.Data[:r.p.basis.dim()*z.Cols] {
		out.Data[i] += lambda * z.Data[i]
	}
	return out
}

// newton is the step -H⁻¹g to a tolerance.
func (r *risk) newton(
	ctx context.Context, s *solution, z, grad linalg.Matrix[float64], lambda, tol float64,
) (linalg.Matrix[float64], error) {
	n := len(grad.Data)
	step := linalg.New[float64](r.size, z.Cols)
	pre, err := r.known(ctx, z, lambda)
	if err != nil {
		return step, err
	}
	biases := grad.Data[r.p.basis.dim()*z.Cols:] // none without an intercept
	centre(biases)
	b := mat.NewDense(n, 1, nil)
	for i, g := range grad.Data {
		b.Set(i, 0, -g)
	}
	inner := &failable{Context: ctx}
	res, err := solve.CG{Precond: pre, Tol: tol, MaxIter: innerSteps}.Solve(inner, &curvature{r, z, lambda, inner},
		mat.NewDense(n, 1, step.Data), b)
	centre(step.Data[len(grad.Data)-len(biases):])
	s.condition = math.Max(s.condition, res.Condition())
	var flat *solve.NotPositive
	if errors.As(err, &flat) && fitting.SquaredNorm(step.Data) > 0 {
		err = nil // biases that all classes share change nothing: rounding may see them bend down
	}
	return step, err
}
