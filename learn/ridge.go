package learn

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// RidgeMethod names a way to solve the equations of ridge regression.
type RidgeMethod int

const (
	// RidgeAuto is RidgePrimal where the kernel has fewer explicit features than
	// there are points, else the fastest direct method the byte budget allows, else
	// RidgeCG.
	RidgeAuto RidgeMethod = iota
	// RidgeCholesky factorises K + λI in float64: 8n² bytes.
	RidgeCholesky
	// RidgeMixed factorises in float32, at twice the speed, and refines in float64
	// until the solution is as good as one of RidgeCholesky: 12n² bytes. Where
	// single precision cannot do it, RidgeCholesky takes over.
	RidgeMixed
	// RidgeCG is conjugate gradients preconditioned by a pivoted incomplete
	// Cholesky factor; any n in any budget.
	RidgeCG
	// RidgePrimal solves for the weights of explicit features.
	RidgePrimal
)

func (m RidgeMethod) String() string {
	switch m {
	case RidgeCholesky:
		return "Cholesky"
	case RidgeMixed:
		return "mixed precision"
	case RidgeCG:
		return "conjugate gradients"
	case RidgePrimal:
		return "primal"
	}
	return "auto"
}

// Ridge is regularised least squares in the RKHS of Kernel (kernel ridge
// regression; Saunders, Gammerman and Vovk 1998),
//
//	minimise over f, b   Σ wᵢ (yᵢ - f(xᵢ) - b)² + λ‖f‖².
//
// By the representer theorem f = Σ αᵢ k(xᵢ, ·), with (K + λW⁻¹)α + b·1 = y and,
// when there is an intercept, 1ᵀα = 0. The certificate of a fit is the relative
// residual of that system.
type Ridge[T any] struct {
	Kernel   kernel.Kernel[T]
	Lambda   float64 // λ > 0; 0 means 1
	PerPoint bool    // λ stands for n·λ: the loss is a mean, not a sum

	Intercept bool // fit b, without penalty; else b = 0
	// Free lists points z whose functions k(z, ·) are fitted without penalty beside
	// f: the null space of a semi-parametric model, such as the straight lines of the smoothing
	// spline. nil means none.
	Free data.Points[T]

	SampleWeights []float64 // wᵢ ≥ 0, one for each point; nil means 1

	Method RidgeMethod
	Tol    float64 // relative residual at which RidgeCG stops; 0 means 1e-8
	Rank   int     // of the preconditioner of RidgeCG; 0 means chosen by n and the budget

	Resources
}

// Fit learns from points and their values.
func (r Ridge[T]) Fit(ctx context.Context, x data.Points[T], y []float64) (*RidgeModel[T], error) {
	if err := checkTargets(x, y); err != nil {
		return nil, fmt.Errorf("ridge: %w", err)
	}
	return r.FitMulti(ctx, x, mat.NewDense(len(y), 1, append([]float64(nil), y...)))
}

// FitMulti learns several outputs at once, a column of y each, from one
// factorisation.
func (r Ridge[T]) FitMulti(ctx context.Context, x data.Points[T], y *mat.Dense) (*RidgeModel[T], error) {
	m, err := r.fit(ctx, x, y)
	if err != nil {
		return nil, fmt.Errorf("ridge: %w", err)
	}
	return m, nil
}

func (r Ridge[T]) fit(ctx context.Context, x data.Points[T], y *mat.Dense) (*RidgeModel[T], error) {
	start := time.Now()
	p, err := r.problem(x, y)
	if err != nil {
		return nil, err
	}
	return heeding(ctx, func() (*RidgeModel[T], error) {
		method, features := p.choose(r.Method)
		if method == RidgePrimal {
			if features == nil {
				return nil, fmt.Errorf("kernel %T has no explicit features here; use another Method", r.Kernel)
			}
			return p.fitPrimal(ctx, features, start)
		}
		if p.free.Cols > 0 {
			if _, err := p.nullSpace(ctx); err != nil {
				return nil, err
			}
		}
		var s *ridgeSolution
		switch method {
		case RidgeCG:
			s, err = p.solveCG(ctx, r.Tol, r.Rank)
		default:
			s, err = p.solveDense(ctx, method)
		}
		if err != nil {
			return nil, err
		}
		return p.model(s, start)
	})
}

// RidgeModel is a fitted Ridge.
type RidgeModel[T any] struct {
	f      *rkhs.Func[T]
	report Report
}

// Func is the fitted function, one output for each column of the targets.
func (m *RidgeModel[T]) Func() *rkhs.Func[T] { return m.f }

// Report says how the fit went.
func (m *RidgeModel[T]) Report() Report { return m.report }

// Predict evaluates the first output.
func (m *RidgeModel[T]) Predict(dst []float64, x data.Points[T]) []float64 {
	if m.f.Outputs() == 1 {
		return evaluate(m.f, dst, x)
	}
	all := m.PredictMulti(nil, x)
	if len(dst) < x.Len() {
		dst = make([]float64, x.Len())
	}
	dst = dst[:x.Len()]
	for i := range dst {
		dst[i] = all.At(i, 0)
	}
	return dst
}

// PredictMulti writes all outputs, a row for each point, into dst, or into a
// new matrix when dst is nil.
func (m *RidgeModel[T]) PredictMulti(dst *mat.Dense, x data.Points[T]) *mat.Dense {
	return evaluateAll(m.f, dst, x)
}

// evaluateAll is the values of a function with any number of outputs.
func evaluateAll[T any](f *rkhs.Func[T], dst *mat.Dense, x data.Points[T]) *mat.Dense {
	if x.Len() == 0 {
		return dst
	}
	if dst == nil {
		dst = mat.NewDense(x.Len(), f.Outputs(), nil)
	}
	f.EvalTo(dst, x)
	return dst
}

// columnNorms is the Euclidean norm of each column.
func columnNorms(m linalg.Matrix[float64]) []float64 {
	norms := make([]float64, m.Cols)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			norms[j] = math.Hypot(norms[j], v)
		}
	}
	return norms
}
