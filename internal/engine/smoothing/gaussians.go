package smoothing

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
)

// Gaussians is the mixture Σ πₖ·N(x | μₖ, Σₖ).
type Gaussians struct {
	Weights []float64              // π
	Means   linalg.Matrix[float64] // μ, a row a component
	Chols   []*linalg.Cholesky     // of Σ
}

// Evaluate sets resp[i, k] = p(k|xᵢ) and logs[i] = log p(xᵢ), in the log domain.
func (g Gaussians) Evaluate(ctx context.Context, t int, x, resp linalg.Matrix[float64], logs []float64) error {
	d := x.Cols
	constant := make([]float64, len(g.Weights))
	for k, w := range g.Weights {
		constant[k] = math.Log(w) - float64(d)/2*math.Log(2*math.Pi) - g.Chols[k].LogDet()/2
	}
	par.For(t, x.Rows, 64, func(lo, hi int) {
		u := make([]float64, d)
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			row, at, top := resp.Row(i), x.Row(i), math.Inf(-1)
			for k := range row {
				s, mean, l := 0.0, g.Means.Row(k), g.Chols[k].L
				for j := range u {
					v := at[j] - mean[j]
					lj := l.Row(j)
					for b := range j {
						v -= lj[b] * u[b]
					}
					u[j] = v / lj[j]
					s += u[j] * u[j]
				}
				row[k] = constant[k] - s/2
				top = max(top, row[k])
			}
			sum := 0.0
			for k, v := range row {
				row[k] = math.Exp(v - top)
				sum += row[k]
			}
			for k := range row {
				row[k] /= sum
			}
			logs[i] = top + math.Log(sum)
		}
	})
	return ctx.Err()
}
