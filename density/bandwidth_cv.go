package density

import (
	"context"
	"errors"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/smoothing"
)

// crossValidation scores bandwidths factor·base by leaving each point out of
// its own estimate.
type crossValidation struct {
	x            linalg.Matrix[float64]
	weights      []float64
	smoother     Smoother
	product      bool
	leastSquares bool
	threads      int
}

// widths finds the best multiple of base.
func (c crossValidation) widths(ctx context.Context, base []float64) ([]float64, error) {
	n, d := smoothing.EffectiveSize(c.weights, c.x.Rows), float64(c.x.Cols)
	// Around the normal reference: no density is smoother than about that, and
	// few are worth a thirtieth of it.
	middle := math.Pow(4/((d+2)*n), 1/(d+4)) * c.smoother.kernel().Canonical(c.x.Cols, c.product)
	var overlap *smoothing.Autocorrelation
	if c.leastSquares {
		overlap = smoothing.NewAutocorrelation(c.smoother.kernel(), c.x.Cols, c.product)
	}
	factor, ok := smoothing.MinimiseLog(ctx, middle/32, middle*8, 24,
		func(f float64) float64 { return c.score(ctx, f, base, overlap) })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !ok {
		return nil, errors.New("cross-validation finds no bandwidth: its score falls towards zero width, as with many " +
			"duplicate rows; remove them, or give a bandwidth")
	}
	out := make([]float64, len(base))
	for j, b := range base {
		out[j] = factor * b
	}
	return out, nil
}

// score is minus the mean leave-one-out log-likelihood, or the least-squares
// criterion.
func (c crossValidation) score(
	ctx context.Context, factor float64, base []float64, overlap *smoothing.Autocorrelation,
) float64 {
	m := smoothing.Metric{Widths: make([]float64, len(base))}
	for j, b := range base {
		m.Widths[j] = factor * b
	}
	z := c.x.Clone()
	m.Divide(z)
	logNorm := c.smoother.kernel().LogNorm(z.Cols, c.product) - m.LogDet()
	k := smoothing.NewSum(c.smoother.kernel(), c.product, z, c.weights, nil)
	const grain = 16
	partial := make([]float64, (z.Rows+grain-1)/grain)
	par.For(c.threads, z.Rows, grain, func(lo, hi int) {
		var room smoothing.Room
		q := make([]float64, z.Cols)
		for p := lo; p < hi && ctx.Err() == nil; p++ {
			k.Tree.Point(q, p)
			w := 1 / float64(z.Rows)
			if k.Weight != nil {
				w = k.Weight[p]
			}
			if w == 0 || w == 1 {
				continue
			}
			others := k.LeaveOut(&room, q, p)
			if k.Weight == nil {
				others /= float64(z.Rows)
			}
			partial[lo/grain] += w * c.term(k, &room, q, p, w, others/(1-w), logNorm, overlap)
		}
	})
	s := 0.0
	for _, v := range partial {
		s += v
	}
	return s
}

// term is one point's part of the score; left is Σ_{j≠i} shape/(1-wᵢ).
func (c crossValidation) term(
	k *smoothing.Sum, room *smoothing.Room, q []float64, p int, w, left, logNorm float64,
	overlap *smoothing.Autocorrelation,
) float64 {
	if !c.leastSquares {
		if left < smoothing.Tiny && c.smoother.Support() > 1 {
			top := k.LogLeaveOut(q, p)
			if k.Weight == nil {
				top -= math.Log(float64(k.Tree.N))
			}
			return -(top - math.Log1p(-w) + logNorm)
		}
		return -(math.Log(left) + logNorm)
	}
	// ∫p² = Σᵢ wᵢ Σⱼ wⱼ (k⋆k)(zᵢ-zⱼ)·|H|^{-1/2}
	both := overlap.Sum(k, room, q)
	if k.Weight == nil {
		both /= float64(k.Tree.N)
	}
	det := logNorm - c.smoother.kernel().LogNorm(len(q), c.product)
	return both*math.Exp(det) - 2*left*math.Exp(logNorm)
}
