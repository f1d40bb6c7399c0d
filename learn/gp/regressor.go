package gp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Regressor is a fitted Regression: the posterior of f + b.
type Regressor[T any] struct {
	f *rkhs.Func[T]
	*posterior
}

// newRegressor is the model of a posterior whose mean is f.
func newRegressor[T any](f *rkhs.Func[T], m *posterior) *Regressor[T] {
	m.f = rkhs.Erase(f) // what is made ready for its centres is for both
	return &Regressor[T]{f, m}
}

// posterior is a Regressor of points that have lost their type.
type posterior struct {
	f      *rkhs.Func[any]
	p      *gpProblem
	s      *gpState
	half   []float64 // L⁻¹·1 when the mean was fitted, else nil
	unit   float64   // of its values, in those of the kernel: 1, but for one of several targets
	report learn.Report
}

func newPosterior(p *gpProblem, s *gpState, report learn.Report) (*posterior, error) {
	m := &posterior{p: p, s: s, unit: 1, report: report}
	m.f = (&rkhs.Func[any]{Kernel: s.kernel, Centers: p.x, Coef: mat.NewDense(len(s.alpha), 1, s.alpha)}).Prepare()
	if s.mean != 0 || p.fitMean {
		m.f.Bias = []float64{s.mean}
	}
	m.half = halfOnes(p, s)
	return m, fitting.FiniteCoefficients(m.f)
}

// halfOnes is L⁻¹·1 where a mean was fitted, else nil.
func halfOnes(p *gpProblem, s *gpState) []float64 {
	if s.ones == nil {
		return nil
	}
	half := make([]float64, len(s.ones))
	for i := range half {
		half[i] = 1
	}
	s.chol.SolveL(p.Threads, fitting.Column(half))
	return half
}

// Func is the posterior mean.
func (m *Regressor[T]) Func() *rkhs.Func[T] { return m.f }

// Report says how the fit went; its objective is the negative log marginal
// likelihood.
func (m *posterior) Report() learn.Report { return m.report }

// Kernel is the kernel with the parameters found.
func (m *Regressor[T]) Kernel() kernel.Kernel[T] { return m.f.Kernel }

// Noise is the noise variance σ² found.
func (m *posterior) Noise() float64 { return m.unit * m.unit * m.s.noise }

// LogMarginal is the log marginal likelihood of the targets.
func (m *posterior) LogMarginal() float64 { return m.s.value }

// Jitter is what was added to the diagonal to make the covariance matrix
// positive definite; usually 0.
func (m *posterior) Jitter() float64 { return m.s.jitter }

// Predict returns the posterior mean at each point.
func (m *Regressor[T]) Predict(ctx context.Context, x data.Points[T]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.PredictTo(ctx, dst, x) })
}

// PredictTo writes the posterior mean at point i to dst[i].
func (m *Regressor[T]) PredictTo(ctx context.Context, dst []float64, x data.Points[T]) error {
	return apply.Column(ctx, m.f, dst, x)
}

// mean is the posterior mean at each point.
func (m *posterior) mean(ctx context.Context, x data.Points[any]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return apply.Column(ctx, m.f, dst, x) })
}

// varianceBlock is how many test points are worked on together.
const varianceBlock = 512

// reduced returns V = L⁻¹·K(X, x), so that the posterior covariance is K(x, x) - VᵀV. A column has
// the same bits whatever other points there are.
func (m *posterior) reduced(ctx context.Context, x data.Points[any]) (linalg.Matrix[float64], error) {
	v, cross := linalg.New[float64](len(m.p.y), x.Len()), linalg.New[float64](x.Len(), len(m.p.y))
	if err := kernel.Fill(m.p.Threads, blas64.General(cross), m.f.Tiles(ctx, x)); err != nil {
		return v, err
	}
	for i := range cross.Rows {
		for j, k := range cross.Row(i) {
			v.Data[j*v.Stride+i] = k
		}
	}
	return v, m.s.chol.SolveLRowwise(ctx, m.p.Threads, v)
}

// slack is 1 - 1ᵀA⁻¹k(X, x) for each point: the share of a fitted mean in the
// prediction, whose variance is slack²/1ᵀA⁻¹1.
func (m *posterior) slack(v linalg.Matrix[float64]) []float64 {
	if m.half == nil {
		return nil
	}
	out := make([]float64, v.Cols)
	for j := range out {
		out[j] = 1
	}
	for i, h := range m.half {
		for j, t := range v.Row(i) {
			out[j] -= h * t
		}
	}
	return out
}

// Variance returns the posterior variance of f + b at each point. The variance of an observation
// there is larger by its noise.
func (m *Regressor[T]) Variance(ctx context.Context, x data.Points[T]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.VarianceTo(ctx, dst, x) })
}

// VarianceTo writes the posterior variance at point i to dst[i].
func (m *Regressor[T]) VarianceTo(ctx context.Context, dst []float64, x data.Points[T]) error {
	return m.variance(ctx, dst, data.Erase(x))
}

func (m *posterior) variance(ctx context.Context, dst []float64, x data.Points[any]) error {
	if err := m.ready(ctx, x); err != nil {
		return err
	}
	if err := apply.CheckLen(len(dst), x.Len()); err != nil {
		return err
	}
	kernel.Diag(ctx, m.s.kernel, dst, x)
	for lo := 0; lo < x.Len(); lo += varianceBlock {
		hi := min(lo+varianceBlock, x.Len())
		index := par.Indices(lo, hi)
		v, err := m.reduced(ctx, data.Gather(x, index))
		if err != nil {
			return err
		}
		slack := m.slack(v)
		for i := range v.Rows {
			for j, t := range v.Row(i) {
				dst[lo+j] -= t * t
			}
		}
		for j, t := range slack {
			dst[lo+j] += t * t / m.s.onesA1
		}
	}
	for i, v := range dst {
		dst[i] = m.unit * m.unit * math.Max(v, 0) // rounding
	}
	return ctx.Err()
}

// Std returns the standard deviation of f + b at each point, without the noise of an observation.
func (m *Regressor[T]) Std(ctx context.Context, x data.Points[T]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.StdTo(ctx, dst, x) })
}

// StdTo writes the standard deviation at point i to dst[i].
func (m *Regressor[T]) StdTo(ctx context.Context, dst []float64, x data.Points[T]) error {
	return m.deviation(ctx, dst, data.Erase(x), 0)
}

// deviation is √(variance + noise).
func (m *posterior) deviation(ctx context.Context, dst []float64, x data.Points[any], noise float64) error {
	if err := m.variance(ctx, dst, x); err != nil {
		return err
	}
	for i, v := range dst {
		dst[i] = math.Sqrt(v + noise)
	}
	return nil
}

// ObservationStd returns the standard deviation of a new observation at each point, √(variance +
// σ²). What PointNoise said of the points of the fit is not known of others.
func (m *Regressor[T]) ObservationStd(ctx context.Context, x data.Points[T]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.ObservationStdTo(ctx, dst, x) })
}

// ObservationStdTo writes the standard deviation of a new observation at point i to dst[i].
func (m *Regressor[T]) ObservationStdTo(ctx context.Context, dst []float64, x data.Points[T]) error {
	return m.deviation(ctx, dst, data.Erase(x), m.Noise())
}

// ready refuses points that the kernel cannot take beside the training points.
func (m *posterior) ready(ctx context.Context, x data.Points[any]) error {
	return apply.Check(ctx, m.f.Kernel, m.f.Centers, x)
}

// Covariance returns the posterior covariance matrix of f + b at the points.
func (m *Regressor[T]) Covariance(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return m.covariance(ctx, data.Erase(x))
}

func (m *posterior) covariance(ctx context.Context, x data.Points[any]) (*mat.Dense, error) {
	if err := m.ready(ctx, x); err != nil {
		return nil, err
	}
	c := linalg.New[float64](x.Len(), x.Len())
	kernel.FillSym(m.p.Threads, blas64.General(c), kernel.Prepare(ctx, m.s.kernel, x, x))
	v, err := m.reduced(ctx, x)
	if err != nil {
		return nil, err
	}
	if err := linalg.SyrkContext(ctx, m.p.Threads, linalg.Lower, linalg.Trans, -1, v, 1, c); err != nil {
		return nil, err
	}
	slack := m.slack(v)
	for i, t := range slack {
		for j := range i + 1 {
			c.Row(i)[j] += t * slack[j] / m.s.onesA1
		}
	}
	linalg.MirrorLower(m.p.Threads, c)
	for i := range c.Data {
		c.Data[i] *= m.unit * m.unit
	}
	return linalg.Dense(c), nil
}

// Sample draws functions from the posterior at the points, one in each row.
// The same seed draws the same functions.
func (m *Regressor[T]) Sample(ctx context.Context, x data.Points[T], draws int, seed uint64) (*mat.Dense, error) {
	return m.sample(ctx, data.Erase(x), draws, seed)
}

func (m *posterior) sample(ctx context.Context, x data.Points[any], draws int, seed uint64) (*mat.Dense, error) {
	if x == nil || x.Len() == 0 || draws < 1 {
		return nil, fmt.Errorf("gp: %d draws; ask for at least one draw, at one point or more", draws)
	}
	cov, err := m.covariance(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("gp: posterior samples: %w", err)
	}
	prior := make([]float64, x.Len())
	kernel.Diag(ctx, m.s.kernel, prior, x)
	out, err := sampleNormal(ctx, m.p.Threads, linalg.Of(cov), m.unit*m.unit*slices.Max(prior), draws, seed)
	if err != nil {
		return nil, fmt.Errorf("gp: posterior samples: %w", err)
	}
	mean, err := m.mean(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("gp: posterior samples: %w", err)
	}
	for i := range draws {
		for j, v := range mean {
			out.Row(i)[j] += v
		}
	}
	return linalg.Dense(out), nil
}

// SamplePrior draws functions from the process before it has seen any data, one
// in each row, at the parameters as given. The same seed draws the same functions.
func (g Regression[T]) SamplePrior(ctx context.Context, x data.Points[T], draws int, seed uint64) (*mat.Dense, error) {
	return g.open().samplePrior(ctx, data.Erase(x), draws, seed)
}

func (g *regression) samplePrior(
	ctx context.Context, x data.Points[any], draws int, seed uint64,
) (*mat.Dense, error) {
	if x == nil || x.Len() == 0 || draws < 1 {
		return nil, fmt.Errorf("gp: prior samples need at least one draw and one point")
	}
	if err := kernel.Check(g.Kernel, x); err != nil {
		return nil, fmt.Errorf("gp: %w", err)
	}
	c := linalg.New[float64](x.Len(), x.Len())
	kernel.FillSym(g.Threads, blas64.General(c), kernel.Prepare(ctx, g.Kernel, x, x))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out, err := sampleNormal(ctx, g.Threads, c, 0, draws, seed)
	if err != nil {
		return nil, fmt.Errorf("gp: prior samples: %w", err)
	}
	for i := range out.Rows {
		for j := range out.Cols {
			out.Row(i)[j] += g.Mean
		}
	}
	return linalg.Dense(out), nil
}

// sampleNormal draws rows from N(0, c) as z·Lᵀ. Where c is what is left of a prior variance at
// points whose values are known, it is rounding alone, and no share of its own diagonal mends it:
// then a share of the prior's is added.
func sampleNormal(
	ctx context.Context, t int, c linalg.Matrix[float64], prior float64, draws int, seed uint64,
) (linalg.Matrix[float64], error) {
	l := linalg.New[float64](c.Rows, c.Cols)
	_, _, err := jitteredCholesky(ctx, t, l, func() { l.CopyFrom(c) })
	for share := 1e-12; err != nil && ctx.Err() == nil && prior > 0 && share < 1e-6; share *= 10 {
		_, _, err = jitteredCholesky(ctx, t, l, func() {
			l.CopyFrom(c)
			for i := range l.Rows {
				l.Row(i)[i] += share * prior
			}
		})
	}
	if err != nil {
		return l, err
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	z := linalg.New[float64](draws, c.Rows)
	for i := range z.Data {
		z.Data[i] = rng.NormFloat64()
	}
	linalg.Trmm(t, linalg.Right, linalg.Lower, linalg.Trans, linalg.NonUnit, 1, l, z)
	return z, nil
}

// LeaveOneOut is the prediction of each training target by the process
// conditioned on all others, hyper-parameters kept.
type LeaveOneOut struct {
	Mean, Variance []float64 // of the observation, noise included
	LogDensity     []float64 // log p(yᵢ | the others)
}

// LeaveOneOut computes, without refitting, σᵢ² = 1/Gᵢᵢ and μᵢ = yᵢ - αᵢ/Gᵢᵢ with G = A⁻¹
// (Rasmussen and Williams 2006, equations 5.10–5.12), or A⁻¹ with the fitted mean projected
// out.
func (m *posterior) LeaveOneOut() LeaveOneOut {
	n := len(m.p.y)
	g := m.s.chol.Inverse(m.p.Threads)
	out := LeaveOneOut{make([]float64, n), make([]float64, n), make([]float64, n)}
	for i, y := range m.p.y {
		d := g.At(i, i)
		if m.s.ones != nil {
			d -= m.s.ones[i] * m.s.ones[i] / m.s.onesA1
		}
		d /= m.unit * m.unit
		e := m.s.alpha[i] / m.unit / d
		out.Mean[i], out.Variance[i] = y-e, 1/d
		out.LogDensity[i] = 0.5*math.Log(d) - 0.5*e*e*d - 0.5*math.Log(2*math.Pi)
	}
	return out
}
