package gp

import (
	"context"
	"math"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/internal/learn/sigmoid"
	"github.com/mercer-ml/mercer/trace"
)

// Newton's method for a posterior mode stops when no component of the gradient
// ∇log p(y|f) - a exceeds laplaceTol, at rounding, or after laplaceSteps.
const (
	laplaceTol   = 1e-10
	laplaceSteps = 100
)

// parFor calls f(0), …, f(n-1) in parallel.
func parFor(t int, n int, f func(i int)) {
	par.For(t, n, 1, func(i, _ int) { f(i) })
}

// binaryLaplace is Laplace's approximation for two classes with the logistic likelihood (Rasmussen
// and Williams 2006, algorithms 3.1, 3.2 and 5.1). A point of weight w has the likelihood of w
// points with its label: log p, its gradient and W are w times theirs.
type binaryLaplace struct {
	threads int
	k       linalg.Matrix[float64]
	f, a    []float64 // mode f = K·a
	grad    []float64 // ∇log p(y|f)
	root    []float64 // √W
	prob    []float64 // p(y = +1 | f)
	chol    *linalg.Cholesky
	value   float64
	steps   int
	norm    float64
}

func newBinaryLaplace(
	ctx context.Context, t int, k linalg.Matrix[float64], code []int, weights []float64, listen trace.Func,
) (*binaryLaplace, error) {
	start := time.Now()
	n := k.Rows
	l := &binaryLaplace{threads: t, k: k, f: make([]float64, n), a: make([]float64, n), grad: make([]float64, n),
		root: make([]float64, n), prob: make([]float64, n)}
	psi := func(a, f []float64) float64 { // what is maximised
		s := 0.0
		for i := range f {
			s += weights[i]*sigmoid.Log(f[i]*float64(2*code[i]-1)) - 0.5*a[i]*f[i]
		}
		return s
	}
	b, da, df := make([]float64, n), make([]float64, n), make([]float64, n)
	next, nextF := make([]float64, n), make([]float64, n)
	work := linalg.New[float64](n, n)
	value := psi(l.a, l.f)
	for ; ; l.steps++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l.norm = 0
		for i, f := range l.f {
			p := sigmoid.Of(f)
			l.prob[i], l.root[i], l.grad[i] = p, math.Sqrt(weights[i]*p*(1-p)), weights[i]*(float64(code[i])-p)
			l.norm = math.Max(l.norm, math.Abs(l.grad[i]-l.a[i]))
		}
		if err := l.factor(ctx, work); err != nil {
			return nil, err
		}
		listen.Report(trace.Step{Iteration: l.steps, Objective: -value, Residual: l.norm, Elapsed: time.Since(start)})
		if l.norm <= laplaceTol || l.steps == laplaceSteps {
			break
		}
		// a ← b - √W·B⁻¹·√W·K·b with b = W·f + ∇log p, then a step of the way there.
		for i := range b {
			b[i] = l.root[i]*l.root[i]*l.f[i] + l.grad[i]
		}
		linalg.Gemv(t, linalg.NoTrans, 1, k, b, 0, da)
		for i := range da {
			da[i] *= l.root[i]
		}
		if err := l.chol.SolveContext(ctx, t, fitting.Column(da)); err != nil {
			return nil, err
		}
		for i := range da {
			da[i] = b[i] - l.root[i]*da[i] - l.a[i]
		}
		linalg.Gemv(t, linalg.NoTrans, 1, k, da, 0, df)
		step, improved := 1.0, false
		for range 40 {
			for i := range next {
				next[i], nextF[i] = l.a[i]+step*da[i], l.f[i]+step*df[i]
			}
			if v := psi(next, nextF); v > value || v >= value-1e-13*math.Abs(value) && step == 1 {
				improved = v > value || l.steps < 20
				value = v
				copy(l.a, next)
				copy(l.f, nextF)
				break
			}
			step /= 2
		}
		if !improved { // rounding leaves nothing to gain
			break
		}
	}
	l.value = value - 0.5*l.chol.LogDet()
	return l, nil
}

// factor sets the Cholesky factor of B = I + √W·K·√W.
func (l *binaryLaplace) factor(ctx context.Context, work linalg.Matrix[float64]) error {
	fitting.FillBordered(ctx, l.threads, work, l.k, l.root)
	var err error
	if l.chol, err = linalg.NewCholeskyContext(ctx, l.threads, work); err != nil {
		return fitting.NotPSD(ctx, err)
	}
	return nil
}

func (l *binaryLaplace) evidence() float64 { return l.value }

func (l *binaryLaplace) coefficients() linalg.Matrix[float64] {
	return fitting.Column(append([]float64(nil), l.a...))
}

func (l *binaryLaplace) account() (int, float64, bool) { return l.steps, l.norm, l.norm <= 1e-6 }

// precision is R = (K + W⁻¹)⁻¹ = √W·B⁻¹·√W.
func (l *binaryLaplace) precision(ctx context.Context) (linalg.Matrix[float64], error) {
	r, err := l.chol.InverseContext(ctx, l.threads)
	if err != nil {
		return r, err
	}
	fitting.Rows(ctx, l.threads, r.Rows, 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := r.Row(i)
			for j, v := range l.root {
				row[j] *= l.root[i] * v
			}
		}
	})
	return r, nil
}

// weights is ½aaᵀ - ½R + u·∇ᵀ with u = s - R·K·s, where s = ∂log q/∂f̂ =
// -½·diag(K - K·R·K)·∇³(-log p) is how the log determinant moves with the mode.
func (l *binaryLaplace) weights(ctx context.Context) (linalg.Matrix[float64], error) {
	n := l.k.Rows
	r, err := l.precision(ctx)
	if err != nil {
		return r, err
	}
	c := l.k.Clone() // C = L⁻¹·√W·K; diag(CᵀC) = diag(K·R·K)
	for i, w := range l.root {
		row := c.Row(i)
		for j := range row {
			row[j] *= w
		}
	}
	if err := l.chol.SolveLContext(ctx, l.threads, c); err != nil {
		return r, err
	}
	s, ks, u := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		for j, v := range c.Row(i) {
			s[j] += v * v
		}
	}
	for i, w := range l.root {
		s[i] = -0.5 * (l.k.At(i, i) - s[i]) * w * w * (1 - 2*l.prob[i])
	}
	linalg.Gemv(l.threads, linalg.NoTrans, 1, l.k, s, 0, ks)
	copy(u, s)
	linalg.Gemv(l.threads, linalg.NoTrans, -1, r, ks, 1, u)
	fitting.Rows(ctx, l.threads, n, 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := r.Row(i)
			for j := range row {
				row[j] = 0.5*(l.a[i]*l.a[j]-row[j]) + u[i]*l.grad[j]
			}
		}
	})
	return r, nil
}

// moments is k(x, x) - ‖L⁻¹·√W·k(X, x)‖².
func (l *binaryLaplace) moments(cov linalg.Matrix[float64], cross []float64, self float64) {
	v := make([]float64, len(cross))
	for i, c := range cross {
		v[i] = l.root[i] * c
	}
	l.chol.SolveL(1, fitting.Column(v))
	for _, t := range v {
		self -= t * t
	}
	cov.Set(0, 0, math.Max(self, 0))
}

// averageSigmoid is ∫ σ(z) N(z; mean, variance) dz. The integrand σ·N is
// smooth, so that the trapezoidal rule over ±8 deviations converges faster
// than any power of the step (Trefethen and Weideman 2014).
func averageSigmoid(mean, variance float64) float64 {
	sd := math.Sqrt(math.Max(variance, 0))
	steps := 32 + int(math.Min(math.Ceil(8*sd), 2000)) // the sigmoid is one unit wide
	sum, weight := 0.0, 0.0
	for i := -steps; i <= steps; i++ {
		z := 8 * float64(i) / float64(steps)
		w := math.Exp(-z * z / 2)
		sum += w * sigmoid.Of(mean+sd*z)
		weight += w
	}
	return sum / weight
}
