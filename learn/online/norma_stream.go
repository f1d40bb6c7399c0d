package online

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// State is all that an online learner knows; with the same configuration
// it goes on exactly where it stood. It is plain data, to be saved by any
// encoder that keeps float64 (encoding/json and encoding/gob do).
type State[T any] struct {
	Step    int       // examples seen
	Centers []T       // points of the terms, oldest first
	Born    []int     // the example each came with
	Coef    []float64 // before Scale
	Scale   float64   // common factor of Coef
	Bias    float64
	Rho     float64 // the margin, or the half width of the tube
	Loss    float64 // sum of the losses suffered, each before learning from it
	Broken  int     // terms dropped by the budget
}

// Machine is an online learner in use. It is not safe for concurrent use.
type Machine[T any] struct {
	c   Norma[T]
	s   State[T]
	ctx context.Context // of a Fit, which values of the kernel may outlast; nil: none

	held int64 // bytes of a Fit, terms included
}

// stopped says that the context of a Fit has ended.
func (o *Machine[T]) stopped() bool { return o.ctx != nil && o.ctx.Err() != nil }

// Start returns a learner that has seen nothing.
func (c Norma[T]) Start() (*Machine[T], error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("norma: %w", err)
	}
	o := &Machine[T]{c: c, s: State[T]{Scale: 1}}
	switch {
	case c.Loss == Hinge && c.Nu == 0:
		o.s.Rho = 1
	case c.Loss == EpsilonInsensitive:
		o.s.Rho = c.Epsilon
	}
	return o, nil
}

// Resume returns a learner in the given state.
func (c Norma[T]) Resume(s State[T]) (*Machine[T], error) {
	o, err := c.Start()
	if err != nil {
		return nil, err
	}
	if len(s.Born) != len(s.Centers) || len(s.Coef) != len(s.Centers) || s.Step < 0 || !(s.Scale > 0) {
		return nil, fmt.Errorf("norma: state of %d centres, %d coefficients, %d births, %d steps, scale %g does not "+
			"fit together", len(s.Centers), len(s.Coef), len(s.Born), s.Step, s.Scale)
	}
	if len(s.Centers) > 0 {
		if err := kernel.Check(c.Kernel, data.Points[T](data.Slice[T](s.Centers))); err != nil {
			return nil, fmt.Errorf("norma: state: %w", err)
		}
	}
	o.s = s.clone()
	return o, nil
}

func (s State[T]) clone() State[T] {
	centres := make([]T, len(s.Centers))
	own := data.OwnSubset(data.Points[T](data.Slice[T](s.Centers)), par.Indices(0, len(s.Centers)))
	for i := range centres {
		centres[i] = own.At(i)
	}
	s.Centers, s.Born, s.Coef = centres, append([]int(nil), s.Born...), append([]float64(nil), s.Coef...)
	return s
}

// State is a copy of what the learner knows.
func (o *Machine[T]) State() State[T] { return o.s.clone() }

// Decision is f(x) + b now; for Novelty f(x) - ρ, negative for what is new.
func (o *Machine[T]) Decision(x T) float64 {
	f := o.value(x)
	if o.c.Loss == Novelty {
		return f - o.s.Rho
	}
	return f
}

func (o *Machine[T]) value(x T) float64 {
	sum := 0.0
	for i, c := range o.s.Centers {
		if o.stopped() {
			break
		}
		sum += o.s.Coef[i] * o.c.Kernel.Eval(c, x)
	}
	return o.s.Scale*sum + o.s.Bias
}

// Observe learns from one example and returns the decision made before. The
// label y is ±1 for Hinge and LogisticLoss.
func (o *Machine[T]) Observe(x T, y float64) (float64, error) { return o.observe(x, y, 1) }

// observe learns from an example of the given weight.
func (o *Machine[T]) observe(x T, y, weight float64) (float64, error) {
	err := o.admit(x)
	if err == nil {
		err = o.c.checkTarget(y)
	}
	if err != nil {
		return 0, fmt.Errorf("norma: example %d: %w", o.s.Step, err)
	}
	return o.learn(data.OwnSubset(data.Points[T](data.Slice[T]{x}), []int{0}).At(0), o.value(x), y, weight)
}

// learn takes the step for an example at which the function is f; x stays with the learner.
func (o *Machine[T]) learn(x T, f, y, weight float64) (float64, error) {
	s, c := &o.s, o.c
	s.Step++
	eta := c.rate(s.Step)
	loss, slope, rho := c.gradient(f, y, s.Rho)
	decision := f
	if c.Loss == Novelty {
		decision -= s.Rho
	}
	slope *= weight
	rho *= weight
	s.Loss += weight * loss
	s.Scale *= 1 - eta*c.Lambda
	if s.Scale < 1e-100 { // long before it underflows
		for i := range s.Coef {
			s.Coef[i] *= s.Scale
		}
		s.Scale = 1
	}
	s.Rho -= eta * rho
	if c.Loss != Novelty {
		s.Rho = math.Max(s.Rho, 0) // a margin or a width is not negative
	}
	if slope != 0 {
		s.Centers, s.Born = append(s.Centers, x), append(s.Born, s.Step)
		s.Coef = append(s.Coef, -eta*slope/s.Scale)
		if c.Intercept {
			s.Bias -= eta * slope
		}
	}
	return decision, o.maintain()
}

func (o *Machine[T]) admit(x T) error {
	one := data.Points[T](data.Slice[T]{x})
	if err := kernel.Check(o.c.Kernel, one); err != nil {
		return err
	}
	if len(o.s.Centers) > 0 {
		if err := kernel.CheckPair(o.c.Kernel, data.Points[T](data.Slice[T](o.s.Centers[:1])), one); err != nil {
			return err
		}
	}
	return checkSelf(o.c.Kernel.Eval(x, x))
}

func checkSelf(v float64) error {
	if math.IsNaN(v) || math.Abs(v) > fitting.LargestFeature {
		return fmt.Errorf("k(x, x) is %g; scale the points or the kernel", v)
	}
	return nil
}

func (c Norma[T]) checkTarget(y float64) error {
	switch {
	case c.Loss == Novelty:
	case math.IsNaN(y) || math.Abs(y) > fitting.LargestFeature:
		return fmt.Errorf("target is %g; drop the example or fill the value in", y)
	case (c.Loss == Hinge || c.Loss == LogisticLoss) && y != 1 && y != -1:
		return fmt.Errorf("label is %g; the %s loss takes 1 and -1", y, c.Loss)
	}
	return nil
}

// ObserveAll learns from a stream of examples until it ends, the context does, or
// an example is refused; it returns how many were learnt.
func (o *Machine[T]) ObserveAll(ctx context.Context, examples iter.Seq2[T, float64]) (int, error) {
	n := 0
	for x, y := range examples {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		if _, err := o.Observe(x, y); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// Model is what has been learnt so far, as an immutable model; its function is
// Decision. The objective of its report is the average loss suffered.
func (o *Machine[T]) Model() *learn.ExpansionRegressor[T] {
	s := o.State()
	bias := s.Bias
	if o.c.Loss == Novelty {
		bias -= s.Rho
	}
	report := learn.Report{Learner: "norma (" + o.c.Loss.String() + ")", Iterations: s.Step,
		Certified: "average loss before learning", Converged: true, Bytes: max(o.held, int64(32*len(s.Coef)))}
	if s.Step > 0 {
		report.Objective = s.Loss / float64(s.Step)
		report.Certificate = report.Objective
	}
	if s.Broken > 0 {
		report.Warnings = append(report.Warnings, fmt.Sprintf("%d terms dropped by the budget of %d", s.Broken, o.c.Budget))
	}
	f := &rkhs.Func[T]{Kernel: o.c.Kernel, Centers: data.Slice[T](s.Centers), Coef: new(mat.Dense), Bias: []float64{bias}}
	if len(s.Coef) > 0 {
		f.Coef = mat.NewDense(len(s.Coef), 1, nil)
		f.Centers = data.OwnSubset(data.Points[T](data.Slice[T](s.Centers)), par.Indices(0, len(s.Centers)))
		for i, a := range s.Coef {
			f.Coef.Set(i, 0, s.Scale*a)
		}
	}
	return learn.NewExpansionRegressor(f, nil, report)
}
