package features

import (
	"context"
	"fmt"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
)

// Regression is ridge regression on random features, in one pass over the rows,
//
//	minimise over v, b   ½Σ wᵢ (yᵢ - ⟨v, φ(xᵢ)⟩ - b)² + (λ/2)‖v‖².
//
// The certificate of a fit is the relative residual of the normal equations.
type Regression[T any] struct {
	Kernel    kernel.Kernel[T] // stationary, of which the spectral measure is known
	Lambda    float64          // λ > 0; 0 means 1
	Intercept bool             // fit b, without penalty; else b = 0
	Weights   []float64        // wᵢ ≥ 0, one for each point; nil means 1

	Options
}

// Fit learns from points and their values.
func (r Regression[T]) Fit(ctx context.Context, x data.Points[T], y []float64) (_ *Regressor[T], err error) {
	defer fault.Name("random features", &err)
	if err := fitting.CheckTargets(x, y); err != nil {
		return nil, err
	}
	if _, err := fitting.Prices(1, len(y), r.Weights); err != nil {
		return nil, err
	}
	return r.fit(ctx, data.NewInMemory(x, y, 1, r.Weights))
}

// FitSource learns from rows that come in blocks, in one pass, with as many outputs as they have
// targets.
func (r Regression[T]) FitSource(ctx context.Context, rows data.Source[T]) (_ *Regressor[T], err error) {
	defer fault.Name("random features", &err)
	if rows == nil || rows.Len() == 0 {
		return nil, learn.ErrNoPoints
	}
	if rows.Outputs() < 1 {
		return nil, fmt.Errorf("the rows have no targets")
	}
	return r.fit(ctx, rows)
}

func (r Regression[T]) fit(ctx context.Context, rows data.Source[T]) (*Regressor[T], error) {
	f, report, err := solveRidge(ctx, "features", r.Kernel, rows, r.Lambda, r.Intercept, r.Options, rows.Outputs(), nil)
	if err != nil {
		return nil, err
	}
	return &Regressor[T]{*learn.NewExpansionRegressor(f, nil, report)}, nil
}

// Regressor is a fitted Regression; its function has one output for each target of the rows, and
// Predict is the first.
type Regressor[T any] struct{ learn.ExpansionRegressor[T] }

// Targets is the number of outputs.
func (m *Regressor[T]) Targets() int { return m.Func().Outputs() }

// Of is the regression of one output, counted from 0, alone.
func (m *Regressor[T]) Of(t int) learn.Model[T] {
	if m.Targets() == 1 {
		return m
	}
	return &Regressor[T]{*learn.NewExpansionRegressor(m.Func().Output(t), nil, m.Report())}
}

// solveRidge is ridge regression of all outputs.
func solveRidge[T any](
	ctx context.Context, name string, k kernel.Kernel[T], rows data.Source[T], lambda float64, intercept bool, o Options,
	outputs int, t targets,
) (*rkhs.Func[T], learn.Report, error) {
	start := time.Now()
	o, err := prepare(k, rows, o, &lambda, outputs, true)
	if err != nil {
		return nil, learn.Report{}, err
	}
	s, err := addSquares(ctx, k, rows, o, outputs, t)
	if err != nil {
		return nil, learn.Report{}, err
	}
	found, err := s.solve(ctx, lambda, intercept, o.Threads)
	if err != nil {
		return nil, learn.Report{}, err
	}
	f, err := s.waves.function(found.v, found.bias)
	if err != nil {
		return nil, learn.Report{}, err
	}
	report := learn.Report{Learner: name, Iterations: 1, Objective: found.objective, Certificate: found.residual,
		Certified: "relative residual",
		Converged: found.residual <= 1e-9, Bytes: bytesFor(o.Frequencies, outputs, true), Elapsed: time.Since(start)}
	if !report.Converged {
		report.Warnings = append(report.Warnings,
			fmt.Sprintf("relative residual %.2g: the equations are nearly singular; raise lambda", found.residual))
	}
	return f, report, nil
}

// prepare checks what does not need the rows.
func prepare[T any](
	k kernel.Kernel[T], rows data.Source[T], o Options, lambda *float64, outputs int, squares bool,
) (Options, error) {
	o, err := o.withDefaults(rows.Len())
	if err != nil {
		return o, err
	}
	if err := kernel.Validate(k); err != nil {
		return o, err
	}
	if err := fitting.SetOrDefault("Lambda", lambda, 1); err != nil {
		return o, err
	}
	if need := bytesFor(o.Frequencies, outputs, squares); need > o.Bytes {
		return o, &learn.OverBudget{Learner: "random features", Points: rows.Len(), Needs: need, Budget: o.Bytes,
			Instead: "give it more memory or take fewer frequencies"}
	}
	return o, nil
}
