package sparse

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
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
func fitVectorMachine[T any](ctx context.Context, name string, k kernel.Kernel[T], o Options, sample []float64, x data.Points[T], y, lambdas []float64, solver func(Options) machineSolver) ([]*learn.ExpansionRegressor[T], error) {
	start := time.Now()
	weights, err := fitting.CheckRegression(k, x, y, sample)
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
	path, err := fitting.Heed(ctx, func() ([]*learn.ExpansionRegressor[T], error) {
		return solveMachines(ctx, name, k, o, own, [][]float64{y}, weights, lambdas, solver(o), func(f *rkhs.Func[T], support []int, r learn.Report) *learn.ExpansionRegressor[T] {
			r.Elapsed = time.Since(start)
			return learn.NewExpansionRegressor(f, support, r)
		})
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return path, nil
}

// fitVectorMachines fits one output for each one-vs-rest task.
func fitVectorMachines[T any, L cmp.Ordered](ctx context.Context, name string, k kernel.Kernel[T], o Options, x data.Points[T], labels learn.Labels[L], weights, lambdas []float64, solver func(Options) machineSolver) ([]*learn.LogOddsClassifier[T, L], error) {
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
	for _, t := range labels.Tasks(learn.OneVsRest) {
		targets = append(targets, t.Targets())
	}
	path, err := fitting.Heed(ctx, func() ([]*learn.LogOddsClassifier[T, L], error) {
		return solveMachines(ctx, name, k, o, own, targets, weights, lambdas, solver(o), func(f *rkhs.Func[T], support []int, r learn.Report) *learn.LogOddsClassifier[T, L] {
			r.Elapsed = time.Since(start)
			return learn.NewLogOddsClassifier(f, slices.Clone(labels.Classes), support, r)
		})
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return path, nil
}

// path is the λ of a path, or the one λ of the options.
func (o Options) path(lambdas []float64) ([]float64, error) {
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

// solveMachines fits all outputs at all λ, the largest first: there few coefficients are far from
// 0, and each solution is a good start for the next. done makes a model of each.
func solveMachines[T, M any](ctx context.Context, name string, k kernel.Kernel[T], o Options, x data.Points[T], targets [][]float64, weights, lambdas []float64, run machineSolver, done func(*rkhs.Func[T], []int, learn.Report) M) ([]M, error) {
	columns, err := fitting.KernelBasis(ctx, name, k, x, o.Resources, 0, 1)
	if err != nil {
		return nil, err
	}
	order := par.Indices(0, len(lambdas))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lambdas[b], lambdas[a]) })
	path, last := make([]M, len(lambdas)), make([]*machineSolution, len(targets))
	for _, at := range order {
		report := learn.Report{Learner: name, Certified: "relative duality gap", Converged: true, Bytes: 8 * int64(len(columns.Data))}
		var beta [][]float64
		var bias []float64
		for t, target := range targets {
			s, err := run(ctx, columns, target, weights, lambdas[at], last[t])
			if err != nil {
				return nil, err
			}
			last[t] = &s
			beta, bias = append(beta, s.beta), append(bias, s.bias)
			account(&report, s, o.Tol)
		}
		f, support := fitting.Expansion(k, x, beta, fitting.BiasOrNil(!o.NoIntercept, bias))
		if err := fitting.FiniteCoefficients(f); err != nil {
			return nil, err
		}
		path[at] = done(f, support, report)
	}
	return path, nil
}

// account takes the solution of one output into the report.
func account(r *learn.Report, s machineSolution, tol float64) {
	r.Iterations += s.steps
	r.Objective += s.value
	r.Certificate = math.Max(r.Certificate, s.gap/s.one)
	if !s.converged {
		r.Converged = false
		r.Warnings = append(r.Warnings, fmt.Sprintf("relative duality gap %.2g is above the tolerance %.2g after %d iterations", s.gap/s.one, tol, s.steps))
	}
}
