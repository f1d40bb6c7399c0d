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

// machineFit is the machine of one λ, for points that have lost their type.
type machineFit struct {
	f       *rkhs.Func[any]
	support []int
	report  learn.Report
}

// fitVectorMachine fits one output at each λ, or at that of the options where there is none.
func fitVectorMachine[T any](
	ctx context.Context, name string, k kernel.Kernel[T], o Options, sample []float64, x data.Points[T],
	y, lambdas []float64, solver func(Options) machineSolver,
) ([]*learn.ExpansionRegressor[T], error) {
	path, err := fitValues(ctx, name, kernel.Erase(k), o, sample, data.Erase(x), y, lambdas, solver)
	if err != nil {
		return nil, err
	}
	out := make([]*learn.ExpansionRegressor[T], len(path))
	for i, m := range path {
		out[i] = learn.NewExpansionRegressor(rkhs.Typed(k, m.f), m.support, m.report)
	}
	return out, nil
}

func fitValues(
	ctx context.Context, name string, k kernel.Kernel[any], o Options, sample []float64, x data.Points[any],
	y, lambdas []float64, solver func(Options) machineSolver,
) ([]machineFit, error) {
	weights, err := fitting.CheckRegression(k, x, y, sample)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return fitTargets(ctx, name, k, o, x, [][]float64{slices.Clone(y)}, weights, lambdas, solver)
}

// fitClasses fits one output for each one-vs-rest task.
func fitClasses(
	ctx context.Context, name string, k kernel.Kernel[any], o Options, x data.Points[any],
	labels learn.Labels[int], weights, lambdas []float64, solver func(Options) machineSolver,
) ([]machineFit, error) {
	var targets [][]float64
	for _, t := range labels.Tasks(learn.OneVsRest) {
		targets = append(targets, t.Targets())
	}
	return fitTargets(ctx, name, k, o, x, targets, weights, lambdas, solver)
}

func fitTargets(
	ctx context.Context, name string, k kernel.Kernel[any], o Options, x data.Points[any],
	targets [][]float64, weights, lambdas []float64, solver func(Options) machineSolver,
) ([]machineFit, error) {
	start := time.Now()
	err := o.check()
	if err == nil {
		lambdas, err = o.path(lambdas)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	own := data.Own(x)
	path, err := fitting.Heed(ctx, func() ([]machineFit, error) {
		return solveMachines(ctx, name, k, o, own, targets, weights, lambdas, solver(o), start)
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
// 0, and each solution is a good start for the next.
func solveMachines(
	ctx context.Context, name string, k kernel.Kernel[any], o Options, x data.Points[any], targets [][]float64,
	weights, lambdas []float64, run machineSolver, start time.Time,
) ([]machineFit, error) {
	columns, err := fitting.KernelBasis(ctx, name, k, x, o.Resources, 0, 1)
	if err != nil {
		return nil, err
	}
	order := par.Indices(0, len(lambdas))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lambdas[b], lambdas[a]) })
	path, last := make([]machineFit, len(lambdas)), make([]*machineSolution, len(targets))
	for _, at := range order {
		report := learn.Report{Learner: name, Certified: "relative duality gap", Converged: true,
			Bytes: 8 * int64(len(columns.Data))}
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
		report.Elapsed = time.Since(start)
		path[at] = machineFit{f, support, report}
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
		r.Warnings = append(r.Warnings,
			fmt.Sprintf("relative duality gap %.2g is above the tolerance %.2g after %d iterations", s.gap/s.one, tol, s.steps))
	}
}
