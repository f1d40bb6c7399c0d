package sparse

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// RVM is the relevance vector machine for regression (Tipping 2001),
//
//	t = Σⱼ wⱼ k(xⱼ, x) + b + noise,  wⱼ ~ N(0, 1/αⱼ),  noise ~ N(0, σ²),
//
// with α and σ² at a maximum of the evidence p(t|α, σ²). Most αⱼ go to
// infinity there; the points left are the relevance vectors. The maximum is
// climbed one α at a time, from the empty model, by the fast updates of Tipping and
// Faul (2003). The certificate is what the best single change of an α would add to the
// log evidence. The kernel need not be positive semi-definite.
type RVM[T any] struct {
	Kernel      kernel.Kernel[T]
	NoIntercept bool    // leave b out
	Noise       float64 // σ² when it is known; 0 means learnt

	Weights []float64 // a point's noise is σ²/weight; nil means 1

	Tol           float64 // gain of log evidence below which to stop; 0 means 1e-6
	MaxIterations int     // changes of an α; 0 means 100000

	learn.Resources
}

// Fit learns from points and their values.
func (r RVM[T]) Fit(ctx context.Context, x data.Points[T], y []float64) (_ *RVMRegressor[T], err error) {
	defer fault.Name("rvm", &err)
	found, err := r.open().fit(ctx, data.Erase(x), y)
	if err != nil {
		return nil, err
	}
	f := rkhs.Typed(r.Kernel, found.f).Prepare()
	found.f = rkhs.Erase(f) // what is made ready for its centres is for both
	return &RVMRegressor[T]{*learn.NewExpansionRegressor(f, found.support, found.report), found}, nil
}

// rvm is an RVM of points that have lost their type.
type rvm RVM[any]

func (r RVM[T]) open() *rvm {
	return &rvm{
		Kernel: kernel.Erase(r.Kernel), NoIntercept: r.NoIntercept, Noise: r.Noise, Weights: r.Weights,
		Tol: r.Tol, MaxIterations: r.MaxIterations, Resources: r.Resources,
	}
}

// rvmFit is an RVMRegressor of points that have lost their type.
type rvmFit struct {
	f         *rkhs.Func[any]
	support   []int
	report    learn.Report
	noise     float64
	posterior rvmPosterior
}

func (r *rvm) fit(ctx context.Context, x data.Points[any], y []float64) (*rvmFit, error) {
	start := time.Now()
	weights, err := r.check(x, y)
	if err != nil {
		return nil, err
	}
	own, y := data.Own(x), slices.Clone(y)
	return fitting.Heed(ctx, func() (*rvmFit, error) { return r.climb(ctx, own, y, weights, start) })
}

func (r *rvm) check(x data.Points[any], y []float64) ([]float64, error) {
	weights, err := fitting.CheckRegression(r.Kernel, x, y, r.Weights)
	if err != nil {
		return nil, err
	}
	if r.Noise < 0 || math.IsNaN(r.Noise) || math.IsInf(r.Noise, 0) {
		return nil, fmt.Errorf("Noise is %g; give a positive variance, or 0 to learn it", r.Noise)
	}
	if err := fitting.SetOrDefault("Tol", &r.Tol, 1e-6); err != nil {
		return nil, err
	}
	if err := fitting.SetOrDefaultInt("MaxIterations", &r.MaxIterations, 100000); err != nil {
		return nil, err
	}
	r.Resources, err = r.Resources.WithDefaults()
	return weights, err
}

// rvmBasis is fitting.KernelBasis with the constant as last row unless left out.
func rvmBasis(
	ctx context.Context, k kernel.Kernel[any], x data.Points[any], r learn.Resources, intercept bool,
) (linalg.Matrix[float64], error) {
	extra := 0
	if intercept {
		extra = 1
	}
	basis, err := fitting.KernelBasis(ctx, "rvm", k, x, r, extra, 1)
	if err == nil && intercept {
		row := basis.Row(basis.Rows - 1)
		for i := range row {
			row[i] = 1
		}
	}
	return basis, err
}

func (r *rvm) climb(
	ctx context.Context, x data.Points[any], y, weights []float64, start time.Time,
) (*rvmFit, error) {
	n := len(y)
	basis, err := rvmBasis(ctx, r.Kernel, x, r.Resources, !r.NoIntercept)
	if err != nil {
		return nil, err
	}
	points, logs := 0, 0.0
	for i, w := range weights {
		if w > 0 {
			points++
			logs += math.Log(w)
		}
		if w == 1 {
			continue
		}
		s := math.Sqrt(w) // √w·t = √w·Φw + noise of variance σ²
		y[i] *= s
		for m := range basis.Rows {
			basis.Row(m)[i] *= s
		}
	}
	mean, spread := fitting.Sum(y)/float64(n), 0.0
	for _, v := range y {
		spread += (v - mean) * (v - mean) / float64(n)
	}
	scale := fitting.SquaredNorm(y) / float64(n)
	if scale == 0 {
		scale = 1
	}
	beta, most := 1/r.Noise, math.Inf(1)
	if r.Noise == 0 {
		most = 1e12 / scale // beyond, rounding of t counts as noise
		beta = 10 / math.Max(spread, 1e-3*scale)
	}
	g := newGaussianRelevance(r.Threads, basis, y, beta)
	g.count = float64(points)
	stop, err := g.maximise(ctx, r.Tol, r.MaxIterations, r.Noise > 0, most, r.Trace)
	if err != nil {
		return nil, err
	}
	// p(t) = p(√w·t)·∏√w: the evidence is that of the targets, not of those that were scaled.
	report := learn.Report{Learner: "rvm", Iterations: stop.steps, Objective: -g.log - logs/2, Certificate: stop.gain,
		Certified: "gain of log evidence by the best change",
		Converged: stop.converged, Bytes: 8 * int64(len(basis.Data)+len(g.cross)*len(g.s))}
	if !stop.converged {
		report.Warnings = append(report.Warnings,
			fmt.Sprintf("not converged after %d changes: one more would add %.2g to the log evidence; allow more of them",
				stop.steps, stop.gain))
	}
	if stop.floored {
		report.Warnings = append(report.Warnings, "the noise went to 0: the targets are fitted exactly")
	}
	m := &rvmFit{noise: 1 / g.beta, posterior: g.posterior(n)}
	beta1 := make([]float64, n)
	bias := m.posterior.spread(beta1)
	m.f, m.support = fitting.Expansion(r.Kernel, x, [][]float64{beta1}, []float64{bias})
	report.Elapsed = time.Since(start)
	m.report = report
	return m, nil
}

// rvmPosterior is N(μ, Σ) of the weights kept: relevance vectors in increasing
// order, then the intercept where it was kept.
type rvmPosterior struct {
	index     []int // training points
	intercept bool
	alpha, mu []float64
	sigma     linalg.Matrix[float64]
}

// posterior puts the active functions in order; n is the number of points.
func (r *relevance) posterior(n int) rvmPosterior {
	place := par.Indices(0, len(r.active))
	slices.SortFunc(place, func(a, b int) int { return r.active[a] - r.active[b] })
	p := rvmPosterior{sigma: linalg.New[float64](len(place), len(place))}
	for i, a := range place {
		if m := r.active[a]; m < n {
			p.index = append(p.index, m)
		} else {
			p.intercept = true
		}
		p.alpha, p.mu = append(p.alpha, r.alpha[a]), append(p.mu, r.mu[a])
		for j, b := range place {
			p.sigma.Set(i, j, r.sigma.At(a, b))
		}
	}
	return p
}

// spread writes μ to the places of the training points and returns the bias.
func (p rvmPosterior) spread(beta []float64) float64 {
	for a, i := range p.index {
		beta[i] = p.mu[a]
	}
	if p.intercept {
		return p.mu[len(p.mu)-1]
	}
	return 0
}

// variances is φ(x)ᵀΣφ(x) at each row of k, the kernel values with p.index.
func (p rvmPosterior) variances(dst []float64, k linalg.Matrix[float64]) {
	a := len(p.mu)
	phi := make([]float64, a)
	for i := range dst {
		if p.intercept {
			phi[a-1] = 1
		}
		copy(phi, k.Row(i))
		dst[i] = 0
		for r, v := range phi {
			for c, w := range phi {
				dst[i] += v * w * p.sigma.At(r, c)
			}
		}
		dst[i] = math.Max(dst[i], 0)
	}
}

// RVMRegressor is a fitted RVM. Support lists the relevance vectors.
type RVMRegressor[T any] struct {
	learn.ExpansionRegressor[T]
	of *rvmFit
}

// Noise is the noise variance σ².
func (m *RVMRegressor[T]) Noise() float64 { return m.of.noise }

// LogEvidence is log p(t|α, σ²) at the end of the fit.
func (m *RVMRegressor[T]) LogEvidence() float64 { return -m.Report().Objective }

// Precisions is α of the relevance vectors in the order of Support, then of
// the intercept where it was kept.
func (m *RVMRegressor[T]) Precisions() []float64 { return slices.Clone(m.of.posterior.alpha) }

// Covariance is the posterior covariance of the weights in the order of Precisions;
// nil when none was kept.
func (m *RVMRegressor[T]) Covariance() *mat.Dense {
	if len(m.of.posterior.mu) == 0 {
		return nil
	}
	return linalg.Dense(m.of.posterior.sigma.Clone())
}

// Variance returns the predictive variance σ² + φ(x)ᵀΣφ(x) at each point. Far from all relevance
// vectors it falls back to that of the intercept, as the machine's prior does; a Gaussian process
// does not.
func (m *RVMRegressor[T]) Variance(ctx context.Context, x data.Points[T]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.VarianceTo(ctx, dst, x) })
}

// VarianceTo writes the predictive variance at point i to dst[i].
func (m *RVMRegressor[T]) VarianceTo(ctx context.Context, dst []float64, x data.Points[T]) error {
	return m.of.variance(ctx, dst, data.Erase(x))
}

func (m *rvmFit) variance(ctx context.Context, dst []float64, x data.Points[any]) error {
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	if err := apply.CheckLen(len(dst), x.Len()); err != nil || len(dst) == 0 {
		return err
	}
	f, support := m.f, m.support
	if err := apply.Check(ctx, f.Kernel, f.Centers, x); err != nil {
		return err
	}
	k := linalg.New[float64](len(dst), len(support))
	if len(support) > 0 {
		kernel.Fill(0, blas64.General(k), f.Tiles(ctx, x))
	}
	m.posterior.variances(dst, k)
	for i := range dst {
		dst[i] += m.noise
	}
	return ctx.Err()
}

// Std returns the standard deviation of the function at each point, without the noise of an
// observation, as for a Gaussian process.
func (m *RVMRegressor[T]) Std(ctx context.Context, x data.Points[T]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.StdTo(ctx, dst, x) })
}

// StdTo writes the standard deviation at point i to dst[i].
func (m *RVMRegressor[T]) StdTo(ctx context.Context, dst []float64, x data.Points[T]) error {
	if err := m.VarianceTo(ctx, dst, x); err != nil {
		return err
	}
	for i, v := range dst {
		dst[i] = math.Sqrt(math.Max(v-m.of.noise, 0))
	}
	return nil
}

// ObservationStd returns the standard deviation of a new observation at each point, the root of
// Variance.
func (m *RVMRegressor[T]) ObservationStd(ctx context.Context, x data.Points[T]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.ObservationStdTo(ctx, dst, x) })
}

// ObservationStdTo writes the standard deviation of a new observation at point i to dst[i].
func (m *RVMRegressor[T]) ObservationStdTo(ctx context.Context, dst []float64, x data.Points[T]) error {
	if err := m.VarianceTo(ctx, dst, x); err != nil {
		return err
	}
	for i, v := range dst {
		dst[i] = math.Sqrt(v)
	}
	return nil
}
