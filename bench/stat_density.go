package main

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	estimate "github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// statDensity is the rows of kernel density estimation.
func statDensity() []Case {
	return []Case{
		density("KDE 100 000 points, 10 000 queries, 2-D Gaussian, exact", 0, 1e-12),
		density("KDE 100 000 points, 10 000 queries, 2-D Gaussian, rtol 1e-4", 1e-4, 2e-4),
	}
}

// density is the log-density of a standard normal sample with Scott's bandwidth
// n^(-1/(d+4)), which is scikit-learn's bandwidth="scott", the estimator made
// ready outside the timing on both sides. Densities agree to the relative error tol.
func density(work string, rtol, tol float64) Case {
	h := math.Pow(100_000, -1./6)
	return Case{Work: work, Bar: 60, Peer: "kde", Args: map[string]any{"h": h, "rtol": rtol}, Prepare: func() Work {
		ctx := context.Background()
		x, q := random(100_000, 2, 41), random(10_000, 2, 42)
		m, err := estimate.KDE{Bandwidth: h, RelTol: rtol}.Fit(ctx, data.RowsOf(x))
		if err != nil {
			panic(err)
		}
		logs := make([]float64, q.Rows)
		return Work{
			Inputs: Inputs{"x": array(x), "q": array(q)},
			Run: func() {
				if err := m.LogDensityTo(ctx, logs, data.RowsOf(q)); err != nil {
					panic(err)
				}
			},
			Check: func(t Inputs) error {
				for i, theirs := range t["result"].Data {
					// The peer works with logs of partial sums: against long double it is off
					// by up to 1.2e-11 on such data, a plain float64 loop by 3e-15
					// (fixtures/kde_gap.py). Ours is held to tol below.
					if e := math.Abs(math.Expm1(logs[i] - theirs)); !(e <= max(tol, 1e-10)) {
						return fmt.Errorf("density of query %d is off by a relative %g from theirs", i, e)
					}
				}
				for i := 0; i < q.Rows; i += 100 {
					if e := math.Abs(math.Expm1(logs[i] - exactLogDensity(x, q.Row(i), h))); !(e <= tol) {
						return fmt.Errorf("density of query %d is off by a relative %g from a compensated sum", i, e)
					}
				}
				return nil
			},
		}
	}}
}

// exactLogDensity is the definition, with a compensated sum (Kahan 1965).
func exactLogDensity(x linalg.Matrix[float64], q []float64, h float64) float64 {
	sum, lost := 0.0, 0.0
	for i := range x.Rows {
		a, b := (x.At(i, 0)-q[0])/h, (x.At(i, 1)-q[1])/h
		term := math.Exp(-(a*a+b*b)/2) - lost
		next := sum + term
		lost = (next - sum) - term
		sum = next
	}
	return math.Log(sum / (2 * math.Pi * h * h * float64(x.Rows)))
}
