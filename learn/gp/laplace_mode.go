package gp

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
)

// modeSteps is the most steps of the search for a mode.
const modeSteps = 500

// mode is Laplace's approximation of the posterior of f ~ N(b, K) with any likelihood (Rasmussen
// and Williams 2006, §3.4 and §5.5.1). With K = LLᵀ and W = -∇∇log p, which Student's has below 0
// where a row is far off, all that is needed is
//
//	B = I + LᵀWL,   Σ = (K⁻¹ + W)⁻¹ = LB⁻¹Lᵀ,   R = (K + W⁻¹)⁻¹ = W - WΣW,
//
// and B is positive definite at a maximum, whatever the signs of W.
type mode struct {
	threads int
	like    likelihood
	y, w    []float64 // w: how many rows a row counts as; nil means 1
	b       float64

	k, l          linalg.Matrix[float64]
	f, a          []float64 // f = b + K·a
	d1, d2, d3    []float64 // of w·log p
	chol          *linalg.Cholesky
	value, jitter float64
	steps         int
	level         int // steps in a row that gained no more than rounding
	norm          float64
}

// A few steps after the value is level still take the gradient down; those after these do not, where
// the targets are weighed so that rounding keeps it up.
const (
	levelGain  = 1e-15
	levelSteps = 4
)

func (m *mode) weight(i int) float64 {
	if m.w == nil {
		return 1
	}
	return m.w[i]
}

// rounding is how far the derivative of a row is off where f is off by some units in the last place:
// of rows that weigh a thousand, of noise that is next to nothing, more than any tolerance.
func (m *mode) rounding(i int) float64 {
	const ulps = 4 * 0x1p-52
	return ulps * math.Abs(m.d2[i]) * math.Max(math.Abs(m.f[i]), math.Abs(m.b))
}

// psi is what is maximised: Σ w·log p(y|f) - ½aᵀ(f - b).
func (m *mode) psi(a, f []float64) float64 {
	s := 0.0
	for i := range f {
		v, _, _, _ := m.like.at(m.y[i], f[i])
		s += m.weight(i)*v - 0.5*a[i]*(f[i]-m.b)
	}
	return s
}

// newMode finds the mode with the kernel matrix k from f = b: Newton's steps with halving where the
// curvature allows them, else the steps of likelihood.above, which always lead up.
func newMode(
	ctx context.Context, threads int, like likelihood, k linalg.Matrix[float64], y, w []float64, b float64,
) (*mode, error) {
	n := k.Rows
	m := &mode{threads: threads, like: like, y: y, w: w, b: b, k: k, l: linalg.New[float64](n, n), f: make([]float64, n),
		a:  make([]float64, n),
		d1: make([]float64, n), d2: make([]float64, n), d3: make([]float64, n)}
	chol, jitter, err := jitteredCholesky(ctx, threads, m.l, func() { m.l.CopyFrom(k) })
	if err != nil {
		return nil, err
	}
	m.jitter = jitter
	m.l = linalg.Of(lowerTriangle(chol.L))
	for i := range m.f {
		m.f[i] = b
	}
	value := m.psi(m.a, m.f)
	curve := make([]float64, n)
	for ; ; m.steps++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m.norm = 0
		largest := 1.0
		for i, f := range m.f {
			_, d1, d2, d3 := m.like.at(y[i], f)
			m.d1[i], m.d2[i], m.d3[i] = m.weight(i)*d1, m.weight(i)*d2, m.weight(i)*d3
			if off := math.Abs(m.d1[i] - m.a[i]); off > m.rounding(i) {
				m.norm = math.Max(m.norm, off)
			}
			largest = math.Max(largest, math.Abs(m.d1[i]))
		}
		m.norm /= largest
		if m.norm <= laplaceTol || m.steps == modeSteps {
			break
		}
		for i := range curve {
			curve[i] = -m.d2[i]
		}
		next, improved, err := m.step(ctx, curve, value)
		if err == nil && !improved || err != nil && ctx.Err() == nil {
			for i, f := range m.f {
				curve[i] = m.weight(i) * m.like.above(y[i], f)
			}
			next, improved, err = m.step(ctx, curve, value)
		}
		if err != nil {
			return nil, err
		}
		if !improved { // rounding leaves nothing to gain
			break
		}
		value = next
	}
	for i := range curve {
		curve[i] = -m.d2[i]
	}
	if m.chol, err = m.factor(ctx, curve); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("the posterior has no maximum where the search for its mode ended, after %d steps; take a "+
			"larger df, or another kernel", m.steps)
	}
	m.value = value - 0.5*m.chol.LogDet()
	return m, nil
}

// factor is the Cholesky factor of I + LᵀWL.
func (m *mode) factor(ctx context.Context, curve []float64) (*linalg.Cholesky, error) {
	n := len(curve)
	scaled, b := m.l.Clone(), linalg.New[float64](n, n)
	for i, c := range curve {
		row := scaled.Row(i)
		for j := range row {
			row[j] *= c
		}
	}
	if err := linalg.GemmContext(ctx, m.threads, linalg.Trans, linalg.NoTrans, 1, m.l, scaled, 0, b); err != nil {
		return nil, err
	}
	for i := range n {
		b.Row(i)[i]++
	}
	return linalg.NewCholeskyContext(ctx, m.threads, b)
}

// step goes to the top of the parabola of a curvature, f - b = Σ(W(f - b) + ∇) and a = c - W(f -
// b), or part of the way there.
func (m *mode) step(ctx context.Context, curve []float64, value float64) (float64, bool, error) {
	chol, err := m.factor(ctx, curve)
	if err != nil {
		return value, false, err
	}
	n := len(curve)
	c, h, df := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range c {
		c[i] = curve[i]*(m.f[i]-m.b) + m.d1[i]
	}
	linalg.Gemv(m.threads, linalg.Trans, 1, m.l, c, 0, h)
	if err := chol.SolveContext(ctx, m.threads, fitting.Column(h)); err != nil {
		return value, false, err
	}
	linalg.Gemv(m.threads, linalg.NoTrans, 1, m.l, h, 0, df)
	da := c
	for i := range da {
		da[i] -= curve[i]*df[i] + m.a[i]
		df[i] -= m.f[i] - m.b
	}
	next, nextF := make([]float64, n), make([]float64, n)
	for step := 1.0; step > 1e-10; step /= 2 {
		for i := range next {
			next[i], nextF[i] = m.a[i]+step*da[i], m.f[i]+step*df[i]
		}
		v := m.psi(next, nextF)
		if v > value || v >= value-1e-13*math.Abs(value) && step == 1 {
			copy(m.a, next)
			copy(m.f, nextF)
			if m.level++; v > value+levelGain*math.Abs(value) {
				m.level = 0
			}
			return v, m.level < levelSteps, nil
		}
	}
	return value, false, nil
}

// precision is R = W - WΣW, and the diagonal of Σ = VᵀV with V = L_B⁻¹Lᵀ.
func (m *mode) precision(ctx context.Context) (r linalg.Matrix[float64], diagonal []float64, err error) {
	n := m.k.Rows
	v := linalg.New[float64](n, n)
	for i := range n {
		for j := range i + 1 {
			v.Set(j, i, m.l.At(i, j))
		}
	}
	if err := m.chol.SolveLContext(ctx, m.threads, v); err != nil {
		return r, nil, err
	}
	diagonal = make([]float64, n)
	for i := range n {
		for j, t := range v.Row(i) {
			diagonal[j] += t * t
		}
	}
	for i := range n {
		row := v.Row(i)
		for j := range row {
			row[j] *= -m.d2[j]
		}
	}
	r = linalg.New[float64](n, n)
	err = linalg.GemmContext(ctx, m.threads, linalg.Trans, linalg.NoTrans, -1, v, v, 0, r)
	for i := range n {
		r.Row(i)[i] -= m.d2[i]
	}
	return r, diagonal, err
}

// slopes is M such that the derivative of the evidence by a parameter of the kernel is Σ Mᵢⱼ ∂Kᵢⱼ,
// ½aaᵀ - ½R + u∇ᵀ with u = s - RKs and s = ½diag(Σ)·∇³log p, and the derivatives by b, Σ(a + u),
// and by log σ.
func (m *mode) slopes(ctx context.Context) (w linalg.Matrix[float64], byMean, byScale float64, err error) {
	n := m.k.Rows
	w, diagonal, err := m.precision(ctx)
	if err != nil {
		return w, 0, 0, err
	}
	s, ks, u := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range s {
		s[i] = 0.5 * diagonal[i] * m.d3[i]
	}
	linalg.Gemv(m.threads, linalg.NoTrans, 1, m.k, s, 0, ks)
	copy(u, s)
	linalg.Gemv(m.threads, linalg.NoTrans, -1, w, ks, 1, u)
	for i := range u {
		byMean += m.a[i] + u[i]
	}
	if m.like.kind == Student {
		g, kg := make([]float64, n), make([]float64, n)
		for i, f := range m.f {
			value, d1, d2 := m.like.byScale(m.y[i], f)
			byScale += m.weight(i) * (value + 0.5*diagonal[i]*d2)
			g[i] = m.weight(i) * d1
		}
		linalg.Gemv(m.threads, linalg.NoTrans, 1, m.k, g, 0, kg)
		byScale += fitting.Dot(u, kg)
	}
	for i := range n {
		row := w.Row(i)
		for j := range row {
			row[j] = 0.5*(m.a[i]*m.a[j]-row[j]) + u[i]*m.d1[j]
		}
	}
	return w, byMean, byScale, nil
}
