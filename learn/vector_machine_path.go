package learn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// only is the one model of a path of one λ.
func only[M any](path []M, err error) (M, error) {
	if err != nil {
		var none M
		return none, err
	}
	return path[0], nil
}

// fitVectorMachine fits one output at each λ, or at that of the options where there is none.
func fitVectorMachine[T any](ctx context.Context, name string, k kernel.Kernel[T], o VectorMachineOptions, sample []float64, x data.Points[T], y, lambdas []float64, solver func(VectorMachineOptions) machineSolver) ([]*ExpansionRegressor[T], error) {
	start := time.Now()
	weights, err := checkRegression(k, x, y, sample)
	if err == nil {
		err = o.check()
	}
	if err == nil {
		lambdas, err = o.path(lambdas)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	own, y := data.Own(x), slices.Clone(y)
	path, err := heeding(ctx, func() ([]*ExpansionRegressor[T], error) {
		return solveMachines(ctx, name, k, o, own, [][]float64{y}, weights, lambdas, solver(o), func(m ExpansionRegressor[T]) *ExpansionRegressor[T] {
			m.report.Elapsed = time.Since(start)
			return &m
		})
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return path, nil
}

// fitVectorMachines fits one output for each one-vs-rest task.
func fitVectorMachines[T any, L cmp.Ordered](ctx context.Context, name string, k kernel.Kernel[T], o VectorMachineOptions, x data.Points[T], labels Labels[L], weights, lambdas []float64, solver func(VectorMachineOptions) machineSolver) ([]*VectorMachineModel[T, L], error) {
	start := time.Now()
	err := o.check()
	if err == nil {
		lambdas, err = o.path(lambdas)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	own := data.Own(x)
	var targets [][]float64
	for _, t := range labels.Tasks(OneVsRest) {
		targets = append(targets, t.Targets())
	}
	path, err := heeding(ctx, func() ([]*VectorMachineModel[T, L], error) {
		return solveMachines(ctx, name, k, o, own, targets, weights, lambdas, solver(o), func(m ExpansionRegressor[T]) *VectorMachineModel[T, L] {
			m.report.Elapsed = time.Since(start)
			return &VectorMachineModel[T, L]{ExpansionClassifier[T, L]{f: m.f, classes: slices.Clone(labels.Classes), support: m.support, report: m.report}}
		})
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return path, nil
}

// path is the λ of a path, or the one λ of the options.
func (o VectorMachineOptions) path(lambdas []float64) ([]float64, error) {
	if lambdas == nil {
		return []float64{o.Lambda}, nil
	}
	if len(lambdas) == 0 {
		return nil, fmt.Errorf("no λ for the path; give at least one")
	}
	for i, l := range lambdas {
		if !(l > 0) || math.IsInf(l, 0) {
			return nil, fmt.Errorf("λ %d of the path is %g; give positive, finite numbers", i, l)
		}
	}
	return slices.Clone(lambdas), nil
}

// solveMachines fits all outputs at all λ, the largest first: there few coefficients are far from 0, and each solution is a
// good start for the next. done makes a model of each.
func solveMachines[T, M any](ctx context.Context, name string, k kernel.Kernel[T], o VectorMachineOptions, x data.Points[T], targets [][]float64, weights, lambdas []float64, run machineSolver, done func(ExpansionRegressor[T]) M) ([]M, error) {
	columns, err := kernelBasis(ctx, name, k, x, o.Resources, 0, 1)
	if err != nil {
		return nil, err
	}
	order := everyIndex(len(lambdas))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lambdas[b], lambdas[a]) })
	path, last := make([]M, len(lambdas)), make([]*machineSolution, len(targets))
	for _, at := range order {
		m := ExpansionRegressor[T]{report: Report{Learner: name, Certified: "relative duality gap", Converged: true, Bytes: 8 * int64(len(columns.Data))}}
		var beta [][]float64
		var bias []float64
		for t, target := range targets {
			s, err := run(ctx, columns, target, weights, lambdas[at], last[t])
			if err != nil {
				return nil, err
			}
			last[t] = &s
			beta, bias = append(beta, s.beta), append(bias, s.bias)
			m.report.add(s, o.Tol)
		}
		m.f, m.support = expansionOf(k, x, beta, biasOrNil(!o.NoIntercept, bias))
		if err := finiteCoefficients(m.f); err != nil {
			return nil, err
		}
		path[at] = done(m)
	}
	return path, nil
}

// add takes the solution of one output into the report.
func (r *Report) add(s machineSolution, tol float64) {
	r.Iterations += s.steps
	r.Objective += s.value
	r.Certificate = math.Max(r.Certificate, s.gap/s.one)
	if !s.converged {
		r.Converged = false
		r.Warnings = append(r.Warnings, fmt.Sprintf("relative duality gap %.2g is above the tolerance %.2g after %d iterations", s.gap/s.one, tol, s.steps))
	}
}
