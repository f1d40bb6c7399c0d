package learn

import (
	"context"
	"fmt"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Ridge minimises Σ (yᵢ - f(xᵢ))² + λ‖f‖² over the RKHS of Kernel, whose
// solution is f = Σ αᵢ k(xᵢ, ·) with (K + λI) α = y.
type Ridge[T any] struct {
	Kernel kernel.Kernel[T]
	Lambda float64
}

// RidgeModel is a fitted Ridge.
type RidgeModel[T any] struct {
	f      *rkhs.Func[T]
	report Report
}

// Fit solves the regularised least-squares problem.
func (r Ridge[T]) Fit(ctx context.Context, x data.Points[T], y []float64) (*RidgeModel[T], error) {
	start := time.Now()
	if x.Len() != len(y) {
		return nil, fmt.Errorf("ridge: %d points but %d targets", x.Len(), len(y))
	}
	g, err := gram.New(r.Kernel, x, gram.Options{})
	if err != nil {
		return nil, err
	}
	k := g.(gram.Dense).Matrix()
	for i := range k.Rows {
		k.Row(i)[i] += r.Lambda
	}
	c, err := linalg.NewCholesky(0, k)
	if err != nil {
		return nil, fmt.Errorf("ridge: K + λI with λ = %g: %w", r.Lambda, err)
	}
	alpha := mat.NewDense(len(y), 1, append([]float64(nil), y...))
	c.Solve(0, linalg.Of(alpha))
	return &RidgeModel[T]{
		f:      &rkhs.Func[T]{Kernel: r.Kernel, Centers: x, Coef: alpha},
		report: Report{Learner: "ridge", Converged: true, Elapsed: time.Since(start)},
	}, nil
}

// Func is the fitted function.
func (m *RidgeModel[T]) Func() *rkhs.Func[T] { return m.f }

// Report says how the fit went.
func (m *RidgeModel[T]) Report() Report { return m.report }

// Predict evaluates the fitted function.
func (m *RidgeModel[T]) Predict(dst []float64, x data.Points[T]) []float64 {
	if len(dst) < x.Len() {
		dst = make([]float64, x.Len())
	}
	dst = dst[:x.Len()]
	if len(dst) > 0 {
		m.f.EvalTo(mat.NewDense(len(dst), 1, dst), x)
	}
	return dst
}

var _ Regressor[kernel.Vec] = (*RidgeModel[kernel.Vec])(nil)
