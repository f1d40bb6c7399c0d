package gp

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learn/coregion"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// JointRegressor is a fitted Joint: the posterior of all outputs. Its function has an output for
// each of them; Of is one alone.
type JointRegressor struct {
	f       *rkhs.Func[any]
	post    *coregion.Posterior // in units of the deviations
	units   []float64
	b       *mat.SymDense // in the units of the outputs
	value   float64
	threads int
	report  learn.Report
}

func newJoint(
	p *jointProblem, k kernel.Kernel[any], st *coregion.State, value float64, report learn.Report,
) (*JointRegressor, error) {
	m := &JointRegressor{post: st.Posterior(), units: p.units, b: mat.NewSymDense(len(p.units), nil), value: value,
		threads: p.Threads, report: report}
	coef := linalg.Dense(st.Coefficients())
	f := &rkhs.Func[any]{Kernel: k, Centers: p.x, Coef: coef, Bias: make([]float64, len(p.units))}
	for t, u := range p.units {
		for i := range p.x.Len() {
			coef.Set(i, t, u*coef.At(i, t))
		}
		f.Bias[t] = u * st.Mean[t]
		for s, v := range p.units {
			m.b.SetSym(t, s, u*v*st.B.At(t, s))
		}
	}
	m.f = f.Prepare()
	return m, fitting.FiniteCoefficients(f)
}

// Func is the posterior means, an output for each target.
func (m *JointRegressor) Func() *rkhs.Func[any] { return m.f }

// Report says how the fit went; its objective is the negative log marginal likelihood of all
// outputs.
func (m *JointRegressor) Report() learn.Report { return m.report }

// Kernel is k with the parameters found.
func (m *JointRegressor) Kernel() kernel.Kernel[any] { return m.f.Kernel }

// Outputs is B.
func (m *JointRegressor) Outputs() *mat.SymDense { return m.b }

// NoiseOf is the noise variance of output t.
func (m *JointRegressor) NoiseOf(t int) float64 { return m.units[t] * m.units[t] * m.post.Noise[t] }

// LogMarginal is the log marginal likelihood of all outputs.
func (m *JointRegressor) LogMarginal() float64 { return m.value }

// Targets is the number of outputs.
func (m *JointRegressor) Targets() int { return len(m.units) }

// Of is one output alone, counted from 0: a Regressor with standard deviations.
func (m *JointRegressor) Of(t int) learn.Model[any] {
	return &jointOutput{m: m, t: t, f: m.f.Output(t)}
}

// Predict returns the posterior mean of the first output at each point.
func (m *JointRegressor) Predict(ctx context.Context, x data.Points[any]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.PredictTo(ctx, dst, x) })
}

// PredictTo writes the posterior mean of the first output at point i to dst[i].
func (m *JointRegressor) PredictTo(ctx context.Context, dst []float64, x data.Points[any]) error {
	return apply.Column(ctx, m.f.Output(0), dst, x)
}

// PredictMulti returns the posterior means of all outputs, a row for each point.
func (m *JointRegressor) PredictMulti(ctx context.Context, x data.Points[any]) (*mat.Dense, error) {
	return apply.New(ctx, m.f, x)
}

// PredictMultiTo writes those of point i to row i of dst.
func (m *JointRegressor) PredictMultiTo(ctx context.Context, dst *mat.Dense, x data.Points[any]) error {
	return apply.To(ctx, m.f, dst, x)
}

// OutputCovariance returns the posterior covariance of the outputs at each point, without the noise
// of an observation: what they may be off by together.
func (m *JointRegressor) OutputCovariance(ctx context.Context, x data.Points[any]) ([]*mat.SymDense, error) {
	if err := apply.Check(ctx, m.f.Kernel, m.f.Centers, x); err != nil {
		return nil, err
	}
	n, q := x.Len(), len(m.units)
	self, out := make([]float64, n), make([]*mat.SymDense, n)
	kernel.Diag(ctx, m.f.Kernel, self, x)
	for lo := 0; lo < n; lo += varianceBlock {
		hi := min(lo+varianceBlock, n)
		cross := linalg.New[float64](hi-lo, m.f.Centers.Len())
		if err := kernel.Fill(m.threads, blas64.General(cross),
			m.f.Tiles(ctx, data.Gather(x, par.Indices(lo, hi)))); err != nil {
			return nil, err
		}
		turned := m.post.Turned(m.threads, cross)
		parFor(m.threads, hi-lo, func(i int) {
			c := linalg.New[float64](q, q)
			m.post.Between(c, self[lo+i], turned.Row(i), turned.Row(i))
			s := mat.NewSymDense(q, nil)
			for t, u := range m.units {
				for v := t; v < q; v++ {
					s.SetSym(t, v, u*m.units[v]*c.At(t, v))
				}
				s.SetSym(t, t, math.Max(s.At(t, t), 0)) // rounding
			}
			out[lo+i] = s
		})
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// jointOutput is one output of a JointRegressor.
type jointOutput struct {
	m *JointRegressor
	t int
	f *rkhs.Func[any]
}

func (o *jointOutput) Func() *rkhs.Func[any]      { return o.f }
func (o *jointOutput) Report() learn.Report       { return o.m.report }
func (o *jointOutput) Kernel() kernel.Kernel[any] { return o.m.Kernel() }
func (o *jointOutput) Noise() float64             { return o.m.NoiseOf(o.t) }
func (o *jointOutput) LogMarginal() float64       { return o.m.value }

func (o *jointOutput) Predict(ctx context.Context, x data.Points[any]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return o.PredictTo(ctx, dst, x) })
}

func (o *jointOutput) PredictTo(ctx context.Context, dst []float64, x data.Points[any]) error {
	return apply.Column(ctx, o.f, dst, x)
}

// deviations writes √(variance + noise).
func (o *jointOutput) deviations(ctx context.Context, dst []float64, x data.Points[any], noise float64) error {
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	if err := apply.CheckLen(len(dst), x.Len()); err != nil {
		return err
	}
	cov, err := o.m.OutputCovariance(ctx, x)
	for i, c := range cov {
		dst[i] = math.Sqrt(c.At(o.t, o.t) + noise)
	}
	return err
}

func (o *jointOutput) Std(ctx context.Context, x data.Points[any]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return o.StdTo(ctx, dst, x) })
}

func (o *jointOutput) StdTo(ctx context.Context, dst []float64, x data.Points[any]) error {
	return o.deviations(ctx, dst, x, 0)
}

func (o *jointOutput) ObservationStd(ctx context.Context, x data.Points[any]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return o.ObservationStdTo(ctx, dst, x) })
}

func (o *jointOutput) ObservationStdTo(ctx context.Context, dst []float64, x data.Points[any]) error {
	return o.deviations(ctx, dst, x, o.Noise())
}

// LogDensity is log p(yᵢ) of an observation of this output at each point, its noise included.
func (o *jointOutput) LogDensity(ctx context.Context, x data.Points[any], y []float64) ([]float64, error) {
	mean, err := o.Predict(ctx, x)
	if err != nil {
		return nil, err
	}
	std, err := o.ObservationStd(ctx, x)
	if err != nil {
		return nil, err
	}
	density := make([]float64, len(y))
	for i, s := range std {
		z := (y[i] - mean[i]) / s
		density[i] = -0.5*z*z - math.Log(s) - 0.5*math.Log(2*math.Pi)
	}
	return density, nil
}
