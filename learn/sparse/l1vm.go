package sparse

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
)

// Options is what the L1 and L2 vector machines share: linear
// models on the kernelised features [k(x, x₁) … k(x, xₙ)] with a penalty on the coefficients
// themselves, not on the norm of the function. The kernel need not be
// positive semi-definite. The zero value is a sound choice.
type Options struct {
	Lambda        float64 // λ > 0; 0 means 1
	NoIntercept   bool    // leave the bias out; it is not penalised
	Tol           float64 // duality gap to reach, relative to the objective at 0; 0 means 1e-6
	MaxIterations int     // sweeps (L1 regression) or Newton steps; 0 means 100000 and 500

	learn.Resources
}

func (o *Options) check() error {
	if err := fitting.SetOrDefault("Lambda", &o.Lambda, 1); err != nil {
		return err
	}
	if err := fitting.SetOrDefault("Tol", &o.Tol, 1e-6); err != nil {
		return err
	}
	if o.MaxIterations < 0 {
		return fmt.Errorf("MaxIterations is %d; give a positive number, or 0", o.MaxIterations)
	}
	var err error
	o.Resources, err = o.Resources.WithDefaults()
	return err
}

// machineSolution is what both solvers give.
type machineSolution struct {
	beta                  []float64
	bias, value, gap, one float64 // one: the objective the gap is relative to
	steps                 int
	converged             bool
	sparse                *solve.L1Solution // of an L1 machine, to go on from
}

// machineSolver solves at one λ, from the solution at another where there is one.
type machineSolver func(ctx context.Context, columns linalg.Matrix[float64], target, weight []float64, lambda float64,
	from *machineSolution) (machineSolution, error)

// L1VM is the L1 vector machine for regression: the lasso on kernelised features,
//
//	minimise over α, b   ½ Σ wᵢ(yᵢ - Σⱼ αⱼk(xⱼ, xᵢ) - b)² + λ‖α‖₁,
//
// by coordinate descent and feature-sign search. Support lists the points with αⱼ ≠ 0. The
// certificate is the relative duality gap.
type L1VM[T any] struct {
	Kernel  kernel.Kernel[T]
	Weights []float64 // wᵢ; nil means 1
	Options
}

// Fit learns from points and their values.
func (c L1VM[T]) Fit(ctx context.Context, x data.Points[T], y []float64) (*learn.ExpansionRegressor[T], error) {
	return only(fitVectorMachine(ctx, "l1vm", c.Kernel, c.Options, c.Weights, x, y, nil, lassoSolver))
}

// Path fits at each of the given λ in place of Lambda, on one kernel matrix and each from the
// solution at the next larger λ. Models come in the order of the λ.
func (c L1VM[T]) Path(
	ctx context.Context, x data.Points[T], y, lambdas []float64,
) ([]*learn.ExpansionRegressor[T], error) {
	return fitVectorMachine(ctx, "l1vm", c.Kernel, c.Options, c.Weights, x, y, lambdas, lassoSolver)
}

func lassoSolver(o Options) machineSolver {
	return func(ctx context.Context, columns linalg.Matrix[float64], target, weight []float64, lambda float64,
		from *machineSolution) (machineSolution, error) {
		p := &solve.Lasso{Columns: columns, Target: target, Weight: weight, Intercept: !o.NoIntercept, Tol: o.Tol,
			MaxIter: o.MaxIterations, Threads: o.Threads, Trace: o.Trace}
		s, err := p.SolveFrom(ctx, lambda, from.before())
		return fromL1(s, target, weight, false), err
	}
}

// before is the sparse solution to go on from, if any.
func (s *machineSolution) before() *solve.L1Solution {
	if s == nil {
		return nil
	}
	return s.sparse
}

// L1VMClassification is the L1 vector machine for classification: with the loss
// log(1 + e^{-yf}) in place of the square. More than two classes are told
// apart one against the rest.
type L1VMClassification[T any, L cmp.Ordered] struct {
	Kernel       kernel.Kernel[T]
	Balance      learn.Balance // weights of the classes ClassWeights does not name
	ClassWeights map[L]float64 // weight of a class
	Weights      []float64     // weight of a point; nil means 1
	Options
}

// Fit learns from points and their labels.
func (c L1VMClassification[T, L]) Fit(
	ctx context.Context, x data.Points[T], y []L,
) (*learn.LogOddsClassifier[T, L], error) {
	return only(c.path(ctx, "l1vm classifier", x, y, nil, sparseLogisticSolver))
}

// Path fits at each of the given λ, as that of L1VM does.
func (c L1VMClassification[T, L]) Path(
	ctx context.Context, x data.Points[T], y []L, lambdas []float64,
) ([]*learn.LogOddsClassifier[T, L], error) {
	return c.path(ctx, "l1vm classifier", x, y, lambdas, sparseLogisticSolver)
}

// path is Path by any solver: an L2VMClassification is told apart by that alone.
func (c L1VMClassification[T, L]) path(
	ctx context.Context, name string, x data.Points[T], y []L, lambdas []float64, solver func(Options) machineSolver,
) ([]*learn.LogOddsClassifier[T, L], error) {
	k, points := kernel.Erase(c.Kernel), data.Erase(x)
	labels, weights, err := fitting.CheckClassification(k, points, y, c.Balance, c.ClassWeights, c.Weights)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	path, err := fitClasses(ctx, name, k, c.Options, points, fitting.Codes(labels), weights, lambdas, solver)
	if err != nil {
		return nil, err
	}
	out := make([]*learn.LogOddsClassifier[T, L], len(path))
	for i, m := range path {
		f := rkhs.Typed(c.Kernel, m.f)
		out[i] = learn.NewLogOddsClassifier(f, slices.Clone(labels.Classes), m.support, m.report)
	}
	return out, nil
}

func sparseLogisticSolver(o Options) machineSolver {
	return func(ctx context.Context, columns linalg.Matrix[float64], target, weight []float64, lambda float64,
		from *machineSolution) (machineSolution, error) {
		p := &solve.L1Logistic{Columns: columns, Sign: target, Weight: weight, Intercept: !o.NoIntercept, Tol: o.Tol,
			MaxIter: o.MaxIterations, Threads: o.Threads, Trace: o.Trace}
		s, err := p.Solve(ctx, lambda, from.before())
		return fromL1(s, target, weight, true), err
	}
}

func fromL1(s *solve.L1Solution, target, weight []float64, classes bool) machineSolution {
	if s == nil {
		return machineSolution{}
	}
	return machineSolution{beta: s.Beta, bias: s.Bias, value: s.Value, gap: s.Gap,
		one: fitting.ObjectiveAtZero(target, weight, classes), steps: s.Iterations, converged: s.Converged, sparse: s}
}
