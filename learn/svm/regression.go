package svm

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Regression is support vector regression (SVR) with the ε-insensitive loss,
//
//	minimise over f in the RKHS, b   ½‖f‖² + C Σ wᵢ max(0, |f(xᵢ) + b - yᵢ| - ε)
//
// (Vapnik 1995), solved by its dual. With Nu > 0 the width ε of the tube is
// found by the fit (ν-SVR; Schölkopf et al. 2000): about a share ν of the points lie on it
// or outside. The optimum is that of LIBSVM at the same Tol.
type Regression[T any] struct {
	Kernel  kernel.Kernel[T]
	C       float64 // price of a unit outside the tube; 0 means 1
	Epsilon float64 // half width of the tube; 0 means 0.1, unless NoTube
	NoTube  bool    // ε = 0: absolute loss
	Nu      float64 // when positive, ν-SVR with this ν in (0, 1]; Epsilon is not used

	Weights []float64 // multiplies C for a point; nil means 1

	Start *Regressor[T] // a model of the same points with other parameters, to start from

	Options
}

// Fit learns from points and their values.
func (r Regression[T]) Fit(ctx context.Context, x data.Points[T], y []float64) (*Regressor[T], error) {
	body := regression{
		kernel: kernel.Erase(r.Kernel), c: r.C, epsilon: r.Epsilon, noTube: r.NoTube, nu: r.Nu,
		weights: r.Weights, Options: r.Options,
	}
	if r.Start != nil {
		body.start = r.Start.machine
	}
	points := data.Erase(x)
	f, support, m, report, err := body.fit(ctx, points, y)
	if err != nil {
		return nil, fmt.Errorf("svr: %w", fitting.Explain(ctx, err, body.kernel, points, r.Resources))
	}
	return &Regressor[T]{*learn.NewExpansionRegressor(rkhs.Typed(r.Kernel, f), support, report), m}, nil
}

// regression is a Regression of points that have lost their type.
type regression struct {
	kernel         kernel.Kernel[any]
	c, epsilon, nu float64
	noTube         bool
	weights        []float64
	start          *machine // nil: from zero
	Options
}

func (r regression) fit(
	ctx context.Context, x data.Points[any], y []float64,
) (f *rkhs.Func[any], support []int, m *machine, report learn.Report, err error) {
	begin := time.Now()
	name, p, o, err := r.programme(x, y)
	if err != nil {
		return nil, nil, nil, report, err
	}
	moved := fitting.MoveToMean(r.kernel, x)
	km := newKernelMatrix(ctx, r.kernel, moved.Points, o.Threads)
	if m, err = solveMachine(ctx, km, nil, p, o, o.Threads); err != nil {
		return nil, nil, nil, report, err
	}
	f, support = expansion(r.kernel, moved.Points, m)
	report = svmReport(name, []*machine{m}, doubts(ctx, r.kernel, moved.Points, o), begin)
	return moved.Back(f), support, m, report, ctx.Err()
}

// programme checks what was asked for and given, and is the programme of it.
func (r regression) programme(x data.Points[any], y []float64) (name string, p svmProblem, o Options, err error) {
	if r.c == 0 {
		r.c = 1
	}
	if r.epsilon == 0 && !r.noTube {
		r.epsilon = 0.1
	}
	switch {
	case r.kernel == nil:
		err = fmt.Errorf("no Kernel given")
	case !(r.c > 0) || math.IsInf(r.c, 0):
		err = fmt.Errorf("C is %g; give a positive, finite number", r.c)
	case !(r.epsilon >= 0) || math.IsInf(r.epsilon, 0):
		err = fmt.Errorf("Epsilon is %g; give a finite number, 0 or more", r.epsilon)
	case !(r.nu >= 0 && r.nu <= 1):
		err = fmt.Errorf("Nu is %g; give a number in (0, 1], or 0 for a tube of width Epsilon", r.nu)
	}
	if err != nil {
		return "", p, o, err
	}
	if err := fitting.CheckTargets(x, y); err != nil {
		return "", p, o, err
	}
	if err := kernel.Check(r.kernel, x); err != nil {
		return "", p, o, err
	}
	if o, err = r.Options.withDefaults(); err != nil {
		return "", p, o, err
	}
	if err := o.leastFor("svr", x.Len()); err != nil {
		return "", p, o, err
	}
	c, err := fitting.Prices(r.c, len(y), r.weights)
	if err != nil {
		return "", p, o, err
	}
	name, p = "epsilon-SVR", epsilonSVR(y, c, r.epsilon)
	if r.nu > 0 {
		name, p = "nu-SVR", nuSVR(y, c, r.nu)
	}
	if r.start != nil {
		if len(r.start.beta) != len(p.start) {
			return "", p, o, fmt.Errorf("Start is a model of %d points, not of these %d", len(r.start.beta)/2, len(y))
		}
		p.start = nearest(p.qp, r.start.beta, p.start)
	}
	return name, p, o, nil
}

// expansion collects the support vectors of a single machine.
func expansion(k kernel.Kernel[any], x data.Points[any], m *machine) (*rkhs.Func[any], []int) {
	var used []int
	var coef []float64
	for i, c := range m.coef {
		if c != 0 {
			used, coef = append(used, i), append(coef, c)
		}
	}
	m.coef = nil
	centers := used
	if len(used) == 0 {
		centers, coef = []int{0}, []float64{0} // an expansion has at least one centre
	}
	f := &rkhs.Func[any]{
		Kernel: k, Centers: data.OwnSubset(x, centers), Coef: mat.NewDense(len(coef), 1, coef), Bias: []float64{m.bias},
	}
	return f, used
}

// Regressor is a fitted Regression; its Support is the support vectors.
type Regressor[T any] struct {
	learn.ExpansionRegressor[T]
	machine *machine
}

// Tube is the half width ε of the tube: as given, or as ν-SVR found it.
func (m *Regressor[T]) Tube() float64 { return m.machine.width }

// DualityGap is the relative difference between the primal and dual
// objectives; NaN for ν-SVR.
func (m *Regressor[T]) DualityGap() float64 { return m.machine.gap }
