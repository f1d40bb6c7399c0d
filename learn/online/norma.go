package online

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/internal/learn/sigmoid"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Loss is a loss ℓ(f(x), y) of online learning.
type Loss int

// The losses. With Nu > 0, the margin ρ of Hinge and the half width ε of
// EpsilonInsensitive are learnt along, so that about a share ν of the examples
// falls short of it; Novelty always learns its ρ.
const (
	Hinge              Loss = iota // max(0, ρ - y·f), y = ±1, ρ = 1 unless Nu > 0: then minus νρ
	Squared                        // ½(f - y)²
	EpsilonInsensitive             // max(0, |f - y| - ε), plus νε with Nu > 0
	LogisticLoss                   // log(1 + e^{-y·f}), y = ±1
	Novelty                        // max(0, ρ - f) - νρ; y is not used
)

func (l Loss) String() string {
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
	// ProjectNearest is ProjectSmallest onto the eight terms nearest to it, at the cost of one row
	// of kernel values. Where steps become shorter the newest term is the one of least norm:
	// dropping it, over and over, would leave the function as it was when the budget was reached.
	ProjectNearest
)

// nearestTerms is how many terms ProjectNearest projects onto.
const nearestTerms = 8

// Norma is online learning by stochastic gradient descent in the RKHS
// (Kivinen, Smola and Williamson 2004): for each example
//
//	f ← (1 - ηₜλ)·f - ηₜ·ℓ'(f(x), y)·k(x, ·),
//
// the gradient step on ℓ(f(x), y) + (λ/2)‖f‖². Old terms shrink geometrically, so they may
// be cut off: after Truncate examples, or by Budget.
type Norma[T any] struct {
	Kernel    kernel.Kernel[T]
	Loss      Loss
	Lambda    float64  // λ > 0; 0 means 0.01
	Eta       float64  // η > 0 with ηλ < 1; 0 means 1 / (1 + λ)
	Schedule  Schedule // of ηₜ
	Nu        float64  // see Loss; Novelty takes 0 for 0.1
	Epsilon   float64  // half width of the tube of EpsilonInsensitive; 0 means 0.1
	Intercept bool     // learn a bias b along: b ← b - ηₜℓ'

	Truncate   int        // forget a term after so many examples; 0 means never
	Budget     int        // keep at most so many terms; 0 means all
	BudgetRule BudgetRule // which go

	// Of Fit alone; Observe takes examples as they come.
	Passes  int       // times through the points; 0 means 1
	Shuffle bool      // a new order for each pass, by Seed; else the given order
	Seed    uint64    // of the shuffling
	Weights []float64 // a point's slope ℓ' counts so often; nil means 1
	learn.Resources
}

func (c Norma[T]) withDefaults() (Norma[T], error) {
	if err := kernel.Validate(c.Kernel); err != nil {
		return c, err
	}
	if err := fitting.SetOrDefault("Lambda", &c.Lambda, 0.01); err != nil {
		return c, err
	}
	if err := fitting.SetOrDefault("Eta", &c.Eta, 1/(1+c.Lambda)); err != nil {
		return c, err
	}
	if err := fitting.SetOrDefault("Epsilon", &c.Epsilon, 0.1); err != nil {
		return c, err
	}
	if err := fitting.SetOrDefaultInt("Passes", &c.Passes, 1); err != nil {
		return c, err
	}
	var err error
	if c.Resources, err = c.Resources.WithDefaults(); err != nil {
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
	case c.BudgetRule < DropSmallest || c.BudgetRule > ProjectNearest:
		return c, fmt.Errorf("BudgetRule is %d; give one of DropSmallest, DropOldest, ProjectSmallest, ProjectNearest",
			c.BudgetRule)
	case c.Truncate < 0 || c.Budget < 0:
		return c, fmt.Errorf("Truncate is %d and Budget %d; neither may be negative", c.Truncate, c.Budget)
	}
	return c, nil
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
		return sigmoid.Softplus(-y * f), -y * sigmoid.Of(-y*f), 0
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
