package solve

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/simd"
)

// partPass does pair updates over a whole activePart: the gradient in single
// precision where eps allows it, which halves the time of a pass, and computed
// afresh in double precision from the coefficients afterwards, so that what a
// caller sees as violation is exact whatever rounding did inside.
type partPass struct {
	block          block[float32]
	up, down, diag []float32
	before         []float64
	rows           [][]float32
	weights        []float64
}

// singleRounding is how far the gradient in single precision may have drifted
// after partPairs updates, as a share of its largest entry.
const singleRounding = 2e-5

// solve does at most budget pair updates and brings f up to date.
func (w *partPass) solve(ctx context.Context, p *activePart, q BoxQP, beta, f []float64, eps float64, budget int) (int, error) {
	m := len(beta)
	w.before = append(w.before[:0], beta...)
	size := 1.0
	for t, v := range f {
		size = max(size, math.Abs(q.Linear[t]-v))
	}
	var n int
	var err error
	if eps >= singleRounding*size {
		n, err = w.single(ctx, p, q, beta, f, eps, budget)
	} else {
		n, err = w.double(ctx, p, q, beta, f, eps, budget)
	}
	if err != nil {
		return n, err
	}
	w.rows, w.weights = w.rows[:0], w.weights[:0]
	for t, b := range beta {
		if d := b - w.before[t]; d != 0 {
			w.rows, w.weights = append(w.rows, p.smo.K.Row(t)), append(w.weights, d)
		}
	}
	addRows(1, f[:m], w.rows, w.weights, 0)
	return n, nil
}

func (w *partPass) double(ctx context.Context, p *activePart, q BoxQP, beta, f []float64, eps float64, budget int) (int, error) {
	m := len(beta)
	b := &w.block
	if cap(b.diag) < m {
		b.grow(p.stride)
	}
	b.narrow(m)
	b.k, b.groups = p.smo.K, append(b.groups[:0], span{0, m})
	copy(b.diag, p.smo.diag)
	copy(b.low, q.Lower)
	copy(b.high, q.Upper)
	copy(b.beta, beta)
	for t := range beta {
		b.place(t, q.Linear[t]-f[t])
	}
	n, err := b.solve(ctx, eps, budget)
	copy(beta, b.beta)
	return n, err
}

// single is block.solve with the gradient in single precision, padded to whole
// vectors by variables that cannot move.
func (w *partPass) single(ctx context.Context, p *activePart, q BoxQP, beta, f []float64, eps float64, budget int) (int, error) {
	m, k := len(beta), p.smo.K
	padded := (m + 31) &^ 31
	if len(w.up) < padded {
		w.up, w.down, w.diag = make([]float32, p.stride), make([]float32, p.stride), make([]float32, p.stride)
	}
	up, down, diag := w.up[:padded], w.down[:padded], w.diag[:padded]
	inf := float32(math.Inf(1))
	place := func(t int, z float32) {
		up[t], down[t] = -inf, inf
		if beta[t] < q.Upper[t] {
			up[t] = z
		}
		if beta[t] > q.Lower[t] {
			down[t] = z
		}
	}
	for t := range padded {
		if t < m {
			diag[t] = float32(p.smo.diag[t])
			place(t, float32(q.Linear[t]-f[t]))
		} else {
			up[t], down[t], diag[t] = -inf, inf, 1
		}
	}
	row := func(t int) []float32 { return p.store[t*k.Stride : t*k.Stride+padded] }
	for n := range budget {
		if n&1023 == 1023 {
			if err := ctx.Err(); err != nil {
				return n, err
			}
		}
		i, zi := simd.ArgMaxSingle(up)
		if i < 0 {
			return n, nil
		}
		ki := row(i)
		j, low := simd.PartnerSingle(down, diag, ki, zi, diag[i], smallCurvature)
		if float64(zi-low) <= eps || j < 0 {
			return n, nil
		}
		zj := down[j]
		curve := max(p.smo.diag[i]+p.smo.diag[j]-2*float64(ki[j]), smallCurvature)
		step := (float64(zi) - float64(zj)) / curve
		step, beta[i], beta[j] = stepInBox(step, beta[i], q.Upper[i], beta[j], q.Lower[j])
		kj := row(j)
		simd.StepPairSingle(float32(step), ki, kj, up, down)
		place(i, zi-float32(step)*(ki[i]-kj[i]))
		place(j, zj-float32(step)*(ki[j]-kj[j]))
	}
	return budget, nil
}
