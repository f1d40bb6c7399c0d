package solve

import (
	"context"
	"math"
)

// Newton minimises f from x, which it overwrites, by truncated Newton: each
// direction solves H·d = -g by conjugate gradients in the geometry of f.Dot,
// to the accuracy min(½, √‖g‖/‖g₀‖)·‖g‖ that keeps convergence superlinear
// (Dembo and Steihaug 1983).
func Newton(ctx context.Context, f Curved, x []float64, s Settings) (Minimum, error) {
	run := &descent{Settings: s.withDefaults(), f: f, x: x}
	n := len(x)
	r, p, q := make([]float64, n), make([]float64, n), make([]float64, n)
	first := 0.0
	direction := func(d []float64) {
		if first == 0 {
			first = run.norm
		}
		clear(d)
		for i, v := range run.g {
			r[i] = -v
			p[i] = -v
		}
		hess := f.Hessian(run.x)
		rr := f.Dot(r, r)
		forcing := math.Min(0.5, math.Sqrt(run.norm/first))
		stop := forcing * run.norm
		if run.goal > 0 { // no need to be finer than the goal of the whole run
			stop = math.Max(stop, 0.1*run.goal)
		}
		for it := 0; it < 2*n+10 && rr > stop*stop && ctx.Err() == nil; it++ {
			hess(q, p)
			curve := f.Dot(p, q)
			if !(curve > 1e-18*f.Dot(p, p)) { // flat: what we have descends, or p does
				if it == 0 {
					copy(d, p)
				}
				return
			}
			a := rr / curve
			axpy(d, a, p)
			axpy(r, -a, q)
			next := f.Dot(r, r)
			for i, v := range r {
				p[i] = v + next/rr*p[i]
			}
			rr = next
		}
	}
	return run.run(ctx, direction, func(_, _ []float64) {})
}
