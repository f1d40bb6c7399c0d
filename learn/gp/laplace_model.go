package gp

import (
	"context"
	"fmt"
	"math"

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

// LaplaceRegressor is a fitted Laplace. Its function is the posterior mean of the latent f + b, of
// counts that of the logarithm of their rate; Predict is the mean of an observation.
type LaplaceRegressor struct {
	f         *rkhs.Func[any]
	precision linalg.Matrix[float64] // R = (K + W⁻¹)⁻¹
	like      likelihood
	value     float64
	threads   int
	report    learn.Report
}

func newLaplaceModel(
	ctx context.Context, p *laplaceProblem, k kernel.Kernel[any], m *mode, report learn.Report,
) (*LaplaceRegressor, error) {
	r, _, err := m.precision(ctx)
	if err != nil {
		return nil, err
	}
	f := &rkhs.Func[any]{Kernel: k, Centers: p.x, Coef: mat.NewDense(len(m.a), 1, m.a), Bias: []float64{m.b}}
	return &LaplaceRegressor{f: f.Prepare(), precision: r, like: m.like, value: m.value, threads: p.Threads,
		report: report}, fitting.FiniteCoefficients(f)
}

// Func is the posterior mean of the latent function.
func (m *LaplaceRegressor) Func() *rkhs.Func[any] { return m.f }

// Report says how the fit went; its objective is the negative approximate log marginal likelihood.
func (m *LaplaceRegressor) Report() learn.Report { return m.report }

// Kernel is the kernel with the parameters found.
func (m *LaplaceRegressor) Kernel() kernel.Kernel[any] { return m.f.Kernel }

// LogMarginal is the approximate log marginal likelihood of the targets.
func (m *LaplaceRegressor) LogMarginal() float64 { return m.value }

// Likelihood is that of the observations.
func (m *LaplaceRegressor) Likelihood() Likelihood { return m.like.kind }

// Latent says that the function is not in the unit of the target, and what it is.
func (m *LaplaceRegressor) Latent() string {
	if m.like.kind == Poisson {
		return "the logarithm of the rate of counts"
	}
	return ""
}

// Scale is σ of Student's likelihood.
func (m *LaplaceRegressor) Scale() float64 { return m.like.scale }

// latent is the mean and variance of f + b at points.
func (m *LaplaceRegressor) latent(ctx context.Context, x data.Points[any]) (mean, variance []float64, err error) {
	if err := apply.Check(ctx, m.f.Kernel, m.f.Centers, x); err != nil {
		return nil, nil, err
	}
	n := x.Len()
	mean, variance = make([]float64, n), make([]float64, n)
	if n == 0 {
		return mean, variance, nil
	}
	if err := apply.Column(ctx, m.f, mean, x); err != nil {
		return nil, nil, err
	}
	kernel.Diag(ctx, m.f.Kernel, variance, x)
	for lo := 0; lo < n; lo += varianceBlock {
		hi := min(lo+varianceBlock, n)
		cross := linalg.New[float64](hi-lo, m.f.Centers.Len())
		if err := kernel.Fill(m.threads, blas64.General(cross),
			m.f.Tiles(ctx, data.Gather(x, par.Indices(lo, hi)))); err != nil {
			return nil, nil, err
		}
		parFor(m.threads, hi-lo, func(i int) {
			v := make([]float64, cross.Cols)
			linalg.Gemv(1, linalg.NoTrans, 1, m.precision, cross.Row(i), 0, v)
			variance[lo+i] = math.Max(variance[lo+i]-fitting.Dot(v, cross.Row(i)), 0)
		})
	}
	return mean, variance, ctx.Err()
}

// each writes what a function makes of the mean and variance of f at each point.
func (m *LaplaceRegressor) each(
	ctx context.Context, dst []float64, x data.Points[any], f func(i int, mean, variance float64) float64,
) error {
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	if err := apply.CheckLen(len(dst), x.Len()); err != nil {
		return err
	}
	mean, variance, err := m.latent(ctx, x)
	if err != nil {
		return err
	}
	parFor(m.threads, len(dst), func(i int) { dst[i] = f(i, mean[i], variance[i]) })
	return ctx.Err()
}

// Predict returns the mean of an observation at each point: of counts e^{m + v/2}.
func (m *LaplaceRegressor) Predict(ctx context.Context, x data.Points[any]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.PredictTo(ctx, dst, x) })
}

// PredictTo writes the mean of an observation at point i to dst[i].
func (m *LaplaceRegressor) PredictTo(ctx context.Context, dst []float64, x data.Points[any]) error {
	if m.like.kind == Student {
		return apply.Column(ctx, m.f, dst, x)
	}
	return m.each(ctx, dst, x, func(_ int, mean, v float64) float64 {
		out, _, _ := m.like.moments(mean, v)
		return out
	})
}

// Std returns the standard deviation of the mean of an observation at each point.
func (m *LaplaceRegressor) Std(ctx context.Context, x data.Points[any]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.StdTo(ctx, dst, x) })
}

// StdTo writes that of point i to dst[i].
func (m *LaplaceRegressor) StdTo(ctx context.Context, dst []float64, x data.Points[any]) error {
	return m.each(ctx, dst, x, func(_ int, mean, v float64) float64 {
		_, of, _ := m.like.moments(mean, v)
		return math.Sqrt(of)
	})
}

// ObservationStd returns the standard deviation of a new observation at each point.
func (m *LaplaceRegressor) ObservationStd(ctx context.Context, x data.Points[any]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.ObservationStdTo(ctx, dst, x) })
}

// ObservationStdTo writes that of point i to dst[i].
func (m *LaplaceRegressor) ObservationStdTo(ctx context.Context, dst []float64, x data.Points[any]) error {
	return m.each(ctx, dst, x, func(_ int, mean, v float64) float64 {
		_, _, all := m.like.moments(mean, v)
		return math.Sqrt(all)
	})
}

// LogDensity is log p(yᵢ) of an observation at each point, by quadrature; of counts their
// probability.
func (m *LaplaceRegressor) LogDensity(ctx context.Context, x data.Points[any], y []float64) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error {
		return m.each(ctx, dst, x, func(i int, mean, v float64) float64 {
			if m.like.check(i, y[i]) != nil {
				return math.Inf(-1)
			}
			return m.like.logDensity(y[i], mean, v)
		})
	})
}

// Interval returns intervals that hold a share of new observations at each point, in the middle of
// their distribution, by quadrature: of counts whole numbers. With ofMean they hold the mean.
func (m *LaplaceRegressor) Interval(
	ctx context.Context, x data.Points[any], share float64, ofMean bool,
) (low, high []float64, err error) {
	if !(share > 0 && share < 1) {
		return nil, nil, fmt.Errorf("gp: an interval for a share of %g; give a number between 0 and 1", share)
	}
	mean, variance, err := m.latent(ctx, x)
	if err != nil {
		return nil, nil, err
	}
	low, high = make([]float64, len(mean)), make([]float64, len(mean))
	half := math.Sqrt2 * math.Erfinv(share)
	parFor(m.threads, len(mean), func(i int) {
		if !ofMean {
			low[i], high[i] = m.like.quantile((1-share)/2, mean[i], variance[i]),
				m.like.quantile((1+share)/2, mean[i], variance[i])
			return
		}
		sd := math.Sqrt(variance[i])
		if low[i], high[i] = mean[i]-half*sd, mean[i]+half*sd; m.like.kind == Poisson {
			low[i], high[i] = math.Exp(low[i]), math.Exp(high[i])
		}
	})
	return low, high, ctx.Err()
}

// Saved returns the model as plain data: the array "precision" is R, the numbers "scale" and "df"
// are those of Student's likelihood.
func (m *LaplaceRegressor) Saved() learn.Saved[any] {
	return learn.Saved[any]{Learner: "gp-" + m.like.kind.String(), Func: m.f, Report: m.report,
		Numbers: map[string]float64{"evidence": m.value, "scale": m.like.scale, "df": m.like.df},
		Arrays:  map[string]*mat.Dense{"precision": linalg.Dense(m.precision)}}
}

func restoreLaplace(kind Likelihood) learn.Restorer[any] {
	return func(s learn.Saved[any]) (learn.Model[any], error) {
		if err := s.CheckValues(); err != nil {
			return nil, err
		}
		if err := s.CheckOutputs(1); err != nil {
			return nil, err
		}
		n := s.Func.Centers.Len()
		r, err := s.Array("precision", n, n)
		if err != nil {
			return nil, err
		}
		m := &LaplaceRegressor{f: s.Func, precision: linalg.Of(r), value: s.Numbers["evidence"], report: s.Report,
			like: likelihood{kind: kind, scale: s.Numbers["scale"], df: s.Numbers["df"]}}
		if kind == Student && !(m.like.scale > 0 && m.like.df > 2) {
			return nil, fmt.Errorf("scale %g and %g degrees of freedom", m.like.scale, m.like.df)
		}
		return m, nil
	}
}
