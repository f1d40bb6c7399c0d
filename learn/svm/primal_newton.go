package svm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/trace"
)

// newtonPrimal is one machine of a PrimalClassification.
type newtonPrimal struct {
	k     linalg.Matrix[float64] // kernel matrix of all training points
	index []int                  // those of this machine
	y, c  []float64
	huber float64
	o     Options
	limit int
}

// loss is C·ℓ and the coefficient -C·ℓ′·y that a point with value f asks for;
// curved says whether ℓ″ > 0 there.
func (p *newtonPrimal) loss(i int, f float64) (value, want float64, curved bool) {
	m, h := p.y[i]*f, p.huber
	switch {
	case p.c[i] == 0:
		return 0, 0, false
	case h == 0 && m < 1:
		return p.c[i] * (1 - m) * (1 - m), 2 * p.c[i] * (1 - m) * p.y[i], true
	case h == 0 || m > 1+h:
		return 0, 0, false
	case m < 1-h:
		return p.c[i] * (1 - m), p.c[i] * p.y[i], false
	}
	return p.c[i] * (1 + h - m) * (1 + h - m) / (4 * h), p.c[i] * (1 + h - m) / (2 * h) * p.y[i], true
}

// solve takes Newton steps from zero. At a point in the curved part of the loss the step makes βᵢ
// what the quadratic asks for, r βᵢ = target - f(xᵢ) with r = 1/(2C) (or 2h/C); elsewhere βᵢ is
// what the loss asks for already. A step is halved until the objective falls.
//
// A narrow corner (small h) leaves Newton's quadratic model right only nearby,
// so h comes down from 1/2 by steps of 4, each solution the start of the next.
func (p *newtonPrimal) solve(ctx context.Context) (*machine, error) {
	n, start := len(p.y), time.Now()
	beta, f, bias := make([]float64, n), make([]float64, n), 0.0
	out := &machine{gap: math.NaN()}
	wanted := p.huber
	if wanted > 0 {
		p.huber = max(wanted, 0.5)
	}
	value := p.objective(beta, f, bias)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		residual, sum, scale := 0.0, 0.0, 0.0
		for i := range beta {
			_, want, _ := p.loss(i, f[i]+bias)
			residual = max(residual, math.Abs(beta[i]-want))
			sum += want
			scale = max(scale, p.c[i])
		}
		// Without curvature f need not sum to 0 exactly: ∂/∂b is Σ want.
		out.violation = max(residual, math.Abs(sum)/float64(n)) / scale
		out.converged = out.violation <= p.o.Tol
		p.o.Trace.Report(trace.Step{Iteration: out.steps, Objective: value, Residual: out.violation,
			Elapsed: time.Since(start)})
		if out.steps >= p.limit {
			break
		}
		if out.converged || p.huber > wanted && out.violation < 1e-2 {
			if p.huber == wanted {
				break
			}
			p.huber = max(wanted, p.huber/4)
			value = p.objective(beta, f, bias)
			continue
		}
		target, shift, err := p.step(ctx, beta, f, bias)
		if err != nil {
			return nil, err
		}
		next := p.values(target)
		better := false
		for t := 1.0; t > 1e-12; t /= 2 {
			b2, f2 := mix(beta, target, t), mix(f, next, t)
			s2 := bias + t*(shift-bias)
			if v := p.objective(b2, f2, s2); v < value || t == 1 && v <= value {
				better = v < value
				beta, f, bias, value = b2, f2, s2, v
				break
			}
		}
		out.steps++
		if !better && p.huber == wanted {
			break
		} else if !better {
			p.huber = max(wanted, p.huber/4)
			value = p.objective(beta, f, bias)
		}
	}
	if !out.converged {
		out.warnings = append(out.warnings,
			fmt.Sprintf("stopped after %d Newton steps at a residual of %.3g, above the tolerance %.3g", out.steps,
				out.violation, p.o.Tol))
	}
	out.beta, out.coef, out.bias, out.objective = beta, append([]float64(nil), beta...), bias, value
	return out, nil
}

func mix(from, to []float64, t float64) []float64 {
	out := make([]float64, len(from))
	for i := range out {
		out[i] = from[i] + t*(to[i]-from[i])
	}
	return out
}

func (p *newtonPrimal) objective(beta, f []float64, bias float64) float64 {
	s := 0.0
	for i := range beta {
		v, _, _ := p.loss(i, f[i]+bias)
		s += 0.5*beta[i]*f[i] + v
	}
	return s
}

// values is Kβ.
func (p *newtonPrimal) values(beta []float64) []float64 {
	f := make([]float64, len(beta))
	par.For(p.o.Threads, len(f), 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := p.k.Row(p.index[i])
			for j, b := range beta {
				if b != 0 {
					f[i] += row[p.index[j]] * b
				}
			}
		}
	})
	return f
}

// step solves (K_qq + R) β_q + b = target - K_ql β_l, Σβ = 0, for the points q in the curved part,
// with β_l fixed at what the straight part asks for. With a factor of K_qq + R, b comes from two
// right-hand sides.
func (p *newtonPrimal) step(ctx context.Context, beta, f []float64, bias float64) ([]float64, float64, error) {
	out := make([]float64, len(beta))
	var q []int
	linear := 0.0
	for i := range beta {
		_, want, curved := p.loss(i, f[i]+bias)
		if curved {
			q = append(q, i)
			continue
		}
		out[i] = want
		linear += want
	}
	if len(q) == 0 {
		return out, bias, nil
	}
	straight := p.values(out)
	a, rhs := linalg.New[float64](len(q), len(q)), linalg.New[float64](len(q), 2)
	largest := 0.0
	for r, i := range q {
		row := p.k.Row(p.index[i])
		for s, j := range q[:r+1] {
			a.Row(r)[s] = row[p.index[j]]
		}
		ridge, margin := 1/(2*p.c[i]), 1.0
		if p.huber > 0 {
			ridge, margin = 2*p.huber/p.c[i], 1+p.huber
		}
		a.Row(r)[r] += ridge
		largest = max(largest, a.Row(r)[r])
		rhs.Row(r)[0], rhs.Row(r)[1] = p.y[i]*margin-straight[i], 1
	}
	kept := a.Clone()
	chol, err := linalg.NewCholeskyContext(ctx, p.o.Threads, a)
	for jitter := 1e-14 * largest; err != nil; jitter *= 100 {
		if ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		// C so large that the ridge is lost in rounding.
		var not *linalg.NotPositiveDefinite
		if !errors.As(err, &not) || jitter > 1e-6*largest {
			return nil, 0, fmt.Errorf("the Newton system is not positive definite: %w; is the kernel? (or use a smaller C)", err)
		}
		a.CopyFrom(kept)
		for r := range q {
			a.Row(r)[r] += jitter
		}
		chol, err = linalg.NewCholeskyContext(ctx, p.o.Threads, a)
	}
	if err := chol.SolveContext(ctx, p.o.Threads, rhs); err != nil {
		return nil, 0, err
	}
	top, bottom := linear, 0.0
	for r := range q {
		top += rhs.Row(r)[0]
		bottom += rhs.Row(r)[1]
	}
	b := top / bottom
	for r, i := range q {
		out[i] = rhs.Row(r)[0] - b*rhs.Row(r)[1]
	}
	return out, b, nil
}
