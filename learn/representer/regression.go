package representer

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
)

// Options is what regression and classification have in common.
type Options struct {
	Lambda        float64 // λ > 0; 0 means 1
	NoIntercept   bool    // f alone, without the constant that is not penalised
	Tol           float64 // bound on the gap, relative to the objective at f = 0; 0 means 1e-13, of losses with kinks 1e-6
	MaxIterations int     // 0 means 1000
	learn.Resources
}

// check sets what is left out.
func (o *Options) check(loss rkhs.Loss) error {
	tol := 1e-13 // a function is as good as the root of it
	switch loss.(type) {
	case rkhs.HingeLoss, rkhs.AbsoluteLoss, rkhs.LossFunc:
		tol = 1e-6
	}
	err := cmp.Or(fitting.SetOrDefault("Lambda", &o.Lambda, 1), fitting.SetOrDefault("Tol", &o.Tol, tol),
		fitting.SetOrDefaultInt("MaxIterations", &o.MaxIterations, 1000))
	if err == nil {
		o.Resources, err = o.Resources.WithDefaults()
	}
	return err
}

// Regression finds the function
//
//	minimise over f, b   Σ wᵢ·ℓ(yᵢ, f(xᵢ) + b) + (λ/2)‖f‖²
//
// for any loss ℓ that is convex in the prediction: Huber's, which outliers move little, the
// absolute one, whose predictions are medians, the squared one, which is ridge regression, or one
// of one's own. The certificate is a bound on what the objective lies above its minimum, relative
// to that at f = 0.
type Regression[T any] struct {
	Kernel  kernel.Kernel[T]
	Loss    rkhs.Loss // nil means rkhs.HuberLoss{}
	Weights []float64 // weight of a point; nil means 1
	Options
}

// Fit learns from points and their values.
func (c Regression[T]) Fit(ctx context.Context, x data.Points[T], y []float64) (*learn.ExpansionRegressor[T], error) {
	start := time.Now()
	if c.Loss == nil {
		c.Loss = rkhs.HuberLoss{}
	}
	weights, err := fitting.CheckRegression(c.Kernel, x, y, c.Weights)
	if err == nil {
		err = c.check(c.Loss)
	}
	if err != nil {
		return nil, fmt.Errorf("representer: %w", err)
	}
	own := data.Own(x)
	m, err := fitting.Heed(ctx, func() (*learn.ExpansionRegressor[T], error) {
		s, err := solveAll(ctx, "representer", c.Options, c.Kernel, c.Loss, own, [][]float64{y}, weights)
		if err != nil {
			return nil, err
		}
		s.report.Elapsed = time.Since(start)
		return learn.NewExpansionRegressor(s.f, s.support, s.report), fitting.FiniteCoefficients(s.f)
	})
	if err != nil {
		return nil, fmt.Errorf("representer: %w", fitting.Explain(ctx, err, c.Kernel, own, c.Resources))
	}
	return m, nil
}

// solved is the function of all targets.
type solved[T any] struct {
	f       *rkhs.Func[T]
	support []int
	report  learn.Report
}

// solveAll minimises for each target. The worst certificate is that of the report.
func solveAll[T any](
	ctx context.Context, name string, o Options, k kernel.Kernel[T], loss rkhs.Loss, x data.Points[T], targets [][]float64,
	weights []float64,
) (solved[T], error) {
	n := float64(x.Len())
	moved := fitting.Moved[T]{Points: x}
	if !o.NoIntercept {
		moved = fitting.MoveToMean(k, x)
	}
	x = moved.Points
	report := learn.Report{Learner: name, Certified: "bound on the gap to the minimum, relative to the objective at f = 0",
		Converged: true}
	if full := 8 * int64(x.Len()) * int64(x.Len()); full <= o.Bytes { // else nothing of K is kept
		report.Bytes = full
	}
	r := rkhs.Representer[T]{Kernel: k, Loss: loss, Lambda: o.Lambda / n, WithBias: !o.NoIntercept, Weights: weights,
		Tol: o.Tol, MaxIter: o.MaxIterations,
		Gram: gram.Options{Bytes: o.Bytes, Threads: o.Threads}, Trace: o.Trace}
	var beta [][]float64
	var bias []float64
	for _, y := range targets {
		f, c, err := r.Solve(ctx, x, y)
		if err != nil {
			return solved[T]{}, err
		}
		coef := make([]float64, x.Len())
		for i := range coef {
			coef[i] = f.Coef.At(i, 0)
		}
		beta = append(beta, coef)
		b := 0.0
		if f.Bias != nil {
			b = f.Bias[0]
		}
		bias = append(bias, b)
		report.Iterations += c.Iterations
		report.Objective += c.Objective * n
		report.Certificate = max(report.Certificate, c.Gap/max(atZero(loss, y, weights), math.SmallestNonzeroFloat64))
		report.Converged = report.Converged && c.Converged
	}
	if !report.Converged {
		report.Warnings = append(report.Warnings,
			fmt.Sprintf("not converged: the objective may lie %.2g of its start above the minimum; allow more iterations, or "+
				"a larger tolerance or lambda", report.Certificate))
	}
	report.Warnings = append(report.Warnings, fitting.Doubts(ctx, k, x, o.Resources)...)
	f, support := fitting.Expansion(k, x, beta, fitting.BiasOrNil(!o.NoIntercept, bias))
	return solved[T]{moved.Back(f), support, report}, nil
}

// atZero is the mean loss of f = 0.
func atZero(loss rkhs.Loss, y, weights []float64) float64 {
	s := 0.0
	for i, v := range y {
		l, _ := loss.Value(v, 0)
		if weights != nil {
			l *= weights[i]
		}
		s += l / float64(len(y))
	}
	return math.Abs(s)
}
