package sparse

import (
	"cmp"
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// L2VM is the L2 vector machine for regression: ridge regression on kernelised
// features,
//
//	minimise over α, b   ½ Σ wᵢ(yᵢ - Σⱼ αⱼk(xⱼ, xᵢ) - b)² + (λ/2)‖α‖²,
//
// with ‖α‖² where kernel ridge regression has αᵀKα. It keeps every point. Features as
// correlated as kernel columns make coordinate descent crawl on this
// problem, which has no zeros to exploit: it is solved by Cholesky factorisation of the normal
// equations, with the same certificate as L1VM, the relative duality gap.
type L2VM[T any] struct {
	Kernel  kernel.Kernel[T]
	Weights []float64 // wᵢ; nil means 1
	Options
}

func ridgeSolver(classes bool) func(Options) machineSolver {
	return func(o Options) machineSolver {
		return func(ctx context.Context, columns linalg.Matrix[float64], target, weight []float64, lambda float64,
			from *machineSolution) (machineSolution, error) {
			p := &fitting.RidgeGLM{Columns: columns, Target: target, Weight: weight, Logistic: classes,
				Intercept: !o.NoIntercept, Lambda: lambda, Threads: o.Threads, Trace: o.Trace}
			if from != nil && classes { // least squares are one step from anywhere
				p.From, p.FromBias = from.beta, from.bias
			}
			limit := o.MaxIterations
			if limit == 0 {
				limit = 500
			}
			s, err := p.Solve(ctx, o.Tol, limit)
			if err != nil {
				return machineSolution{}, err
			}
			return machineSolution{beta: s.Beta, bias: s.Bias, value: s.Value, gap: s.Gap,
				one: fitting.ObjectiveAtZero(target, weight, classes), steps: s.Steps, converged: s.Converged}, nil
		}
	}
}

// Fit learns from points and their values.
func (c L2VM[T]) Fit(ctx context.Context, x data.Points[T], y []float64) (*learn.ExpansionRegressor[T], error) {
	return only(fitVectorMachine(ctx, "l2vm", c.Kernel, c.Options, c.Weights, x, y, nil, ridgeSolver(false)))
}

// Path fits at each of the given λ, as that of L1VM does.
func (c L2VM[T]) Path(
	ctx context.Context, x data.Points[T], y, lambdas []float64,
) ([]*learn.ExpansionRegressor[T], error) {
	return fitVectorMachine(ctx, "l2vm", c.Kernel, c.Options, c.Weights, x, y, lambdas, ridgeSolver(false))
}

// L2VMClassification is the L2 vector machine for classification: with the loss
// log(1 + e^{-yf}) in place of the square, by Newton's method. More than two classes
// are told apart one against the rest.
type L2VMClassification[T any, L cmp.Ordered] struct {
	Kernel       kernel.Kernel[T]
	Balance      learn.Balance // weights of the classes ClassWeights does not name
	ClassWeights map[L]float64 // weight of a class
	Weights      []float64     // weight of a point; nil means 1
	Options
}

// Fit learns from points and their labels.
func (c L2VMClassification[T, L]) Fit(
	ctx context.Context, x data.Points[T], y []L,
) (*learn.LogOddsClassifier[T, L], error) {
	return only(L1VMClassification[T, L](c).path(ctx, "l2vm classifier", x, y, nil, ridgeSolver(true)))
}

// Path fits at each of the given λ, as that of L1VM does.
func (c L2VMClassification[T, L]) Path(
	ctx context.Context, x data.Points[T], y []L, lambdas []float64,
) ([]*learn.LogOddsClassifier[T, L], error) {
	return L1VMClassification[T, L](c).path(ctx, "l2vm classifier", x, y, lambdas, ridgeSolver(true))
}
