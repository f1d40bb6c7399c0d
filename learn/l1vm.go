package learn

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// VectorMachineOptions is what the L1 and L2 vector machines share: linear
// models on the kernelised features [k(x, x₁) … k(x, xₙ)] with a penalty on the coefficients
// themselves, not on the norm of the function. The kernel need not be
// positive semi-definite. The zero value is a sound choice.
type VectorMachineOptions struct {
	Lambda        float64 // λ > 0; 0 means 1
	NoIntercept   bool    // leave the bias out; it is not penalised
	Tol           float64 // duality gap to reach, relative to the objective at 0; 0 means 1e-6
	MaxIterations int     // sweeps (L1 regression) or Newton steps; 0 means 100000 and 500

	Resources
}

func (o *VectorMachineOptions) check() error {
	if err := setOrDefault("Lambda", &o.Lambda, 1); err != nil {
		return err
	}
	if err := setOrDefault("Tol", &o.Tol, 1e-6); err != nil {
		return err
	}
	if o.MaxIterations < 0 {
		return fmt.Errorf("MaxIterations is %d; give a positive number, or 0", o.MaxIterations)
	}
	var err error
	o.Resources, err = o.Resources.withDefaults()
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
type machineSolver func(ctx context.Context, columns linalg.Matrix[float64], target, weight []float64, lambda float64, from *machineSolution) (machineSolution, error)

// L1VM is the L1 vector machine for regression: the lasso on kernelised features,
//
//	minimise over α, b   ½ Σ wᵢ(yᵢ - Σⱼ αⱼk(xⱼ, xᵢ) - b)² + λ‖α‖₁,
//
// by coordinate descent and feature-sign search. Support lists the points with αⱼ ≠ 0. The certificate is the
// relative duality gap.
type L1VM[T any] struct {
	Kernel        kernel.Kernel[T]
	SampleWeights []float64 // wᵢ; nil means 1
	VectorMachineOptions
}

// Fit learns from points and their values.
func (c L1VM[T]) Fit(ctx context.Context, x data.Points[T], y []float64) (*ExpansionRegressor[T], error) {
	return only(fitVectorMachine(ctx, "l1vm", c.Kernel, c.VectorMachineOptions, c.SampleWeights, x, y, nil, lassoSolver))
}

// Path fits at each of the given λ in place of Lambda, on one kernel matrix and each from the solution
// at the next larger λ. Models come in the order of the λ.
func (c L1VM[T]) Path(ctx context.Context, x data.Points[T], y, lambdas []float64) ([]*ExpansionRegressor[T], error) {
	return fitVectorMachine(ctx, "l1vm", c.Kernel, c.VectorMachineOptions, c.SampleWeights, x, y, lambdas, lassoSolver)
}

func lassoSolver(o VectorMachineOptions) machineSolver {
	return func(ctx context.Context, columns linalg.Matrix[float64], target, weight []float64, lambda float64, from *machineSolution) (machineSolution, error) {
		p := &solve.Lasso{Columns: columns, Target: target, Weight: weight, Intercept: !o.NoIntercept, Tol: o.Tol, MaxIter: o.MaxIterations, Threads: o.Threads, Trace: o.Trace}
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

// L1VMClassifier is the L1 vector machine for classification: with the loss
// log(1 + e^{-yf}) in place of the square. More than two classes are told
// apart one against the rest.
type L1VMClassifier[T any, L cmp.Ordered] struct {
	Kernel        kernel.Kernel[T]
	Balance       Balance       // weights of the classes ClassWeights does not name
	ClassWeights  map[L]float64 // weight of a class
	SampleWeights []float64     // weight of a point; nil means 1
	VectorMachineOptions
}

// Fit learns from points and their labels.
func (c L1VMClassifier[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (*VectorMachineModel[T, L], error) {
	labels, weights, err := checkClassification(c.Kernel, x, y, c.Balance, c.ClassWeights, c.SampleWeights)
	if err != nil {
		return nil, fmt.Errorf("l1vm classifier: %w", err)
	}
	return only(fitVectorMachines(ctx, "l1vm classifier", c.Kernel, c.VectorMachineOptions, x, labels, weights, nil, sparseLogisticSolver))
}

// Path fits at each of the given λ, as that of L1VM does.
func (c L1VMClassifier[T, L]) Path(ctx context.Context, x data.Points[T], y []L, lambdas []float64) ([]*VectorMachineModel[T, L], error) {
	labels, weights, err := checkClassification(c.Kernel, x, y, c.Balance, c.ClassWeights, c.SampleWeights)
	if err != nil {
		return nil, fmt.Errorf("l1vm classifier: %w", err)
	}
	return fitVectorMachines(ctx, "l1vm classifier", c.Kernel, c.VectorMachineOptions, x, labels, weights, lambdas, sparseLogisticSolver)
}

func sparseLogisticSolver(o VectorMachineOptions) machineSolver {
	return func(ctx context.Context, columns linalg.Matrix[float64], target, weight []float64, lambda float64, from *machineSolution) (machineSolution, error) {
		p := &solve.L1Logistic{Columns: columns, Sign: target, Weight: weight, Intercept: !o.NoIntercept, Tol: o.Tol, MaxIter: o.MaxIterations, Threads: o.Threads, Trace: o.Trace}
		s, err := p.Solve(ctx, lambda, from.before())
		return fromL1(s, target, weight, true), err
	}
}

func fromL1(s *solve.L1Solution, target, weight []float64, classes bool) machineSolution {
	if s == nil {
		return machineSolution{}
	}
	return machineSolution{beta: s.Beta, bias: s.Bias, value: s.Value, gap: s.Gap, one: objectiveAtZero(target, weight, classes), steps: s.Iterations, converged: s.Converged, sparse: s}
}

func objectiveAtZero(target, weight []float64, classes bool) float64 {
	one := 0.0
	for i, y := range target {
		if classes {
			one += weight[i] * math.Ln2
		} else {
			one += weight[i] * y * y / 2
		}
	}
	return math.Max(one, 1e-300)
}

// VectorMachineModel is a classifier whose decision values are log odds.
type VectorMachineModel[T any, L cmp.Ordered] struct {
	ExpansionClassifier[T, L]
}

// Proba writes the probability of each class, a row for each point: σ(f), for more
// than two classes divided by their sum. The most probable class is that of Predict.
func (m *VectorMachineModel[T, L]) Proba(dst *mat.Dense, x data.Points[T]) *mat.Dense {
	n := x.Len()
	if n == 0 {
		return dst
	}
	if dst == nil {
		dst = mat.NewDense(n, len(m.classes), nil)
	}
	f := m.Decision(nil, x)
	for i := range n {
		row := dst.RawRowView(i)
		if len(row) == 2 {
			row[0], row[1] = logistic(-f.At(i, 0)), logistic(f.At(i, 0))
			continue
		}
		for o := range row {
			row[o] = math.Max(logistic(f.At(i, o)), 1e-300)
		}
		total := sumOf(row)
		for o := range row {
			row[o] /= total
		}
	}
	return dst
}
