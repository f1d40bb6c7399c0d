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
	m, err := r.fit(ctx, x, y)
	if err != nil {
		return nil, fmt.Errorf("svr: %w", fitting.Explain(ctx, err, r.Kernel, x, r.Resources))
	}
	return m, nil
}

func (r Regression[T]) fit(ctx context.Context, x data.Points[T], y []float64) (*Regressor[T], error) {
	start := time.Now()
	if r.C == 0 {
		r.C = 1
	}
	if r.Epsilon == 0 && !r.NoTube {
		r.Epsilon = 0.1
	}
	switch {
	case r.Kernel == nil:
		return nil, fmt.Errorf("no Kernel given")
	case !(r.C > 0) || math.IsInf(r.C, 0):
		return nil, fmt.Errorf("C is %g; give a positive, finite number", r.C)
	case !(r.Epsilon >= 0) || math.IsInf(r.Epsilon, 0):
		return nil, fmt.Errorf("Epsilon is %g; give a finite number, 0 or more", r.Epsilon)
	case !(r.Nu >= 0 && r.Nu <= 1):
		return nil, fmt.Errorf("Nu is %g; give a number in (0, 1], or 0 for a tube of width Epsilon", r.Nu)
	}
	if err := fitting.CheckTargets(x, y); err != nil {
		return nil, err
	}
	if err := kernel.Check(r.Kernel, x); err != nil {
		return nil, err
	}
	o, err := r.Options.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := o.leastFor("svr", x.Len()); err != nil {
		return nil, err
	}
	c, err := fitting.Prices(r.C, len(y), r.Weights)
	if err != nil {
		return nil, err
	}
	name, p := "epsilon-SVR", svmProblem{}
	if r.Nu > 0 {
		name, p = "nu-SVR", nuSVR(y, c, r.Nu)
	} else {
		p = epsilonSVR(y, c, r.Epsilon)
	}
	if r.Start != nil {
		if len(r.Start.machine.beta) != len(p.start) {
			return nil, fmt.Errorf("Start is a model of %d points, not of these %d", len(r.Start.machine.beta)/2, len(y))
		}
		p.start = nearest(p.qp, r.Start.machine.beta, p.start)
	}
	moved := learn.MoveToMean(r.Kernel, x)
	m, err := solveMachine(ctx, newKernelMatrix(ctx, r.Kernel, moved.Points, o.Threads), nil, p, o, o.Threads)
	if err != nil {
		return nil, err
	}
	f, support := expansion(r.Kernel, moved.Points, m)
	f = moved.Back(f)
	report := svmReport(name, []*machine{m}, doubts(ctx, r.Kernel, moved.Points, o), start)
	return &Regressor[T]{*learn.NewExpansionRegressor(f, support, report), m}, ctx.Err()
}

// expansion collects the support vectors of a single machine.
func expansion[T any](k kernel.Kernel[T], x data.Points[T], m *machine) (*rkhs.Func[T], []int) {
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
	return &rkhs.Func[T]{Kernel: k, Centers: data.OwnSubset(x, centers), Coef: mat.NewDense(len(coef), 1, coef), Bias: []float64{m.bias}}, used
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
