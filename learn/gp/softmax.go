package gp

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/internal/learn/sigmoid"
	"github.com/mercer-ml/mercer/trace"
)

// softmaxLaplace is Laplace's approximation for C > 2 classes with the softmax
// likelihood (Rasmussen and Williams 2006, algorithms 3.3 and 3.4). With D_c =
// diag π_c, B_c = I + √D_c·K·√D_c, E_c = √D_c·B_c⁻¹·√D_c and M = Σ E_c,
//
//	(K + W⁻¹)⁻¹ = E - E_a·M⁻¹·E_b  (blocks a, b),  |I + KW| = Π|B_c|·|M|.
//
// A point of weight w counts as w points with its label: D_c = diag wπ_c, and |I + KW| =
// Π|B_c|·|M|/Πw, since Σ D_c = diag w.
type softmaxLaplace struct {
	threads int
	k       linalg.Matrix[float64]
	f, a    linalg.Matrix[float64] // C×n, a row for each class
	grad    linalg.Matrix[float64] // ∇log p = y - π
	pi      linalg.Matrix[float64]
	weight  []float64
	e       []linalg.Matrix[float64]
	sum     *linalg.Cholesky // of M
	dets    float64          // Σ log|B_c| + log|M|
	value   float64
	steps   int
	norm    float64
}

func newSoftmaxLaplace(
	ctx context.Context, t int, k linalg.Matrix[float64], code []int, weights []float64, classes int, listen trace.Func,
) (*softmaxLaplace, error) {
	start := time.Now()
	n := k.Rows
	rows := func() linalg.Matrix[float64] { return linalg.New[float64](classes, n) }
	l := &softmaxLaplace{threads: t, k: k, f: rows(), a: rows(), grad: rows(), pi: rows(), weight: weights,
		e: make([]linalg.Matrix[float64], classes)}
	scores := make([]float64, classes)
	psi := func(a, f linalg.Matrix[float64]) float64 {
		s := 0.0
		for i := range n {
			for c := range classes {
				scores[c] = f.At(c, i)
				s -= 0.5 * a.At(c, i) * f.At(c, i)
			}
			s += weights[i] * (f.At(code[i], i) - sigmoid.LogSumExp(scores))
		}
		return s
	}
	value := psi(l.a, l.f)
	da, df, next, nextF := rows(), rows(), rows(), rows()
	for ; ; l.steps++ {
		l.norm = 0
		for i := range n {
			for c := range classes {
				scores[c] = l.f.At(c, i)
			}
			z := sigmoid.LogSumExp(scores)
			for c, v := range scores {
				p := math.Exp(v - z)
				l.pi.Set(c, i, p)
				l.grad.Set(c, i, -weights[i]*p)
			}
			l.grad.Row(code[i])[i] += weights[i]
		}
		for i, g := range l.grad.Data {
			l.norm = math.Max(l.norm, math.Abs(g-l.a.Data[i]))
		}
		if err := l.factor(ctx); err != nil {
			return nil, err
		}
		listen.Report(trace.Step{Iteration: l.steps, Objective: -value, Residual: l.norm, Elapsed: time.Since(start)})
		if l.norm <= laplaceTol || l.steps == laplaceSteps {
			break
		}
		// b = W·f + ∇log p, W·f = wπ∘(f - Σ π_c f_c); a ← b - R·K·b.
		for i := range n {
			mean := 0.0
			for c := range classes {
				mean += l.pi.At(c, i) * l.f.At(c, i)
			}
			for c := range classes {
				da.Set(c, i, weights[i]*l.pi.At(c, i)*(l.f.At(c, i)-mean)+l.grad.At(c, i))
			}
		}
		if err := linalg.GemmContext(ctx, t, linalg.NoTrans, linalg.NoTrans, 1, da, k, 0, df); err != nil { // K is symmetric
			return nil, err
		}
		l.applyPrecision(next, df)
		for i := range da.Data {
			da.Data[i] -= next.Data[i] + l.a.Data[i]
		}
		if err := linalg.GemmContext(ctx, t, linalg.NoTrans, linalg.NoTrans, 1, da, k, 0, df); err != nil {
			return nil, err
		}
		step, improved := 1.0, false
		for range 40 {
			for i := range next.Data {
				next.Data[i], nextF.Data[i] = l.a.Data[i]+step*da.Data[i], l.f.Data[i]+step*df.Data[i]
			}
			if v := psi(next, nextF); v > value || v >= value-1e-13*math.Abs(value) && step == 1 {
				improved = v > value || l.steps < 20
				value = v
				l.a.CopyFrom(next)
				l.f.CopyFrom(nextF)
				break
			}
			step /= 2
		}
		if !improved {
			break
		}
	}
	l.value = value - 0.5*l.dets
	return l, nil
}

// factor sets E_c of each class and the factor of M.
func (l *softmaxLaplace) factor(ctx context.Context) error {
	n := l.k.Rows
	m := linalg.New[float64](n, n)
	l.dets = 0
	for c := range l.e {
		root := make([]float64, n)
		for i, p := range l.pi.Row(c) {
			root[i] = math.Sqrt(l.weight[i] * p)
		}
		b := linalg.New[float64](n, n)
		fitting.FillBordered(ctx, l.threads, b, l.k, root)
		chol, err := linalg.NewCholeskyContext(ctx, l.threads, b)
		if err != nil {
			return fitting.NotPSD(ctx, err)
		}
		l.dets += chol.LogDet()
		e, err := chol.InverseContext(ctx, l.threads)
		if err != nil {
			return err
		}
		fitting.Rows(ctx, l.threads, n, 64, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				row, out := e.Row(i), m.Row(i)
				for j, r := range root {
					row[j] *= root[i] * r
					out[j] += row[j]
				}
			}
		})
		l.e[c] = e
	}
	sum, err := linalg.NewCholeskyContext(ctx, l.threads, m)
	if err != nil {
		return fitting.NotPSD(ctx, err)
	}
	l.sum = sum
	l.dets += sum.LogDet()
	for _, w := range l.weight {
		l.dets -= math.Log(w)
	}
	return nil
}

// applyPrecision sets dst = (K + W⁻¹)⁻¹·v: E_c·(v_c - M⁻¹·Σ E_b·v_b) for class c.
func (l *softmaxLaplace) applyPrecision(dst, v linalg.Matrix[float64]) {
	n := l.k.Rows
	total := make([]float64, n)
	for c, e := range l.e {
		linalg.Gemv(l.threads, linalg.NoTrans, 1, e, v.Row(c), 1, total)
	}
	l.sum.Solve(l.threads, fitting.Column(total))
	w := make([]float64, n)
	for c, e := range l.e {
		for i, x := range v.Row(c) {
			w[i] = x - total[i]
		}
		linalg.Gemv(l.threads, linalg.NoTrans, 1, e, w, 0, dst.Row(c))
	}
}

func (l *softmaxLaplace) evidence() float64 { return l.value }

func (l *softmaxLaplace) account() (int, float64, bool) { return l.steps, l.norm, l.norm <= 1e-6 }

func (l *softmaxLaplace) coefficients() linalg.Matrix[float64] {
	out := linalg.New[float64](l.k.Rows, len(l.e))
	for c := range l.e {
		for i, v := range l.a.Row(c) {
			out.Set(i, c, v)
		}
	}
	return out
}

// weights is Σ_c [½a_c·a_cᵀ - ½R_cc + u_c·∇_cᵀ] with u = s - R·K·s, as for two
// classes; s = ∂log q/∂f̂ = -½ tr(Σ·∂W/∂f̂), Σ = K - K·R·K the posterior covariance.
func (l *softmaxLaplace) weights(ctx context.Context) (linalg.Matrix[float64], error) {
	n, classes := l.k.Rows, len(l.e)
	w := linalg.New[float64](n, n)
	half := make([]linalg.Matrix[float64], classes) // K·E_c·L_M⁻ᵀ
	blocks := make([][]float64, n)                  // Σ at each point, C×C
	for i := range blocks {
		blocks[i] = make([]float64, classes*classes)
	}
	for c, e := range l.e {
		g := e.Clone() // E_c·L_M⁻ᵀ: R_cc = E_c - g·gᵀ
		if err := linalg.TrsmContext(ctx, l.threads, linalg.Right, linalg.Lower, linalg.Trans, linalg.NonUnit, 1, l.sum.L,
			g); err != nil {
			return w, err
		}
		half[c] = linalg.New[float64](n, n)
		if err := linalg.GemmContext(ctx, l.threads, linalg.NoTrans, linalg.NoTrans, 1, l.k, g, 0, half[c]); err != nil {
			return w, err
		}
		ke := linalg.New[float64](n, n)
		if err := linalg.GemmContext(ctx, l.threads, linalg.NoTrans, linalg.NoTrans, 1, l.k, e, 0, ke); err != nil {
			return w, err
		}
		for i := range n {
			blocks[i][c*classes+c] = l.k.At(i, i) - fitting.Dot(ke.Row(i), l.k.Row(i))
		}
		if err := linalg.GemmContext(ctx, l.threads, linalg.NoTrans, linalg.Trans, 0.5, g, g, 1, w); err != nil {
			return w, err
		}
		fitting.Rows(ctx, l.threads, n, 64, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				row, er := w.Row(i), e.Row(i)
				for j := range row {
					row[j] += 0.5 * (l.a.At(c, i)*l.a.At(c, j) - er[j])
				}
			}
		})
	}
	s := linalg.New[float64](classes, n)
	parFor(l.threads, n, func(i int) {
		for a := range classes {
			for b := range classes {
				blocks[i][a*classes+b] += fitting.Dot(half[a].Row(i), half[b].Row(i))
			}
		}
		l.slope(s, i, blocks[i])
	})
	ks, u := linalg.New[float64](classes, n), linalg.New[float64](classes, n)
	linalg.Gemm(l.threads, linalg.NoTrans, linalg.NoTrans, 1, s, l.k, 0, ks)
	l.applyPrecision(u, ks)
	for i := range u.Data {
		u.Data[i] = s.Data[i] - u.Data[i]
	}
	return w, linalg.GemmContext(ctx, l.threads, linalg.Trans, linalg.NoTrans, 1, u, l.grad, 1, w)
}

// slope sets column i of s: with W = w(diag π - ππᵀ) at the point,
// -½ Σ_ab Σ_ab ∂W_ab/∂f_c = -½wπ_c[Σ_cc - Σ_a π_aΣ_aa - 2Σ_b π_bΣ_cb + 2Σ_ab π_aπ_bΣ_ab].
func (l *softmaxLaplace) slope(s linalg.Matrix[float64], i int, cov []float64) {
	classes := len(l.e)
	diag, all := 0.0, 0.0
	rows := make([]float64, classes)
	for a := range classes {
		diag += l.pi.At(a, i) * cov[a*classes+a]
		for b := range classes {
			rows[a] += l.pi.At(b, i) * cov[a*classes+b]
		}
		all += l.pi.At(a, i) * rows[a]
	}
	for c := range classes {
		s.Set(c, i, -0.5*l.weight[i]*l.pi.At(c, i)*(cov[c*classes+c]-diag-2*rows[c]+2*all))
	}
}

// moments is δ_ab(k(x, x) - kᵀE_a·k) + (L_M⁻¹·E_a·k)ᵀ(L_M⁻¹·E_b·k), k = k(X, x).
func (l *softmaxLaplace) moments(cov linalg.Matrix[float64], cross []float64, self float64) {
	n, classes := l.k.Rows, len(l.e)
	g := linalg.New[float64](n, classes)
	v := make([]float64, n)
	for c, e := range l.e {
		linalg.Gemv(1, linalg.NoTrans, 1, e, cross, 0, v)
		cov.Set(c, c, self-fitting.Dot(v, cross))
		for i, t := range v {
			g.Set(i, c, t)
		}
	}
	l.sum.SolveL(1, g)
	for i := range n {
		row := g.Row(i)
		for a, p := range row {
			for b, q := range row {
				cov.Row(a)[b] += p * q
			}
		}
	}
}

// standardNormals is the same draws for every point, so that probabilities are
// smooth in it and do not depend on the order of the points.
func standardNormals(draws, dim int, seed uint64) linalg.Matrix[float64] {
	rng := rand.New(rand.NewPCG(seed, 1))
	z := linalg.New[float64](draws, dim)
	for i := range z.Data {
		z.Data[i] = rng.NormFloat64()
	}
	return z
}

// averageSoftmax is the mean of softmax(f) over f ~ N(mean, cov), by draws and
// their mirror images.
func averageSoftmax(dst, mean []float64, cov, draws linalg.Matrix[float64]) {
	classes := len(mean)
	root := linalg.New[float64](classes, classes)
	if _, _, err := jitteredCholesky(context.Background(), 1, root, func() { root.CopyFrom(cov) }); err != nil {
		for i := range root.Data { // a posterior without variance
			root.Data[i] = 0
		}
	}
	clear(dst)
	f := make([]float64, classes)
	for i := range draws.Rows {
		for _, sign := range []float64{1, -1} {
			for a := range classes {
				f[a] = mean[a]
				for b := range a + 1 {
					f[a] += sign * root.At(a, b) * draws.At(i, b)
				}
			}
			z := sigmoid.LogSumExp(f)
			for a := range classes {
				dst[a] += math.Exp(f[a]-z) / float64(2*draws.Rows)
			}
		}
	}
}
