package svm

import (
	"context"
	"fmt"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// OneClass finds where the data live,
//
//	minimise over f in the RKHS, ξ, ρ   ½‖f‖² - ρ·νn + Σ ξᵢ
//	subject to                          f(xᵢ) ≥ ρ - ξᵢ,  ξᵢ ≥ 0
//
// (Schölkopf et al. 2001): f - ρ is positive on most of the points. At most a share ν of them is
// left outside, and at least a share ν are support vectors.
type OneClass[T any] struct {
	Kernel  kernel.Kernel[T]
	Nu      float64   // in (0, 1]; 0 means 0.5, as in LIBSVM
	Weights []float64 // nil means 1

	Start *Detector[T] // a model of the same points with other parameters, to start from

	Options
}

// Fit learns from points.
func (c OneClass[T]) Fit(ctx context.Context, x data.Points[T]) (*Detector[T], error) {
	body := oneClassFit{kernel: kernel.Erase(c.Kernel), nu: c.Nu, weights: c.Weights, Options: c.Options}
	if c.Start != nil {
		body.start = c.Start.machine
	}
	f, found, err := body.fit(ctx, data.Erase(x))
	if err != nil {
		return nil, fmt.Errorf("one-class: %w", err)
	}
	return &Detector[T]{rkhs.Typed(c.Kernel, f), found}, nil
}

// oneClassFit is a OneClass of points that have lost their type.
type oneClassFit struct {
	kernel  kernel.Kernel[any]
	nu      float64
	weights []float64
	start   *machine // nil: from zero
	Options
}

func (c oneClassFit) fit(ctx context.Context, x data.Points[any]) (f *rkhs.Func[any], d detection, err error) {
	begin := time.Now()
	if c.nu == 0 {
		c.nu = 0.5
	}
	switch {
	case c.kernel == nil:
		return nil, d, fmt.Errorf("no Kernel given")
	case x == nil || x.Len() == 0:
		return nil, d, learn.ErrNoPoints
	case !(c.nu > 0 && c.nu <= 1):
		return nil, d, fmt.Errorf("Nu is %g; give a number in (0, 1]", c.nu)
	}
	if err := kernel.Check(c.kernel, x); err != nil {
		return nil, d, err
	}
	o, err := c.Options.withDefaults()
	if err != nil {
		return nil, d, err
	}
	if err := o.leastFor("one-class", x.Len()); err != nil {
		return nil, d, err
	}
	w, err := fitting.Prices(1, x.Len(), c.weights)
	if err != nil {
		return nil, d, err
	}
	p := oneClass(w, c.nu)
	if c.start != nil {
		if len(c.start.beta) != len(p.start) {
			return nil, d, fmt.Errorf("Start is a model of %d points, not of these %d", len(c.start.beta), x.Len())
		}
		p.start = nearest(p.qp, c.start.beta, p.start)
	}
	m, err := solveMachine(ctx, newKernelMatrix(ctx, c.kernel, x, o.Threads), nil, p, o, o.Threads)
	if err != nil {
		return nil, d, err
	}
	f, d.support = expansion(c.kernel, x, m)
	d.machine, d.report = m, svmReport("one-class SVM", []*machine{m}, doubts(ctx, c.kernel, x, o), begin)
	return f.Prepare(), d, ctx.Err()
}

// Detector is a fitted OneClass.
type Detector[T any] struct {
	f *rkhs.Func[T]
	detection
}

// detection is what a Detector keeps beside its function.
type detection struct {
	support []int
	machine *machine
	report  learn.Report
}

// Func is f - ρ, positive inside.
func (m *Detector[T]) Func() *rkhs.Func[T] { return m.f }

// Report says how the fit went.
func (m *detection) Report() learn.Report { return m.report }

// Support lists the training points that are support vectors, in the order of
// the centres of Func.
func (m *detection) Support() []int { return append([]int(nil), m.support...) }

// Classes lists false (outside) and true (inside).
func (m *detection) Classes() []bool { return []bool{false, true} }

// Decisions is 1.
func (m *detection) Decisions() int { return 1 }

// Decision returns f - ρ, a row for each point.
func (m *Detector[T]) Decision(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.New(ctx, m.f, x)
}

// DecisionTo writes f - ρ at point i to row i of dst.
func (m *Detector[T]) DecisionTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	return apply.To(ctx, m.f, dst, x)
}

// Predict says for each point whether it lies inside, where the data live.
func (m *Detector[T]) Predict(ctx context.Context, x data.Points[T]) ([]bool, error) {
	return apply.Slice(x, func(dst []bool) error { return m.PredictTo(ctx, dst, x) })
}

// PredictTo writes whether point i lies inside to dst[i].
func (m *Detector[T]) PredictTo(ctx context.Context, dst []bool, x data.Points[T]) error {
	return learn.PredictFrom(ctx, m, dst, x, learn.DecideOneVsRest)
}
