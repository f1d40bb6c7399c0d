package stat

import (
	"context"
	"errors"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
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
	n, d := effectiveSize(c.weights, c.x.Rows), float64(c.x.Cols)
	// Around the normal reference: no density is smoother than about that, and
	// few are worth a thirtieth of it.
	middle := math.Pow(4/((d+2)*n), 1/(d+4)) * c.smoother.canonical(c.x.Cols, c.product)
	var overlap *autocorrelation
	if c.leastSquares {
		overlap = newAutocorrelation(c.smoother, c.x.Cols, c.product)
	}
	factor, ok := minimiseLog(ctx, middle/32, middle*8, 24, func(f float64) float64 { return c.score(ctx, f, base, overlap) })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !ok {
		return nil, errors.New("cross-validation finds no bandwidth: its score falls towards zero width, as with many duplicate rows; remove them or give Bandwidth")
	}
	out := make([]float64, len(base))
	for j, b := range base {
		out[j] = factor * b
	}
	return out, nil
}

// score is minus the mean leave-one-out log-likelihood, or the least-squares
// criterion.
func (c crossValidation) score(ctx context.Context, factor float64, base []float64, overlap *autocorrelation) float64 {
	m := bandwidthMetric{widths: make([]float64, len(base))}
	for j, b := range base {
		m.widths[j] = factor * b
	}
	z := c.x.Clone()
	m.divide(z)
	logNorm := c.smoother.logNorm(z.Cols, c.product) - m.logDet()
	k := newKernelSum(c.smoother, c.product, z, c.weights, nil)
	const grain = 16
	partial := make([]float64, (z.Rows+grain-1)/grain)
	par.For(c.threads, z.Rows, grain, func(lo, hi int) {
		var room rowRoom
		q := make([]float64, z.Cols)
		for p := lo; p < hi && ctx.Err() == nil; p++ {
			k.tree.point(q, p)
			w := 1 / float64(z.Rows)
			if k.weight != nil {
				w = k.weight[p]
			}
			if w == 0 || w == 1 {
				continue
			}
			others := k.leaveOut(&room, q, p)
			if k.weight == nil {
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
func (c crossValidation) term(k *kernelSum, room *rowRoom, q []float64, p int, w, left, logNorm float64, overlap *autocorrelation) float64 {
	if !c.leastSquares {
		if left < sumTiny && c.smoother.Support() > 1 {
			top := k.logLeaveOut(q, p)
			if k.weight == nil {
				top -= math.Log(float64(k.tree.n))
			}
			return -(top - math.Log1p(-w) + logNorm)
		}
		return -(math.Log(left) + logNorm)
	}
	// ∫p² = Σᵢ wᵢ Σⱼ wⱼ (k⋆k)(zᵢ-zⱼ)·|H|^{-1/2}
	both := overlap.sum(k, room, q)
	if k.weight == nil {
		both /= float64(k.tree.n)
	}
	det := logNorm - c.smoother.logNorm(len(q), c.product)
	return both*math.Exp(det) - 2*left*math.Exp(logNorm)
}

// leaveOut is the sum at the point of a place without that point.
func (k *kernelSum) leaveOut(room *rowRoom, q []float64, place int) float64 {
	sum := 0.0
	for a := 0; a < k.tree.n; a += rowLength {
		b := min(a+rowLength, k.tree.n)
		row := k.values(room, q, a, b)
		if place >= a && place < b {
			row[place-a] = 0
		}
		if k.weight == nil {
			sum += simd.Asum64(row)
		} else {
			sum += simd.Dot64(row, k.weight[a:b])
		}
	}
	return sum
}

// logLeaveOut is the log of leaveOut, where that underflows.
func (k *kernelSum) logLeaveOut(q []float64, place int) float64 {
	top, sum := math.Inf(-1), 0.0
	for pass := range 2 {
		for p := range k.tree.n {
			if p == place {
				continue
			}
			e := k.logTerm(q, p)
			if pass == 0 {
				top = max(top, e)
			} else {
				sum += math.Exp(e - top)
			}
		}
		if math.IsInf(top, -1) {
			return top
		}
	}
	return top + math.Log(sum)
}

// minimiseLog minimises f over [low, high] on a log scale: a scan, and then
// golden sections around its best place. ok is false when the least value is
// at the lower end.
func minimiseLog(ctx context.Context, low, high float64, steps int, f func(float64) float64) (at float64, ok bool) {
	a, b := math.Log(low), math.Log(high)
	best, value := 0, math.Inf(1)
	for i := range steps + 1 {
		if v := f(math.Exp(a + (b-a)*float64(i)/float64(steps))); v < value {
			best, value = i, v
		}
		if ctx.Err() != nil {
			return 0, false
		}
	}
	if best == 0 {
		return low, false
	}
	width := (b - a) / float64(steps)
	left, right := a+width*float64(best-1), min(b, a+width*float64(best+1))
	const golden = 0.6180339887498949
	u, v := right-golden*(right-left), left+golden*(right-left)
	fu, fv := f(math.Exp(u)), f(math.Exp(v))
	for right-left > 1e-5 && ctx.Err() == nil {
		if fu <= fv {
			right, v, fv = v, u, fu
			u = right - golden*(right-left)
			fu = f(math.Exp(u))
		} else {
			left, u, fu = u, v, fv
			v = left + golden*(right-left)
			fv = f(math.Exp(v))
		}
	}
	return math.Exp((left + right) / 2), true
}
