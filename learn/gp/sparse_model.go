package gp

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// SparseRegressor is a fitted SparseRegression: the posterior of f + b, known by M inducing points.
type SparseRegressor[T any] struct {
	learn.ExpansionRegressor[T]
	*sparsePosterior
}

// newSparseRegressor is the model that a fit ended with.
func newSparseRegressor[T any](ctx context.Context, found *sparseFit) (*SparseRegressor[T], error) {
	f := typed[T](found.f).Prepare()
	p := &sparsePosterior{rkhs.Erase(f), found.s} // what is made ready for its centres is for both
	m := &SparseRegressor[T]{*learn.NewExpansionRegressor(f, nil, found.report), p}
	return fitting.Kept[T](ctx, m, found.stopped)
}

// sparsePosterior is a SparseRegressor of points that have lost their type.
type sparsePosterior struct {
	f *rkhs.Func[any]
	s *sparseState
}

// function is the mean, k(x, Z)L⁻ᵀβ + b.
func (s *sparseState) function() (*rkhs.Func[any], error) {
	coef := slices.Clone(s.beta)
	s.chol.SolveLT(1, fitting.Column(coef))
	f := &rkhs.Func[any]{
		Kernel: s.kernel, Centers: s.points, Coef: mat.NewDense(len(coef), 1, coef), Bias: []float64{s.mean},
	}
	if s.mean == 0 && s.ones == nil {
		f.Bias = nil
	}
	return f, fitting.FiniteCoefficients(f)
}

// Kernel is the kernel with the parameters found.
func (m *SparseRegressor[T]) Kernel() kernel.Kernel[T] { return m.Func().Kernel }

// Noise is the noise variance σ² found.
func (m *sparsePosterior) Noise() float64 { return m.s.noise }

// Inducing is the inducing points.
func (m *SparseRegressor[T]) Inducing() data.Points[T] { return data.Own(m.Func().Centers) }

// LogMarginal is the lower bound on the log marginal likelihood of the targets, or what FITC takes
// for it.
func (m *sparsePosterior) LogMarginal() float64 { return m.s.value }

// reduced is φ = L⁻¹k(Z, x), a column for each point, with the same bits whatever other points
// there are.
func (u *inducing) reduced(
	ctx context.Context, f *rkhs.Func[any], x data.Points[any],
) (linalg.Matrix[float64], error) {
	v, cross := linalg.New[float64](u.count(), x.Len()), linalg.New[float64](x.Len(), u.count())
	if err := kernel.Fill(u.threads, blas64.General(cross), f.Tiles(ctx, x)); err != nil {
		return v, err
	}
	for i := range cross.Rows {
		for j, k := range cross.Row(i) {
			v.Data[j*v.Stride+i] = k
		}
	}
	return v, u.chol.SolveLRowwise(ctx, u.threads, v)
}

// Variance returns the posterior variance of f + b at each point. The variance of an observation
// there is larger by the noise.
func (m *SparseRegressor[T]) Variance(ctx context.Context, x data.Points[T]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.VarianceTo(ctx, dst, x) })
}

// VarianceTo writes the posterior variance at point i to dst[i]: k(x, x) - ‖φ‖² + φᵀB⁻¹φ, and for a
// fitted mean (1 - ⟨φ, Φᵀ(Q + Λ)⁻¹1⟩)² of its variance.
func (m *SparseRegressor[T]) VarianceTo(ctx context.Context, dst []float64, x data.Points[T]) error {
	return m.variance(ctx, dst, data.Erase(x))
}

func (m *sparsePosterior) variance(ctx context.Context, dst []float64, x data.Points[any]) error {
	f := m.f
	if err := apply.Check(ctx, f.Kernel, f.Centers, x); err != nil {
		return err
	}
	if err := apply.CheckLen(len(dst), x.Len()); err != nil {
		return err
	}
	if err := kernel.Diag(ctx, f.Kernel, dst, x); err != nil {
		return err
	}
	for lo := 0; lo < x.Len(); lo += varianceBlock {
		part := dst[lo:min(lo+varianceBlock, x.Len())]
		v, err := m.s.reduced(ctx, f, data.Span(x, lo, lo+len(part)))
		if err != nil {
			return err
		}
		slack := make([]float64, len(part))
		for i := range v.Rows {
			one := 0.0
			if m.s.ones != nil {
				one = m.s.ones[i]
			}
			for j, t := range v.Row(i) {
				part[j] -= t * t
				slack[j] += one * t
			}
		}
		if err := m.s.inner.SolveLRowwise(ctx, m.s.threads, v); err != nil {
			return err
		}
		for i := range v.Rows {
			for j, t := range v.Row(i) {
				part[j] += t * t
			}
		}
		for j, t := range slack {
			if m.s.ones != nil {
				part[j] += (1 - t) * (1 - t) / m.s.onesA1
			}
			part[j] = math.Max(part[j], 0) // rounding
		}
	}
	return ctx.Err()
}

// Std returns the standard deviation of f + b at each point, without the noise of an observation.
func (m *SparseRegressor[T]) Std(ctx context.Context, x data.Points[T]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.StdTo(ctx, dst, x) })
}

// StdTo writes the standard deviation at point i to dst[i].
func (m *SparseRegressor[T]) StdTo(ctx context.Context, dst []float64, x data.Points[T]) error {
	return m.deviation(ctx, dst, data.Erase(x), 0)
}

// ObservationStd returns the standard deviation of a new observation at each point, √(variance +
// σ²).
func (m *SparseRegressor[T]) ObservationStd(ctx context.Context, x data.Points[T]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.ObservationStdTo(ctx, dst, x) })
}

// ObservationStdTo writes the standard deviation of a new observation at point i to dst[i].
func (m *SparseRegressor[T]) ObservationStdTo(ctx context.Context, dst []float64, x data.Points[T]) error {
	return m.deviation(ctx, dst, data.Erase(x), m.s.noise)
}

func (m *sparsePosterior) deviation(
	ctx context.Context, dst []float64, x data.Points[any], noise float64,
) error {
	if err := m.variance(ctx, dst, x); err != nil {
		return err
	}
	for i, v := range dst {
		dst[i] = math.Sqrt(v + noise)
	}
	return nil
}

// Saved returns the model as plain data: the arrays "factor" and "inner" are the lower triangles of
// the factors of K(Z, Z) and B, "ones" is Φᵀ(Q + Λ)⁻¹1 where the mean was fitted.
func (m *SparseRegressor[T]) Saved() learn.Saved[T] {
	s := m.ExpansionRegressor.Saved()
	s.Numbers, s.Arrays = m.s.saved()
	return s
}

func (s *sparseState) saved() (map[string]float64, map[string]*mat.Dense) {
	numbers := map[string]float64{"noise": s.noise, "jitter": s.jitter, "evidence": s.value, "ones": s.onesA1}
	arrays := map[string]*mat.Dense{"factor": lowerTriangle(s.chol.L), "inner": lowerTriangle(s.inner.L)}
	if s.ones != nil {
		arrays["ones"] = mat.NewDense(1, len(s.ones), s.ones)
	}
	return numbers, arrays
}

func restoreSparse(s learn.Saved[any]) (learn.Model[any], error) {
	if err := s.CheckOutputs(1); err != nil {
		return nil, err
	}
	m, err := s.Regressor()
	if err != nil {
		return nil, err
	}
	n := s.Func.Centers.Len()
	state := &sparseState{inducing: &inducing{kernel: s.Func.Kernel, points: s.Func.Centers, jitter: s.Numbers["jitter"]},
		value: s.Numbers["evidence"]}
	if state.chol, err = factor(s, "factor", n); err != nil {
		return nil, err
	}
	if state.inner, err = factor(s, "inner", n); err != nil {
		return nil, err
	}
	if state.noise, err = s.Number("noise"); err != nil {
		return nil, err
	}
	if !(state.noise > 0) {
		return nil, fmt.Errorf("number \"noise\" is %g", state.noise)
	}
	if s.Func.Bias != nil {
		state.mean = s.Func.Bias[0]
	}
	if s.Arrays["ones"] != nil {
		a, err := s.Array("ones", 1, n)
		if err != nil {
			return nil, err
		}
		state.ones = a.RawRowView(0)
		if state.onesA1, err = s.Number("ones"); err != nil {
			return nil, err
		}
		if !(state.onesA1 > 0) {
			return nil, fmt.Errorf("number \"ones\" is %g", state.onesA1)
		}
	}
	return &SparseRegressor[any]{*m, &sparsePosterior{m.Func(), state}}, nil
}
