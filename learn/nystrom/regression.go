package nystrom

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Regression is ridge regression on few centres,
//
//	minimise over f = Σ αⱼ k(cⱼ, ·), b   Σ wᵢ (yᵢ - f(xᵢ) - b)² + λ‖f‖².
//
// With all points as centres it is ridge regression itself. The certificate of a fit is the
// relative residual of the normal equations in an orthonormal basis of the functions.
type Regression[T any] struct {
	Kernel    kernel.Kernel[T]
	Lambda    float64 // λ > 0; 0 means 1
	PerPoint  bool    // λ stands for n·λ: the loss is a mean, not a sum
	Intercept bool    // fit b, without penalty; else b = 0

	Weights []float64      // wᵢ ≥ 0, one for each point; nil means 1
	Given   data.Points[T] // the centres, in place of a draw; nil means none

	Options
}

// Fit learns from points and their values. When ctx ends in the iterations of Falkon the error is a
// *learn.Stopped.
func (r Regression[T]) Fit(ctx context.Context, x data.Points[T], y []float64) (*Regressor[T], error) {
	m, err := r.open().fitOne(ctx, data.Erase(x), y, 1)
	return fitted(r.Kernel, m, err)
}

// FitMulti learns several outputs at once, a column of y each.
func (r Regression[T]) FitMulti(ctx context.Context, x data.Points[T], y *mat.Dense) (*Regressor[T], error) {
	m, err := r.open().fitMulti(ctx, data.Erase(x), y)
	return fitted(r.Kernel, m, err)
}

// regression is a Regression of points that have lost their type.
type regression Regression[any]

func (r Regression[T]) open() regression {
	return regression{
		Kernel: kernel.Erase(r.Kernel), Lambda: r.Lambda, PerPoint: r.PerPoint, Intercept: r.Intercept,
		Weights: r.Weights, Given: data.Erase(r.Given), Options: r.Options,
	}
}

// typed gives the points of a regression their type back.
func typed[T any](k kernel.Kernel[T], m *Regressor[any]) *Regressor[T] {
	if same, ok := any(m).(*Regressor[T]); ok || m == nil {
		return same
	}
	return &Regressor[T]{*learn.NewExpansionRegressor(rkhs.Typed(k, m.Func()), nil, m.Report()), m.condition}
}

// typedStop gives the points of the model that a *learn.Stopped holds their type back.
func typedStop[T any](k kernel.Kernel[T], err error) error {
	return fitting.TypedStop(err, func(m learn.Model[any]) learn.Model[T] { return typed(k, m.(*Regressor[any])) })
}

// fitted is what a fit of points that have lost their type gives, for points that have it.
func fitted[T any](k kernel.Kernel[T], m *Regressor[any], err error) (*Regressor[T], error) {
	if err != nil {
		return nil, fmt.Errorf("nystrom: %w", typedStop(k, err))
	}
	return typed(k, m), nil
}

func (r regression) fitMulti(ctx context.Context, x data.Points[any], y *mat.Dense) (*Regressor[any], error) {
	if y == nil || y.IsEmpty() {
		return nil, learn.ErrNoPoints
	}
	rows, outputs := y.Dims()
	flat := make([]float64, 0, rows*outputs)
	for i := range rows {
		flat = append(flat, y.RawRowView(i)...)
	}
	return r.fitOne(ctx, x, flat, outputs)
}

func (r regression) fitOne(
	ctx context.Context, x data.Points[any], y []float64, outputs int,
) (*Regressor[any], error) {
	m, err := r.path(ctx, x, y, outputs, nil, []float64{r.Lambda})
	if err != nil {
		return nil, err
	}
	return m[0], nil
}

// Path learns the same for every λ of a list, in its order, for little more than for one: Direct
// decomposes the equations once, Falkon goes from the largest λ to the smallest and starts each
// from the one before. Lambda is not read.
func (r Regression[T]) Path(
	ctx context.Context, x data.Points[T], y []float64, lambdas []float64,
) ([]*Regressor[T], error) {
	m, err := r.open().path(ctx, data.Erase(x), y, 1, nil, lambdas)
	if err != nil {
		return nil, fmt.Errorf("nystrom: %w", typedStop(r.Kernel, err))
	}
	return typedAll(r.Kernel, m), nil
}

func typedAll[T any](k kernel.Kernel[T], m []*Regressor[any]) []*Regressor[T] {
	out := make([]*Regressor[T], len(m))
	for i := range m {
		out[i] = typed(k, m[i])
	}
	return out
}

func (r regression) path(
	ctx context.Context, x data.Points[any], y []float64, outputs int, t targets, lambdas []float64,
) ([]*Regressor[any], error) {
	if x == nil || x.Len() == 0 {
		return nil, learn.ErrNoPoints
	}
	if len(y) != x.Len()*outputs {
		return nil, fmt.Errorf("%d points but %d targets", x.Len(), len(y)/outputs)
	}
	if _, err := fitting.Prices(1, x.Len(), r.Weights); err != nil {
		return nil, err
	}
	if err := kernel.Check(r.Kernel, x); err != nil {
		return nil, err
	}
	x, y, r.Weights = weighty(x, y, outputs, r.Weights)
	moved := fitting.Moved[any]{Points: x}
	if r.Intercept && r.Given == nil {
		moved = fitting.MoveToMean(r.Kernel, x)
	}
	columns := outputs
	if t != nil {
		outputs = t.outputs()
	}
	return r.solve(ctx, data.NewInMemory(moved.Points, y, columns, r.Weights), outputs, t, moved, lambdas)
}

// weighty leaves out the points of weight 0, which have no say, not even in where the points lie.
func weighty(
	x data.Points[any], y []float64, outputs int, weights []float64,
) (data.Points[any], []float64, []float64) {
	if !slices.Contains(weights, 0) {
		return x, y, weights
	}
	var keep []int
	var targets []float64
	for i, w := range weights {
		if w > 0 {
			keep = append(keep, i)
			targets = append(targets, y[i*outputs:(i+1)*outputs]...)
		}
	}
	return data.Gather(x, keep), targets, data.Take(weights, keep)
}

// FitSource learns from rows that come in blocks, with as many outputs as they have targets.
func (r Regression[T]) FitSource(ctx context.Context, rows data.Source[T]) (*Regressor[T], error) {
	m, err := r.open().fitSource(ctx, fitting.EraseSource(rows))
	return fitted(r.Kernel, m, err)
}

func (r regression) fitSource(ctx context.Context, rows data.Source[any]) (*Regressor[any], error) {
	if rows == nil || rows.Len() == 0 {
		return nil, learn.ErrNoPoints
	}
	if rows.Outputs() < 1 {
		return nil, fmt.Errorf("the rows have no targets")
	}
	m, err := r.solve(ctx, rows, rows.Outputs(), nil, fitting.Moved[any]{}, []float64{r.Lambda})
	if err != nil {
		return nil, err
	}
	return m[0], nil
}

func (r regression) solve(
	ctx context.Context, rows data.Source[any], outputs int, t targets, moved fitting.Moved[any], lambdas []float64,
) ([]*Regressor[any], error) {
	start := time.Now()
	lambdas = slices.Clone(lambdas)
	if len(lambdas) == 0 {
		return nil, fmt.Errorf("a path needs some λ")
	}
	for i := range lambdas {
		if err := fitting.SetOrDefault("Lambda", &lambdas[i], 1); err != nil {
			return nil, err
		}
	}
	scale := 1.0
	if r.PerPoint {
		scale = float64(rows.Len())
	}
	r.onDevice = true
	p, err := newProblem(ctx, r.Options, r.Kernel, rows, t, outputs, r.Intercept, r.Given, scale*slices.Min(lambdas))
	if err != nil {
		return nil, r.explain(ctx, err, moved.Points)
	}
	defer p.close()
	if r.PerPoint { // of the rows that count
		scale = float64(p.kept)
	}
	for i := range lambdas {
		lambdas[i] *= scale
	}
	out, err := p.fitPath(ctx, lambdas, moved, start)
	if err != nil {
		return nil, r.explain(ctx, err, moved.Points)
	}
	return out, nil
}

// explain is an error, or what is wrong with the kernel behind it.
func (r regression) explain(ctx context.Context, err error, x data.Points[any]) error {
	return fitting.Explain(ctx, err, r.Kernel, x, r.Resources)
}

// fitPath solves for every λ.
func (p *problem) fitPath(
	ctx context.Context, lambdas []float64, moved fitting.Moved[any], start time.Time,
) ([]*Regressor[any], error) {
	out := make([]*Regressor[any], len(lambdas))
	if p.Solver == Direct || p.Solver == Auto && p.basis.dim() <= directUpTo {
		sums, err := p.sums(ctx, p.rows)
		if err != nil {
			return nil, err
		}
		n := p.normalOf(sums)
		if len(lambdas) > 1 {
			if err := n.decompose(ctx); err != nil {
				return nil, err
			}
		}
		for i, lambda := range lambdas {
			var s *solution
			if len(lambdas) > 1 {
				s = n.at(lambda)
			} else if s, err = n.solve(ctx, lambda); err != nil {
				return nil, err
			}
			if out[i], err = p.model(s, Direct, moved, start); err != nil {
				return nil, err
			}
		}
		return out, ctx.Err()
	}
	f, err := p.newFalkon(ctx)
	if err != nil {
		return nil, err
	}
	order := make([]int, len(lambdas))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lambdas[b], lambdas[a]) })
	v := linalg.New[float64](p.basis.dim(), p.outputs)
	for turn, i := range order {
		s, stopped := f.solve(ctx, lambdas[i], v, turn > 0)
		if s == nil {
			return nil, stopped
		}
		s.v = v.Clone()
		if out[i], err = p.model(s, Falkon, moved, start); err != nil {
			return nil, err
		}
		if stopped == nil {
			stopped = ctx.Err()
		}
		if stopped != nil && ctx.Err() != nil {
			return nil, &learn.Stopped[any]{Model: out[i], Err: ctx.Err()}
		}
		if stopped != nil {
			return nil, stopped
		}
	}
	return out, nil
}

// model turns a solution into a function with a report.
func (p *problem) model(s *solution, how Solver, moved fitting.Moved[any], start time.Time) (*Regressor[any], error) {
	f, err := p.function(s.v, s.bias, moved)
	if err != nil {
		return nil, err
	}
	report := learn.Report{
		Learner: "nystrom (" + how.String() + ")", Iterations: s.steps, Objective: s.objective, Certificate: s.residual,
		Certified: "relative residual",
		Converged: s.settled, Bytes: bytesFor(p.basis.dim(), p.outputs),
		Warnings: append(slices.Clone(p.warnings), p.Device.Notes()...), Elapsed: time.Since(start),
	}
	if !s.settled {
		remedy := "the equations are nearly singular; raise lambda"
		if how == Falkon && !math.IsInf(s.condition, 0) {
			remedy = fmt.Sprintf("the preconditioned equations have a condition number of %.2g; allow more iterations, take "+
				"more centres or raise lambda", s.condition)
		}
		report.Warnings = append(report.Warnings,
			fmt.Sprintf("relative residual %.2g after %d iterations is above the tolerance: %s", s.residual, s.steps, remedy))
	}
	return &Regressor[any]{*learn.NewExpansionRegressor(f, nil, report), s.condition}, nil
}

// function is ⟨v, φ⟩ + bias, of points where they were.
func (p *problem) function(
	v linalg.Matrix[float64], bias []float64, moved fitting.Moved[any],
) (*rkhs.Func[any], error) {
	coef := linalg.Dense(p.basis.coefficients(v))
	f := &rkhs.Func[any]{Kernel: p.kernel, Centers: p.basis.centers, Coef: coef, Bias: bias}
	if moved.Moved() {
		f = moved.Back(f)
	}
	return f, fitting.FiniteCoefficients(f)
}

// Regressor is a fitted Regression; its function has one output for each column of the targets, and
// Predict is the first.
type Regressor[T any] struct {
	learn.ExpansionRegressor[T]
	condition float64
}

// Condition is the condition number of the preconditioned equations that Falkon solved, as far as
// it has seen their eigenvalues: of order one where the centres know the rows well. 0 means that
// nothing was iterated.
func (m *Regressor[T]) Condition() float64 { return m.condition }

// Targets is the number of outputs.
func (m *Regressor[T]) Targets() int { return m.Func().Outputs() }

// Of is the regression of one output, counted from 0, alone.
func (m *Regressor[T]) Of(t int) learn.Model[T] {
	if m.Targets() == 1 {
		return m
	}
	return &Regressor[T]{*learn.NewExpansionRegressor(m.Func().Output(t), nil, m.Report()), m.condition}
}

// PredictMulti returns all outputs, a row for each point.
func (m *Regressor[T]) PredictMulti(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.New(ctx, m.Func(), x)
}

// PredictMultiTo writes all outputs of point i to row i of dst.
func (m *Regressor[T]) PredictMultiTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	return apply.To(ctx, m.Func(), dst, x)
}
