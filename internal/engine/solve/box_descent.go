package solve

import (
	"context"
	"math"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/trace"
)

// BoxDescent solves a BoxQP without its sums: ½βᵀKβ - cᵀβ within bounds, from 0, by the coordinate
// whose best step gains most (the second-order rule of Gauss and Southwell). column writes column j
// of K; Point and Group of the programme are not looked at. The certificate, Violation, is the
// largest |∂ᵢ| of a coordinate that may move: 0 exactly at the optimum.
func BoxDescent(
	ctx context.Context, q BoxQP, diag []float64, column func(dst []float64, j int), o SMOOptions,
) (*SMOResult, error) {
	start := time.Now()
	n := len(q.Linear)
	if o.Tol == 0 {
		o.Tol = 1e-3
	}
	most := o.MaxIterations
	if most == 0 {
		most = max(10_000_000, 1000*n)
	}
	r := &SMOResult{Beta: make([]float64, n), F: make([]float64, n)}
	col := make([]float64, n)
	for r.Iterations = 0; ; r.Iterations++ {
		best, step, gain := -1, 0.0, 0.0
		r.Violation = 0
		for i, c := range q.Linear {
			z := c - r.F[i]
			if z > 0 && r.Beta[i] >= q.Upper[i] || z < 0 && r.Beta[i] <= q.Lower[i] || z == 0 {
				continue
			}
			r.Violation = max(r.Violation, math.Abs(z))
			d := math.Copysign(math.Inf(1), z)
			if diag[i] > 0 {
				d = z / diag[i]
			}
			d = min(max(d, q.Lower[i]-r.Beta[i]), q.Upper[i]-r.Beta[i])
			if math.IsInf(d, 0) {
				return nil, ErrUnbounded
			}
			if g := d*z - d*d*diag[i]/2; g > gain {
				best, step, gain = i, d, g
			}
		}
		r.Converged = r.Violation <= o.Tol
		if r.Converged || best < 0 || r.Iterations == most {
			break
		}
		if r.Iterations%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		column(col, best)
		r.RowsComputed++
		r.Beta[best] = min(max(r.Beta[best]+step, q.Lower[best]), q.Upper[best])
		simd.Axpy(step, col, r.F)
		if r.Iterations%n == 0 {
			o.Trace.Report(trace.Step{Iteration: r.Iterations, Objective: boxObjective(q, r), Residual: r.Violation,
				Elapsed: time.Since(start)})
		}
	}
	r.Objective, r.Elapsed = boxObjective(q, r), time.Since(start)
	return r, nil
}

// boxObjective is ½βᵀKβ - cᵀβ.
func boxObjective(q BoxQP, r *SMOResult) float64 {
	sum := 0.0
	for i, b := range r.Beta {
		sum += b * (r.F[i]/2 - q.Linear[i])
	}
	return sum
}
