package learn

import (
	"context"
	"fmt"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
)

// OneClass finds where the data live,
//
//	minimise over f in the RKHS, ξ, ρ   ½‖f‖² - ρ·νn + Σ ξᵢ
//	subject to                          f(xᵢ) ≥ ρ - ξᵢ,  ξᵢ ≥ 0
//
// (Schölkopf et al. 2001): f - ρ is positive on most of the points. At most a share ν of them is left outside, and at
// least a share ν are support vectors.
type OneClass[T any] struct {
	Kernel        kernel.Kernel[T]
	Nu            float64   // in (0, 1]; 0 means 0.5, as in LIBSVM
	SampleWeights []float64 // nil means 1

	Start *OneClassModel[T] // a model of the same points with other parameters, to start from

	SVMOptions
}

// Fit learns from points.
func (c OneClass[T]) Fit(ctx context.Context, x data.Points[T]) (*OneClassModel[T], error) {
	m, err := c.fit(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("one-class: %w", err)
	}
	return m, nil
}

func (c OneClass[T]) fit(ctx context.Context, x data.Points[T]) (*OneClassModel[T], error) {
	start := time.Now()
	if c.Nu == 0 {
		c.Nu = 0.5
	}
	switch {
	case c.Kernel == nil:
		return nil, fmt.Errorf("no Kernel given")
	case x == nil || x.Len() == 0:
		return nil, ErrNoPoints
	case !(c.Nu > 0 && c.Nu <= 1):
		return nil, fmt.Errorf("Nu is %g; give a number in (0, 1]", c.Nu)
	}
	if err := kernel.Check(c.Kernel, x); err != nil {
		return nil, err
	}
	o, err := c.SVMOptions.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := o.leastFor("one-class", x.Len()); err != nil {
		return nil, err
	}
	w, err := prices(1, x.Len(), c.SampleWeights)
	if err != nil {
		return nil, err
	}
	p := oneClass(w, c.Nu)
	if c.Start != nil {
		if len(c.Start.machine.beta) != len(p.start) {
			return nil, fmt.Errorf("Start is a model of %d points, not of these %d", len(c.Start.machine.beta), x.Len())
		}
		p.start = nearest(p.qp, c.Start.machine.beta, p.start)
	}
	m, err := solveMachine(ctx, newKernelMatrix(kernel.Until(ctx, c.Kernel), x, o.Threads), nil, p, o, o.Threads)
	if err != nil {
		return nil, err
	}
	f, support := expansion(c.Kernel, x, m)
	return &OneClassModel[T]{f: f, support: support, machine: m, report: svmReport("one-class SVM", []*machine{m}, start)}, nil
}

// OneClassModel is a fitted OneClass.
type OneClassModel[T any] struct {
	f       *rkhs.Func[T]
	support []int
	machine *machine
	report  Report
}

// Func is f - ρ, positive inside.
func (m *OneClassModel[T]) Func() *rkhs.Func[T] { return m.f }

// Report says how the fit went.
func (m *OneClassModel[T]) Report() Report { return m.report }

// Support lists the training points that are support vectors, in the order of
// the centres of Func.
func (m *OneClassModel[T]) Support() []int { return append([]int(nil), m.support...) }

// Decision returns f - ρ at each point, in dst when it is long enough.
func (m *OneClassModel[T]) Decision(dst []float64, x data.Points[T]) []float64 {
	return evaluate(m.f, dst, x)
}

// Inside says for each point whether it lies where the data live, in dst when
// it is long enough.
func (m *OneClassModel[T]) Inside(dst []bool, x data.Points[T]) []bool {
	if len(dst) < x.Len() {
		dst = make([]bool, x.Len())
	}
	dst = dst[:x.Len()]
	for i, v := range m.Decision(nil, x) {
		dst[i] = v > 0
	}
	return dst
}
