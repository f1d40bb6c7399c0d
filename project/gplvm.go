package project

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// GPLVM is the Gaussian process latent variable model (N. Lawrence 2005): each of the D columns of
// the points Y, about its mean, is a Gaussian process of latent points X of few coordinates, which
// are found with the parameters of the kernel and the noise s by maximising
//
//	log p(Y, X) = -D/2·log|K| - ½ tr(YᵀK⁻¹Y) - nD/2·log 2π - ½‖X‖²,   K = k(X, X) + sI,
//
// where each row of X is N(0, I) beforehand (without the constants of that). With a linear kernel
// it is the principal components of a probabilistic model; with others the latent points lie on a
// curved surface in the space of Y. The maximum is a local one, near the start; an iteration costs
// n³ + n²D.
type GPLVM struct {
	// of latent points; nil means c·Gaussian. Parameters on a logarithmic scale are fitted, the
	// others are held
	Kernel     kernel.Kernel[kernel.Vec]
	Components int // coordinates of a latent point; 0 means 2
	// of the latent points, a row each; nil means principal components, of unit variance the first
	Start *mat.Dense
	Noise float64 // s at the start, as a share of the variance of Y; 0 means 0.1

	Iterations int     // at most; 0 means 1000
	Tolerance  float64 // stop when the gradient is below Tolerance·max(1, that at the start); 0 means 1e-4
	Threads    int     // 0 means all
	Bytes      int64   // budget of the matrices; 0 means a quarter of the machine's memory
	Trace      trace.Func
}

// GPLVMModel is a fitted GPLVM. It is immutable and safe for concurrent use.
type GPLVMModel struct {
	kernel  kernel.Kernel[kernel.Vec]
	noise   float64
	latent  linalg.Matrix[float64]
	y       linalg.Matrix[float64] // about the mean, in units of scale
	a       linalg.Matrix[float64] // K⁻¹Y
	chol    *linalg.Cholesky
	mean    []float64
	scale   float64
	report  GPLVMReport
	threads int
}

// GPLVMReport says how a model was found.
type GPLVMReport struct {
	LogDensity float64 // log p(Y, X), Y in its own units
	Iterations int
	Gradient   float64 // its norm at the end
	Converged  bool
	Elapsed    time.Duration
	Warnings   []string
}

// Fit finds the latent points.
func (g GPLVM) Fit(ctx context.Context, y data.Points[kernel.Vec]) (*GPLVMModel, error) {
	start := time.Now()
	p, err := g.problem(ctx, y)
	if err != nil {
		return nil, fault.In("project", err)
	}
	u := p.start()
	found, err := solve.LBFGS(ctx, p, u, solve.Settings{Tol: cmp.Or(g.Tolerance, 1e-4),
		MaxIter: cmp.Or(g.Iterations, 1000), Memory: 20, Trace: g.Trace})
	if ended := ctx.Err(); ended != nil {
		return nil, ended
	}
	if err != nil {
		return nil, fault.In("project", err)
	}
	at, err := p.at(u)
	if err != nil {
		return nil, fault.Errorf("project", "latent points: %w; give another start, or a larger noise", err)
	}
	m := &GPLVMModel{kernel: at.kernel, noise: at.noise, latent: at.x.Clone(), y: p.y, a: at.a, chol: at.chol,
		mean: p.mean, scale: p.scale, threads: g.Threads}
	n, d := float64(p.y.Rows), float64(p.y.Cols)
	m.report = GPLVMReport{LogDensity: -found.Value - n*d*(math.Log(2*math.Pi)/2+math.Log(p.scale)),
		Iterations: found.Iterations, Gradient: found.GradNorm,
		Converged: found.Converged || found.Stalled, Elapsed: time.Since(start)}
	if !m.report.Converged {
		m.report.Warnings = append(m.report.Warnings,
			"the latent points were still moving at the last iteration; allow more of them")
	}
	return m, nil
}

// problem checks the input and lays it out: columns about their means, in units of their common
// deviation.
func (g GPLVM) problem(ctx context.Context, y data.Points[kernel.Vec]) (*latentProblem, error) {
	if err := apply.Start(ctx, y); err != nil {
		return nil, err
	}
	if y.Len() < 3 {
		return nil, fault.Errorf("project", "%d points; latent points want 3 or more", y.Len())
	}
	if err := kernel.Check(kernel.Linear{}, y); err != nil {
		return nil, err
	}
	n, d, q := y.Len(), len(y.At(0)), cmp.Or(g.Components, 2)
	switch {
	case d == 0:
		return nil, fault.Errorf("project", "the points have no columns")
	case q < 0 || q >= n:
		return nil, fault.Errorf("project", "%d latent coordinates of %d points; want 1 to %d", g.Components, n, n-1)
	case g.Noise < 0 || g.Noise >= 1 || math.IsNaN(g.Noise):
		return nil, fault.Errorf("project", "noise is %g of the variance; want a number in [0, 1), 0 for 0.1", g.Noise)
	case !(g.Tolerance >= 0) || g.Iterations < 0:
		return nil, fault.Errorf("project", "tolerance %g and %d iterations; neither may be negative", g.Tolerance,
			g.Iterations)
	}
	bytes := cmp.Or(g.Bytes, gram.DefaultBytes())
	if need := 8 * int64(n) * (3*int64(n) + 4*int64(d)); need > bytes {
		return nil, fault.Errorf("project",
			"latent points of %d rows need %d bytes, %d are allowed: take fewer rows, or allow more", n, need, bytes)
	}
	p := &latentProblem{ctx: ctx, threads: g.Threads, kernel: g.Kernel, q: q, noise: cmp.Or(g.Noise, 0.1),
		y: linalg.New[float64](n, d), mean: make([]float64, d)}
	if p.kernel == nil {
		p.kernel = kernel.Scale(1, kernel.Kernel[kernel.Vec](kernel.Gaussian{Lengthscale: 1}))
	}
	if p.scale = standardise(p.y, p.mean, y); p.scale == 0 {
		return nil, fault.Errorf("project", "all %d points are the same; there is nothing to tell apart", n)
	}
	for i, at := range kernel.Params(p.kernel) {
		if at.Domain.LogScale && at.Value > 0 {
			p.fitted = append(p.fitted, i)
		}
	}
	probe := make(kernel.Vec, q)
	if err := kernel.InputGrad(p.kernel, make(kernel.Vec, q), probe, probe); err != nil {
		return nil, err
	}
	var err error
	if p.x0, err = g.firstPoints(ctx, p); err != nil {
		return nil, err
	}
	return p, kernel.Check(p.kernel, data.Rows(linalg.Dense(p.x0)))
}

// standardise sets dst to y about the means of its columns, in units of the root of their mean
// variance, which it returns: 0 where there is none.
func standardise(dst linalg.Matrix[float64], mean []float64, y data.Points[kernel.Vec]) float64 {
	n := float64(dst.Rows)
	for i := range dst.Rows {
		for j, v := range y.At(i) {
			mean[j] += v / n
		}
	}
	largest := 0.0
	for i := range dst.Rows {
		for j, v := range y.At(i) {
			dst.Row(i)[j] = v - mean[j]
			largest = math.Max(largest, math.Abs(v-mean[j]))
		}
	}
	if largest == 0 {
		return 0
	}
	square := 0.0
	for _, v := range dst.Data {
		square += (v / largest) * (v / largest)
	}
	scale := largest * math.Sqrt(square/(n*float64(dst.Cols)))
	for i := range dst.Data {
		dst.Data[i] /= scale
	}
	return scale
}

// firstPoints are those given, or principal components.
func (g GPLVM) firstPoints(ctx context.Context, p *latentProblem) (linalg.Matrix[float64], error) {
	x := linalg.New[float64](p.y.Rows, p.q)
	if g.Start != nil {
		if r, c := g.Start.Dims(); r != x.Rows || c != x.Cols {
			return x, fault.Errorf("project", "the start is %d×%d, want %d×%d: a row for each point", r, c, x.Rows, x.Cols)
		}
		copy(x.Data, linalg.Of(g.Start).Clone().Data)
		for i, v := range x.Data {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return x, fault.Errorf("project", "the start has %g in row %d", v, i/x.Cols)
			}
		}
		return x, nil
	}
	pca, err := PCA[kernel.Vec]{Kernel: kernel.Linear{}, Components: min(p.q, p.y.Rows-1), Threads: g.Threads}.Fit(ctx,
		data.Rows(linalg.Dense(p.y)))
	if err != nil {
		return x, err
	}
	scores, unit := pca.Scores(), math.Sqrt(pca.Variance()[0])
	for i := range x.Rows {
		for j := range x.Cols {
			if j < pca.Components() {
				x.Row(i)[j] = scores.At(i, j) / unit
			} else {
				x.Row(i)[j] = 0.01 * math.Sin(float64(i*(j+1))) // the points have fewer dimensions: away from where the slope is 0
			}
		}
	}
	return x, nil
}
