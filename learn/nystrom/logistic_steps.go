package nystrom

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/rkhs"
)

// LogisticSteps is Newton's method for Logistic where rows lie in many places: a step needs one
// pass over all of them, by AddRisk at the place At, whose sums Next takes. It goes on until Done.
// The steps are whole ones, halved while the risk does not fall. At the end the step from the last
// gradient is taken, too, as it costs nothing: Residual is of the place before it.
type LogisticSteps[T any] struct {
	*Equations[T]
	Lambda float64 // a row: λ stands for λ times the number of rows
	Tol    float64 // gradient, relative to that at f = 0, at which steps stop; NewLogisticSteps sets 1e-7

	At       []float64 // where the risk is to be summed next; at the end, the solution
	Passes   int       // taken
	Residual float64   // ‖gradient‖ relative to that at f = 0
	Done     bool

	objective float64 // with the penalty, at base
	scale     float64
	base      []float64 // the last place that was taken, with a step from there and its slope
	step      []float64
	slope     float64
	length    float64
	best      float64 // least residual, and passes since it was halved
	stale     int
}

// mostPasses bounds the passes of a fit: they are jobs of a cluster.
const mostPasses = 100

// NewLogisticSteps begins at f = 0.
func NewLogisticSteps[T any](e *Equations[T], lambda float64) (*LogisticSteps[T], error) {
	if e.Classes < 2 {
		return nil, fault.Errorf("logistic on centres", "the equations are of numbers, not of classes")
	}
	if !(lambda > 0) || math.IsInf(lambda, 0) {
		return nil, fault.Errorf("logistic on centres", "λ is %g; give a positive number", lambda)
	}
	return &LogisticSteps[T]{Equations: e, Lambda: lambda, Tol: 1e-7, At: make([]float64, e.riskSize()*(e.Classes-1)),
		Residual: 1, best: math.Inf(1)}, nil
}

// Onward is the same for more rows, times as many, from where this has arrived. The gradient at f =
// 0 is taken to be in proportion to the rows.
func (s *LogisticSteps[T]) Onward(times float64) *LogisticSteps[T] {
	return &LogisticSteps[T]{Equations: s.Equations, Lambda: s.Lambda, Tol: 1e-7, At: slices.Clone(s.At), Residual: 1,
		scale: times * s.scale, best: math.Inf(1)}
}

// Next takes the sums at At and moves on.
func (s *LogisticSteps[T]) Next(ctx context.Context, sums []float64) (err error) {
	defer fault.Name("logistic on centres", &err)
	if len(sums) != s.RiskLen() {
		return fmt.Errorf("a sum of %d numbers, want %d", len(sums), s.RiskLen())
	}
	for _, v := range sums {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("the sums are not finite; look for a kernel value that is not")
		}
	}
	if !(sums[1] > 0) {
		return learn.ErrNoPoints
	}
	s.Passes++
	lambda, m, k := s.Lambda*sums[0], s.Centers.Len(), s.Classes-1
	penalised := m * k // numbers of At that are not biases
	objective := sums[2] + lambda/2*fitting.SquaredNorm(s.At[:penalised])
	if s.base != nil && objective > s.objective+enoughGain*s.length*s.slope+rounding*math.Abs(s.objective) {
		if s.length /= 2; s.length < leastLength || s.Passes >= mostPasses {
			s.At, s.Done = s.base, true
			return ctx.Err()
		}
		s.move()
		return ctx.Err()
	}
	grad := slices.Clone(sums[RiskHead : RiskHead+len(s.At)])
	for i, v := range s.At[:penalised] {
		grad[i] += lambda * v
	}
	norm := math.Sqrt(fitting.SquaredNorm(grad))
	if s.scale == 0 {
		s.scale = norm
	}
	if s.Residual = 0; s.scale > 0 {
		s.Residual = norm / s.scale
	}
	if s.stale++; s.Residual < s.best/2 {
		s.best, s.stale = s.Residual, 0
	}
	s.base, s.objective, s.length = s.At, objective, 1
	if s.step, err = s.newton(ctx, sums, grad, lambda); err != nil {
		return err
	}
	s.slope = fitting.Dot(grad, s.step)
	s.move()
	if s.Done = s.Residual <= s.Tol || s.Passes >= mostPasses || s.stale > mostStale; s.Done {
		if s.Residual <= s.Tol { // Newton's model of the risk is as good as the risk here
			s.objective += s.slope / 2
		} else {
			s.At = s.base
		}
	}
	return ctx.Err()
}

// move goes along the step.
func (s *LogisticSteps[T]) move() {
	s.At = slices.Clone(s.base)
	for i, d := range s.step {
		s.At[i] += s.length * d
	}
}

// newton is -H⁻¹g. Numbers of At are ordered by feature, then by contrast.
func (s *LogisticSteps[T]) newton(ctx context.Context, sums, grad []float64, lambda float64) ([]float64, error) {
	n, m, k := s.riskSize(), s.Centers.Len(), s.Classes-1
	h, at := linalg.New[float64](n*k, n*k), RiskHead+n*k
	for a := range k {
		for b := range a + 1 {
			for i := range n {
				for j := range i + 1 { // each block is symmetric
					v := sums[at]
					at++
					h.Set(i*k+a, j*k+b, v)
					h.Set(i*k+b, j*k+a, v)
				}
			}
		}
	}
	for i := range m * k {
		h.Row(i)[i] += lambda
	}
	chol, err := linalg.NewCholeskyContext(ctx, s.Threads, h)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("the second derivative of the risk at λ = %g a row: %w; raise lambda", s.Lambda, err)
	}
	step := linalg.New[float64](n*k, 1)
	for i, g := range grad {
		step.Data[i] = -g
	}
	chol.Solve(s.Threads, step)
	return step.Data, nil
}

// Model is the classifier at At; classes are known by their places.
func (s *LogisticSteps[T]) Model() (*logistic.Classifier[T, int], error) {
	f, err := s.function()
	if err != nil {
		return nil, err
	}
	return logistic.NewClassifier(rkhs.Typed(s.Kernel, f), par.Indices(0, s.Classes), s.report()), nil
}

// function is the decision values at At.
func (s *LogisticSteps[T]) function() (_ *rkhs.Func[any], err error) {
	defer fault.Name("logistic on centres", &err)
	p, err := problemOf(s.open())
	if err != nil {
		return nil, err
	}
	c, m := contrastsOf(s.Classes), s.Centers.Len()
	k := c.free()
	v, bias := linalg.New[float64](m, p.outputs), make([]float64, p.outputs)
	for j := range m {
		c.scores(v.Row(j), s.At[j*k:(j+1)*k])
	}
	if s.Intercept {
		c.scores(bias, s.At[m*k:])
		bias = biases(bias, s.Center, v)
	} else {
		bias = nil
	}
	return p.function(v, bias, fitting.Moved[any]{})
}

func (s *LogisticSteps[T]) report() learn.Report {
	report := learn.Report{Learner: "logistic (Newton)", Iterations: s.Passes, Objective: s.objective,
		Certificate: s.Residual, Certified: "relative gradient norm",
		Converged: s.Done && s.Residual <= s.Tol, Bytes: 8 * int64(s.RiskLen()), Warnings: slices.Clone(s.Notes)}
	if !report.Converged {
		report.Warnings = append(report.Warnings,
			fmt.Sprintf("gradient norm %.2g is above the tolerance %.2g after %d passes", s.Residual, s.Tol, s.Passes))
	}
	return report
}
