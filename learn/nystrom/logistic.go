package nystrom

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/rkhs"
)

// Logistic is logistic regression on few centres. For two classes, y = ±1, it is
//
//	minimise over f = Σ αⱼ k(cⱼ, ·), b   Σ wᵢ log(1 + e^{-yᵢ(f(xᵢ)+b)}) + (λ/2)‖f‖²,
//
// for more the multinomial model of logistic.Regression, one function for each class. Newton steps
// go along a path of decreasing λ, each step by conjugate gradients preconditioned by the centres
// (logistic FALKON; Marteau-Ferey, Bach and Rudi 2019). The certificate is the norm of the
// gradient, relative to that at f = 0. Kernel values are in double precision; Options.Solver and
// Precision are not read.
type Logistic[T any, L cmp.Ordered] struct {
	Kernel    kernel.Kernel[T]
	Lambda    float64 // λ > 0; 0 means 1
	PerPoint  bool    // λ stands for n·λ: the loss is a mean, not a sum
	Intercept bool    // fit b, without penalty; else b = 0

	Balance      learn.Balance  // weights of the classes ClassWeights does not name
	ClassWeights map[L]float64  // weight of a class
	Weights      []float64      // weight of a point; nil means 1
	Given        data.Points[T] // the centres, in place of a draw; nil means none

	Options // MaxIterations counts Newton steps
}

// Fit learns from points and their labels. When ctx ends between Newton steps the error is a
// *learn.Stopped.
func (c Logistic[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (_ *logistic.Classifier[T, L], err error) {
	defer fault.Name("logistic on centres", &err)
	points := data.Erase(x)
	labels, weights, err := checkLabels(points, y, c.Balance, c.ClassWeights, c.Weights)
	if err != nil {
		return nil, err
	}
	found, err := c.open(weights).fitPoints(ctx, points, labels.Code, len(labels.Classes))
	if err != nil {
		return nil, err
	}
	return logisticOf(ctx, c.Kernel, found, labels.Classes)
}

// found is what the fit of a classifier ends with, for points and labels that have lost their types:
// what it was stopped by, if it was, is beside it.
type found struct {
	f       *rkhs.Func[any]
	report  learn.Report
	stopped error
}

func logisticOf[T any, L cmp.Ordered](
	ctx context.Context, k kernel.Kernel[T], of *found, classes []L,
) (*logistic.Classifier[T, L], error) {
	return fitting.Kept[T](ctx, logistic.NewClassifier(rkhs.Typed(k, of.f), classes, of.report), of.stopped)
}

// logisticFit is a Logistic of points and labels that have lost their types.
type logisticFit Logistic[any, int]

func (c Logistic[T, L]) open(weights []float64) logisticFit {
	return logisticFit{
		Kernel: kernel.Erase(c.Kernel), Lambda: c.Lambda, PerPoint: c.PerPoint, Intercept: c.Intercept,
		Weights: weights, Given: data.Erase(c.Given), Options: c.Options,
	}
}

func (c logisticFit) fitPoints(
	ctx context.Context, x data.Points[any], code []int, classes int,
) (*found, error) {
	start := time.Now()
	if err := fitting.SetOrDefault("Lambda", &c.Lambda, 1); err != nil {
		return nil, err
	}
	if err := kernel.Check(c.Kernel, x); err != nil {
		return nil, err
	}
	x, codes, weights := weighty(x, codesOf(code), 1, c.Weights)
	moved := fitting.Moved[any]{Points: x}
	if c.Intercept && c.Given == nil {
		moved = fitting.MoveToMean(c.Kernel, x)
	}
	m, err := c.fit(ctx, data.NewInMemory(moved.Points, codes, 1, weights), classes, moved, start)
	return m, fitting.Explain(ctx, err, c.Kernel, x, c.Resources)
}

// FitSource learns from rows that come in blocks, whose one target is the place of the label in
// classes, which are in increasing order. The rows have weights of their own; Balance, ClassWeights
// and Weights are not read.
func (c Logistic[T, L]) FitSource(
	ctx context.Context, rows data.Source[T], classes []L,
) (_ *logistic.Classifier[T, L], err error) {
	defer fault.Name("logistic on centres", &err)
	source := fitting.EraseSource(rows)
	if err := checkSourceOfCodes(source, classes); err != nil {
		return nil, err
	}
	found, err := c.open(nil).fitSource(ctx, source, len(classes))
	if err != nil {
		return nil, err
	}
	return logisticOf(ctx, c.Kernel, found, classes)
}

func (c logisticFit) fitSource(ctx context.Context, rows data.Source[any], classes int) (*found, error) {
	if err := fitting.SetOrDefault("Lambda", &c.Lambda, 1); err != nil {
		return nil, err
	}
	return c.fit(ctx, rows, classes, fitting.Moved[any]{}, time.Now())
}

func (c logisticFit) fit(
	ctx context.Context, rows data.Source[any], classes int, moved fitting.Moved[any], start time.Time,
) (*found, error) {
	t := signs(classes) // as many outputs
	lambda := c.Lambda
	if c.PerPoint {
		lambda *= float64(rows.Len())
	}
	p, err := newProblem(ctx, c.Options, c.Kernel, rows, t, t.outputs(), c.Intercept, c.Given, lambda)
	if err != nil {
		return nil, err
	}
	defer p.close()
	if c.PerPoint { // of the rows that count
		c.Lambda *= float64(p.kept)
	}
	risk, err := newRisk(p)
	if err != nil {
		return nil, err
	}
	s, stopped := risk.minimise(ctx, c.Lambda)
	if s == nil {
		return nil, stopped
	}
	f, err := p.function(s.v, s.bias, moved)
	if err != nil {
		return nil, err
	}
	report := learn.Report{
		Learner: "logistic (FALKON)", Iterations: s.steps, Objective: s.objective, Certificate: s.residual,
		Certified: "relative gradient norm",
		Converged: s.settled, Bytes: bytesFor(p.basis.dim(), p.outputs),
		Warnings: append(slices.Clone(p.warnings), p.Device.Notes()...), Elapsed: time.Since(start),
	}
	if !s.settled {
		report.Warnings = append(report.Warnings, fmt.Sprintf("gradient norm %.2g is above the tolerance %.2g after %d steps",
			s.residual, p.Tol, s.steps))
	}
	return &found{f, report, stopped}, nil
}
