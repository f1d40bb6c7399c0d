package learn

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// OnlineLoss is a loss ℓ(f(x), y) of online learning.
type OnlineLoss int

// The losses. With Nu > 0, the margin ρ of Hinge and the half width ε of
// EpsilonInsensitive are learnt along, so that about a share ν of the examples
// falls short of it; Novelty always learns its ρ.
const (
	Hinge              OnlineLoss = iota // max(0, ρ - y·f), y = ±1, ρ = 1 unless Nu > 0: then minus νρ
	Squared                              // ½(f - y)²
	EpsilonInsensitive                   // max(0, |f - y| - ε), plus νε with Nu > 0
	LogisticLoss                         // log(1 + e^{-y·f}), y = ±1
	Novelty                              // max(0, ρ - f) - νρ; y is not used
)

func (l OnlineLoss) String() string {
	if l < Hinge || l > Novelty {
		return fmt.Sprintf("OnlineLoss(%d)", int(l))
	}
	return [...]string{"hinge", "squared", "epsilon-insensitive", "logistic", "novelty"}[l]
}

// Schedule is how the learning rate ηₜ goes down.
type Schedule int

const (
	// InverseRoot is ηₜ = η/√t, whose average risk converges at rate 1/√t
	// (Kivinen, Smola and Williamson 2004, theorem 4).
	InverseRoot Schedule = iota
	// Constant is ηₜ = η, for targets that drift.
	Constant
	// Inverse is ηₜ = 1/(λ(t + 1/(ηλ))): η at the start, 1/(λt) in the end, the rate
	// for strongly convex risks (Shalev-Shwartz et al. 2007).
	Inverse
)

// BudgetRule is which centre goes when there are more than Budget.
type BudgetRule int

const (
	// DropSmallest removes the term of least norm |αᵢ|√k(xᵢ, xᵢ).
	DropSmallest BudgetRule = iota
	// DropOldest removes the term that came first.
	DropOldest
	// ProjectSmallest removes the term of least norm and puts its orthogonal
	// projection onto the others in their place (Wang, Crammer and Vucetic 2012), at
	// the cost of a Cholesky factorisation of the budget's size.
	ProjectSmallest
)

// Norma is online learning by stochastic gradient descent in the RKHS
// (Kivinen, Smola and Williamson 2004): for each example
//
//	f ← (1 - ηₜλ)·f - ηₜ·ℓ'(f(x), y)·k(x, ·),
//
// the gradient step on ℓ(f(x), y) + (λ/2)‖f‖². Old terms shrink geometrically, so they may
// be cut off: after Truncate examples, or by Budget.
type Norma[T any] struct {
	Kernel    kernel.Kernel[T]
	Loss      OnlineLoss
	Lambda    float64  // λ > 0; 0 means 0.01
	Eta       float64  // η > 0 with ηλ < 1; 0 means 1 / (1 + λ)
	Schedule  Schedule // of ηₜ
	Nu        float64  // see OnlineLoss; Novelty takes 0 for 0.1
	Epsilon   float64  // half width of the tube of EpsilonInsensitive; 0 means 0.1
	Intercept bool     // learn a bias b along: b ← b - ηₜℓ'

	Truncate   int        // forget a term after so many examples; 0 means never
	Budget     int        // keep at most so many terms; 0 means all
	BudgetRule BudgetRule // which go
}

func (c Norma[T]) withDefaults() (Norma[T], error) {
	if err := kernel.Validate(c.Kernel); err != nil {
		return c, err
	}
	if err := setOrDefault("Lambda", &c.Lambda, 0.01); err != nil {
		return c, err
	}
	if err := setOrDefault("Eta", &c.Eta, 1/(1+c.Lambda)); err != nil {
		return c, err
	}
	if err := setOrDefault("Epsilon", &c.Epsilon, 0.1); err != nil {
		return c, err
	}
	if c.Loss == Novelty && c.Nu == 0 {
		c.Nu = 0.1
	}
	switch {
	case c.Eta*c.Lambda >= 1:
		return c, fmt.Errorf("Eta times Lambda is %g; the step overshoots unless it is below 1", c.Eta*c.Lambda)
	case !(c.Nu >= 0 && c.Nu < 1):
		return c, fmt.Errorf("Nu is %g; give a number in [0, 1)", c.Nu)
	case c.Loss < Hinge || c.Loss > Novelty:
		return c, fmt.Errorf("Loss is %d; give one of Hinge, Squared, EpsilonInsensitive, LogisticLoss, Novelty", c.Loss)
	case c.Schedule < InverseRoot || c.Schedule > Inverse:
		return c, fmt.Errorf("Schedule is %d; give one of InverseRoot, Constant, Inverse", c.Schedule)
	case c.BudgetRule < DropSmallest || c.BudgetRule > ProjectSmallest:
		return c, fmt.Errorf("BudgetRule is %d; give one of DropSmallest, DropOldest, ProjectSmallest", c.BudgetRule)
	case c.Truncate < 0 || c.Budget < 0:
		return c, fmt.Errorf("Truncate is %d and Budget %d; neither may be negative", c.Truncate, c.Budget)
	}
	return c, nil
}

// NormaState is all that an online learner knows; with the same configuration
// it goes on exactly where it stood. It is plain data, to be saved by any
// encoder that keeps float64 (encoding/json and encoding/gob do).
type NormaState[T any] struct {
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

// Online is an online learner in use. It is not safe for concurrent use.
type Online[T any] struct {
	c Norma[T]
	s NormaState[T]
}

// Start returns a learner that has seen nothing.
func (c Norma[T]) Start() (*Online[T], error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("norma: %w", err)
	}
	o := &Online[T]{c: c, s: NormaState[T]{Scale: 1}}
	switch {
	case c.Loss == Hinge && c.Nu == 0:
		o.s.Rho = 1
	case c.Loss == EpsilonInsensitive:
		o.s.Rho = c.Epsilon
	}
	return o, nil
}

// Resume returns a learner in the given state.
func (c Norma[T]) Resume(s NormaState[T]) (*Online[T], error) {
	o, err := c.Start()
	if err != nil {
		return nil, err
	}
	if len(s.Born) != len(s.Centers) || len(s.Coef) != len(s.Centers) || s.Step < 0 || !(s.Scale > 0) {
		return nil, fmt.Errorf("norma: state of %d centres, %d coefficients, %d births, %d steps, scale %g does not fit together", len(s.Centers), len(s.Coef), len(s.Born), s.Step, s.Scale)
	}
	if len(s.Centers) > 0 {
		if err := kernel.Check(c.Kernel, data.Points[T](data.Slice[T](s.Centers))); err != nil {
			return nil, fmt.Errorf("norma: state: %w", err)
		}
	}
	o.s = s.clone()
	return o, nil
}

func (s NormaState[T]) clone() NormaState[T] {
	centres := make([]T, len(s.Centers))
	own := ownCopy(data.Points[T](data.Slice[T](s.Centers)), everyIndex(len(s.Centers)))
	for i := range centres {
		centres[i] = own.At(i)
	}
	s.Centers, s.Born, s.Coef = centres, append([]int(nil), s.Born...), append([]float64(nil), s.Coef...)
	return s
}

// State is a copy of what the learner knows.
func (o *Online[T]) State() NormaState[T] { return o.s.clone() }

// Decision is f(x) + b now; for Novelty f(x) - ρ, negative for what is new.
func (o *Online[T]) Decision(x T) float64 {
	f := o.value(x)
	if o.c.Loss == Novelty {
		return f - o.s.Rho
	}
	return f
}

func (o *Online[T]) value(x T) float64 {
	sum := 0.0
	for i, c := range o.s.Centers {
		sum += o.s.Coef[i] * o.c.Kernel.Eval(c, x)
	}
	return o.s.Scale*sum + o.s.Bias
}

// Observe learns from one example and returns the decision made before. The
// label y is ±1 for Hinge and LogisticLoss.
func (o *Online[T]) Observe(x T, y float64) (float64, error) {
	if err := o.admit(x, y); err != nil {
		return 0, fmt.Errorf("norma: example %d: %w", o.s.Step, err)
	}
	s, c := &o.s, o.c
	s.Step++
	f := o.value(x)
	eta := c.rate(s.Step)
	loss, slope, rho := c.gradient(f, y, s.Rho)
	decision := f
	if c.Loss == Novelty {
		decision -= s.Rho
	}
	s.Loss += loss
	s.Scale *= 1 - eta*c.Lambda
	if s.Scale < 1e-100 { // long before it underflows
		for i := range s.Coef {
			s.Coef[i] *= s.Scale
		}
		s.Scale = 1
	}
	s.Rho -= eta * rho
	if c.Loss == EpsilonInsensitive {
		s.Rho = math.Max(s.Rho, 0)
	}
	if slope != 0 {
		own := ownCopy(data.Points[T](data.Slice[T]{x}), []int{0})
		s.Centers, s.Born = append(s.Centers, own.At(0)), append(s.Born, s.Step)
		s.Coef = append(s.Coef, -eta*slope/s.Scale)
		if c.Intercept {
			s.Bias -= eta * slope
		}
	}
	return decision, o.maintain()
}

func (o *Online[T]) admit(x T, y float64) error {
	one := data.Points[T](data.Slice[T]{x})
	if err := kernel.Check(o.c.Kernel, one); err != nil {
		return err
	}
	if len(o.s.Centers) > 0 {
		if err := kernel.CheckPair(o.c.Kernel, data.Points[T](data.Slice[T](o.s.Centers[:1])), one); err != nil {
			return err
		}
	}
	if v := o.c.Kernel.Eval(x, x); math.IsNaN(v) || math.Abs(v) > largestFeature {
		return fmt.Errorf("k(x, x) is %g; scale the points or the kernel", v)
	}
	switch {
	case o.c.Loss == Novelty:
	case math.IsNaN(y) || math.Abs(y) > largestFeature:
		return fmt.Errorf("target is %g; drop the example or fill the value in", y)
	case (o.c.Loss == Hinge || o.c.Loss == LogisticLoss) && y != 1 && y != -1:
		return fmt.Errorf("label is %g; the %s loss takes 1 and -1", y, o.c.Loss)
	}
	return nil
}

// rate is ηₜ.
func (c Norma[T]) rate(t int) float64 {
	switch c.Schedule {
	case Constant:
		return c.Eta
	case Inverse:
		return 1 / (c.Lambda * (float64(t) - 1 + 1/(c.Eta*c.Lambda)))
	}
	return c.Eta / math.Sqrt(float64(t))
}

// gradient is the loss, its slope by f and by ρ.
func (c Norma[T]) gradient(f, y, rho float64) (loss, slope, byRho float64) {
	switch c.Loss {
	case Squared:
		return (f - y) * (f - y) / 2, f - y, 0
	case LogisticLoss:
		return softplus(-y * f), -y * logistic(-y*f), 0
	case EpsilonInsensitive:
		if c.Nu > 0 {
			byRho = c.Nu
		}
		d := f - y
		if over := math.Abs(d) - rho; over > 0 {
			if c.Nu > 0 {
				byRho--
			}
			return over + c.Nu*rho, math.Copysign(1, d), byRho
		}
		return c.Nu * rho, 0, byRho
	case Novelty:
		y = 1
	}
	if c.Nu > 0 {
		byRho = -c.Nu
		loss = -c.Nu * rho
	}
	if short := rho - y*f; short > 0 {
		if c.Nu > 0 {
			byRho++
		}
		return loss + short, -y, byRho
	}
	return loss, 0, byRho
}

// ObserveAll learns from a stream of examples until it ends, the context does, or
// an example is refused; it returns how many were learnt.
func (o *Online[T]) ObserveAll(ctx context.Context, examples iter.Seq2[T, float64]) (int, error) {
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
func (o *Online[T]) Model() *ExpansionRegressor[T] {
	s := o.State()
	bias := s.Bias
	if o.c.Loss == Novelty {
		bias -= s.Rho
	}
	m := &ExpansionRegressor[T]{report: Report{Learner: "norma " + o.c.Loss.String(), Iterations: s.Step, Certified: "average loss before learning", Converged: true, Bytes: int64(32 * len(s.Coef))}}
	if s.Step > 0 {
		m.report.Objective = s.Loss / float64(s.Step)
		m.report.Certificate = m.report.Objective
	}
	if s.Broken > 0 {
		m.report.Warnings = append(m.report.Warnings, fmt.Sprintf("%d terms dropped by the budget of %d", s.Broken, o.c.Budget))
	}
	m.f = &rkhs.Func[T]{Kernel: o.c.Kernel, Centers: data.Slice[T](s.Centers), Coef: new(mat.Dense), Bias: []float64{bias}}
	if len(s.Coef) > 0 {
		m.f.Coef = mat.NewDense(len(s.Coef), 1, nil)
		m.f.Centers = ownCopy(data.Points[T](data.Slice[T](s.Centers)), everyIndex(len(s.Centers)))
		for i, a := range s.Coef {
			m.f.Coef.Set(i, 0, s.Scale*a)
		}
	}
	return m
}

// maintain forgets terms that are too old or too many.
func (o *Online[T]) maintain() error {
	s := &o.s
	for o.c.Truncate > 0 && len(s.Born) > 0 && s.Step-s.Born[0] >= o.c.Truncate {
		o.drop(0)
	}
	for o.c.Budget > 0 && len(s.Coef) > o.c.Budget {
		out := 0
		if o.c.BudgetRule != DropOldest {
			least := math.Inf(1)
			for i, x := range s.Centers {
				if norm := s.Coef[i] * s.Coef[i] * o.c.Kernel.Eval(x, x); norm < least {
					out, least = i, norm
				}
			}
		}
		if o.c.BudgetRule == ProjectSmallest && len(s.Coef) > 1 {
			if err := o.project(out); err != nil {
				return err
			}
		}
		o.drop(out)
		s.Broken++
	}
	return nil
}

func (o *Online[T]) drop(i int) {
	s := &o.s
	s.Centers = append(s.Centers[:i], s.Centers[i+1:]...)
	s.Born = append(s.Born[:i], s.Born[i+1:]...)
	s.Coef = append(s.Coef[:i], s.Coef[i+1:]...)
}

// project adds the projection of term out onto the others: K·δ = k(·, x_out), with as
// much of the diagonal added as makes K definite.
func (o *Online[T]) project(out int) error {
	s := &o.s
	var rest []int
	for i := range s.Coef {
		if i != out {
			rest = append(rest, i)
		}
	}
	n := len(rest)
	k, d := linalg.New[float64](n, n), make([]float64, n)
	trace := 0.0
	for a, i := range rest {
		for b := range a + 1 {
			v := o.c.Kernel.Eval(s.Centers[i], s.Centers[rest[b]])
			k.Set(a, b, v)
			k.Set(b, a, v)
		}
		d[a] = o.c.Kernel.Eval(s.Centers[i], s.Centers[out])
		trace += k.At(a, a)
	}
	for jitter := 1e-12 * trace / float64(n); ; jitter *= 100 {
		h := k.Clone()
		for a := range n {
			h.Row(a)[a] += jitter
		}
		chol, err := linalg.NewCholesky(1, h)
		if err != nil {
			if jitter > trace || jitter == 0 {
				return fmt.Errorf("norma: projection: %w; is the kernel positive semi-definite?", err)
			}
			continue
		}
		chol.Solve(1, linalg.Matrix[float64]{Rows: n, Cols: 1, Stride: 1, Data: d})
		break
	}
	for a, i := range rest {
		s.Coef[i] += s.Coef[out] * d[a]
	}
	return nil
}
