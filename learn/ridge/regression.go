package ridge

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Method names a way to solve the equations of ridge regression.
type Method int

const (
	// Auto is Primal where the kernel has fewer explicit features than
	// there are points, else the fastest direct method the byte budget allows, else
	// CG.
	Auto Method = iota
	// Cholesky factorises K + λI in float64: 8n² bytes.
	Cholesky
	// Mixed factorises in float32, at twice the speed, and refines in float64
	// until the solution is as good as one of Cholesky: 12n² bytes. Where
	// single precision cannot do it, Cholesky takes over.
	Mixed
	// CG is conjugate gradients preconditioned by a randomly pivoted incomplete Cholesky factor
	// (Díaz, Epperly, Frangella, Tropp and Webber 2023); any n in any budget.
	CG
	// Primal solves for the weights of explicit features.
	Primal
	// ASkotch is accelerated approximate sketch-and-project (Rathore, Frangella, Yang, Dereziński
	// and Udell 2024): blocks of coordinates at a time, each preconditioned by itself. It holds no
	// more than a block and some vectors, for n where not even the factor of CG fits.
	ASkotch
)

func (m Method) String() string {
	switch m {
	case Cholesky:
		return "Cholesky"
	case Mixed:
		return "mixed precision"
	case CG:
		return "conjugate gradients"
	case Primal:
		return "primal"
	case ASkotch:
		return "ASkotch"
	}
	return "auto"
}

// Regression is regularised least squares in the RKHS of Kernel (kernel ridge
// regression; Saunders, Gammerman and Vovk 1998),
//
//	minimise over f, b   Σ wᵢ (yᵢ - f(xᵢ) - b)² + λ‖f‖².
//
// By the representer theorem f = Σ αᵢ k(xᵢ, ·), with (K + λW⁻¹)α + b·1 = y and,
// when there is an intercept, 1ᵀα = 0. The certificate of a fit is the relative
// residual of that system.
type Regression[T any] struct {
	Kernel   kernel.Kernel[T]
	Lambda   float64 // λ > 0; 0 means 1
	PerPoint bool    // λ stands for n·λ: the loss is a mean, not a sum

	Intercept bool // fit b, without penalty; else b = 0
	// Free lists points z whose functions k(z, ·) are fitted without penalty beside
	// f: the null space of a semi-parametric model, such as the straight lines of the smoothing
	// spline. nil means none.
	Free data.Points[T]

	Weights []float64 // wᵢ ≥ 0, one for each point; nil means 1

	Method Method
	Tol    float64 // relative residual at which CG and ASkotch stop; 0 means 1e-8, and 1e-6
	Rank   int     // of the preconditioners of CG and ASkotch; 0 means chosen by n and the budget
	Seed   uint64  // of the draws of both

	learn.Resources
}

// Fit learns from points and their values. When ctx ends in the iterations of CG or ASkotch the
// error is a *learn.Stopped.
func (r Regression[T]) Fit(ctx context.Context, x data.Points[T], y []float64) (*Regressor[T], error) {
	m, err := r.open().fitOne(ctx, data.Erase(x), y)
	return fitted(r.Kernel, m, err)
}

// FitMulti learns several outputs at once, a column of y each, from one
// factorisation.
func (r Regression[T]) FitMulti(ctx context.Context, x data.Points[T], y *mat.Dense) (*Regressor[T], error) {
	m, err := r.open().fit(ctx, data.Erase(x), y)
	return fitted(r.Kernel, m, err)
}

// fitted is what a fit of points that have lost their type gives, for points that have it.
func fitted[T any](k kernel.Kernel[T], m *Regressor[any], err error) (*Regressor[T], error) {
	if err != nil {
		return nil, fmt.Errorf("ridge: %w", fitting.TypedStop(err, func(m learn.Model[any]) learn.Model[T] {
			return typed(k, m.(*Regressor[any]))
		}))
	}
	return typed(k, m), nil
}

// regression is a Regression of points that have lost their type. Where they are to get it back
// (typed), the centres of the function are points.
type regression struct {
	Regression[any]
	typed bool
}

func (r Regression[T]) open() regression {
	_, open := any(r).(Regression[any])
	return regression{Regression[any]{
		Kernel: kernel.Erase(r.Kernel), Lambda: r.Lambda, PerPoint: r.PerPoint,
		Intercept: r.Intercept, Free: data.Erase(r.Free), Weights: r.Weights,
		Method: r.Method, Tol: r.Tol, Rank: r.Rank, Seed: r.Seed, Resources: r.Resources,
	}, !open}
}

// typed gives the points of a regression their type back.
func typed[T any](k kernel.Kernel[T], m *Regressor[any]) *Regressor[T] {
	if same, ok := any(m).(*Regressor[T]); ok || m == nil {
		return same
	}
	return newRegressor(rkhs.Typed(k, m.Func()), m.Report())
}

// fitOne is fit of one output.
func (r regression) fitOne(ctx context.Context, x data.Points[any], y []float64) (*Regressor[any], error) {
	if err := fitting.CheckTargets(x, y); err != nil {
		return nil, err
	}
	return r.fit(ctx, x, mat.NewDense(len(y), 1, append([]float64(nil), y...)))
}

func (r regression) fit(ctx context.Context, x data.Points[any], y *mat.Dense) (*Regressor[any], error) {
	m, err := r.solve(ctx, x, y)
	return m, fitting.Explain(ctx, err, r.Kernel, x, r.Resources)
}

func (r regression) solve(ctx context.Context, x data.Points[any], y *mat.Dense) (*Regressor[any], error) {
	start := time.Now()
	p, err := r.problem(ctx, x, y)
	if err != nil {
		return nil, err
	}
	var stopped error
	m, err := fitting.Heed(ctx, func() (*Regressor[any], error) {
		if r.Method == Auto {
			if m, err := p.fitSparse(ctx, start); m != nil || err != nil {
				return m, err
			}
		}
		method, features := p.choose(r.Method)
		if method == Primal {
			if features == nil {
				return nil, fmt.Errorf("%s has no explicit features here; use another Method", kernel.NameOf(r.Kernel))
			}
			return p.fitPrimal(ctx, features, start)
		}
		if p.free.Cols > 0 {
			if _, err := p.nullSpace(ctx); err != nil {
				return nil, err
			}
		}
		var s *ridgeSolution
		if p.byDevice(r.Method, method) {
			if s, err = p.solveDevice(ctx, r.Method == Cholesky); err != nil {
				return nil, err
			}
			if s != nil {
				return p.model(s, start)
			}
		}
		switch method {
		case CG:
			s, err = p.solveCG(ctx, r.Tol, r.Rank, r.Seed)
		case ASkotch:
			s, err = p.solveASkotch(ctx, r.Tol, r.Rank, r.Seed)
		default:
			s, err = p.solveDense(ctx, method)
		}
		if s == nil {
			return nil, err
		}
		m, wrong := p.model(s, start)
		if m != nil && err == nil && r.Method == Auto && p.mayBeSparse() {
			if m, wrong = onFeatures(ctx, m, p.Resources); m == nil {
				return nil, wrong
			}
		}
		if wrong == nil && err != nil {
			stopped = &learn.Stopped[any]{Model: m, Err: err}
		}
		return m, cmp.Or(wrong, err)
	})
	if err != nil && stopped != nil {
		err = stopped
	}
	return m, err
}

// onFeatures is a model that keeps weights of sparse features in place of its points, where the kernel
// has them.
func onFeatures(ctx context.Context, m *Regressor[any], r learn.Resources) (*Regressor[any], error) {
	f, note, err := fitting.ByFeatures(ctx, m.Func(), r)
	if f == nil || err != nil {
		return m, err
	}
	report := m.Report()
	report.Notes = append(report.Notes, note)
	return newRegressor(f, report), nil
}

// Regressor is a fitted Regression; its function has one output for each column of the targets, and
// Predict is the first.
type Regressor[T any] struct {
	learn.ExpansionRegressor[T]
}

func newRegressor[T any](f *rkhs.Func[T], r learn.Report) *Regressor[T] {
	return &Regressor[T]{*learn.NewExpansionRegressor(f, nil, r)}
}

// Targets is the number of outputs.
func (m *Regressor[T]) Targets() int { return m.Func().Outputs() }

// Of is the regression of one output, counted from 0, alone.
func (m *Regressor[T]) Of(t int) learn.Model[T] {
	if m.Targets() == 1 {
		return m
	}
	return newRegressor(m.Func().Output(t), m.Report())
}

// PredictMulti returns all outputs, a row for each point.
func (m *Regressor[T]) PredictMulti(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.New(ctx, m.Func(), x)
}

// PredictMultiTo writes all outputs of point i to row i of dst.
func (m *Regressor[T]) PredictMultiTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	return apply.To(ctx, m.Func(), dst, x)
}
