package learnt

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/prob"
)

// MarginalizedCount is the marginalised count kernel of a hidden Markov model
// (prob.MarginalizedCount): the inner product of the expected shares of letters with their states.
type MarginalizedCount struct {
	Model Model[string] // an HMM
	Order int           // letters in a row: 1, when zero, or 2
}

// Name is "marginalized".
func (MarginalizedCount) Name() string { return "marginalized" }

// Eval has no value: Kernel and Learn make kernels that have.
func (MarginalizedCount) Eval(x, y string) float64 { return math.NaN() }

// CheckPoints refuses all points.
func (MarginalizedCount) CheckPoints(data.Points[string]) error { return notYet("marginalized") }

// Properties of finitely many features.
func (MarginalizedCount) Properties() kernel.Properties { return finite(kernel.No) }

// Validate refuses models without states, and asks the model.
func (f MarginalizedCount) Validate() error {
	m, ok := f.Model.(HMM)
	if !ok {
		return fmt.Errorf("kernel: marginalized: it sums over hidden states, which hmm has, of texts, and mixture, of numbers")
	}
	if f.Order < 0 || f.Order > 2 {
		return fmt.Errorf("kernel: marginalized: order = %d, want 1 or 2", f.Order)
	}
	return m.Validate()
}

// Kernel is the kernel of a model with its parameters, and f itself where it has none yet.
func (f MarginalizedCount) Kernel() (kernel.Kernel[string], error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	if !f.Model.fitted() {
		return f, nil
	}
	return f.of(), nil
}

// Learn fits the model to the rows.
func (f MarginalizedCount) Learn(ctx context.Context, e kernel.Examples) (kernel.Kernel[any], error) {
	x, err := pointsOf[string]("marginalized", e)
	if err != nil {
		return nil, err
	}
	if f.Model, err = f.Model.fit(ctx, x); err != nil {
		return nil, err
	}
	return kernel.Erase(f.of()), nil
}

func (f MarginalizedCount) of() kernel.Kernel[string] {
	m := f.Model.(HMM)
	k, c := prob.MarginalizedCount{Model: m.model(), Order: f.Order}, m.coding()
	return byFeatures("marginalized", f, func(s string) kernel.Vec { return k.Features(c.code(s)) },
		func(x data.Points[string]) error { return m.check("marginalized", x) })
}

// Marginalized is the marginalised kernel of a mixture (prob.Marginalized) with κ on the points and
// equality on the parts that they come from,
//
//	k(x, y) = Σₛ Σᵣ p(s | x)p(r | y)·1[s = r]·κ(x, y) = κ(x, y)·Σₛ p(s | x)p(s | y).
type Marginalized struct {
	Model  Model[kernel.Vec] // a Mixture
	Inside kernel.Kernel[kernel.Vec]
}

// Name is "marginalized".
func (Marginalized) Name() string { return "marginalized" }

// Eval has no value: Kernel and Learn make kernels that have.
func (Marginalized) Eval(x, y kernel.Vec) float64 { return math.NaN() }

// CheckPoints refuses all points.
func (Marginalized) CheckPoints(data.Points[kernel.Vec]) error { return notYet("marginalized") }

// Properties of a product.
func (f Marginalized) Properties() kernel.Properties {
	p := finite(kernel.Unknown)
	p.PSD, p.Universal, p.Characteristic = kernel.PropertiesOf(f.Inside).PSD, kernel.Unknown, kernel.Unknown
	return p
}

// Params are those of κ.
func (f Marginalized) Params() []kernel.Param { return kernel.Params(f.Inside) }

// With sets those of κ.
func (f Marginalized) With(theta []float64) kernel.Kernel[kernel.Vec] {
	if k, err := kernel.With(f.Inside, theta); err == nil {
		f.Inside = k
	}
	return f
}

// Validate refuses models without states, and asks the model and κ.
func (f Marginalized) Validate() error {
	m, ok := f.Model.(Mixture)
	if !ok {
		return fmt.Errorf("kernel: marginalized: it sums over hidden states, which mixture has, of numbers, and hmm, of texts")
	}
	if err := m.Validate(); err != nil {
		return err
	}
	if f.Inside == nil {
		return fmt.Errorf("kernel: marginalized: no kernel on the points")
	}
	return kernel.Validate(f.Inside)
}

// Kernel is the kernel of a model with its parameters, and f itself where it has none yet.
func (f Marginalized) Kernel() (kernel.Kernel[kernel.Vec], error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	if !f.Model.fitted() {
		return f, nil
	}
	return f.of(), nil
}

// Learn fits the model to the rows.
func (f Marginalized) Learn(ctx context.Context, e kernel.Examples) (kernel.Kernel[any], error) {
	x, err := pointsOf[kernel.Vec]("marginalized", e)
	if err != nil {
		return nil, err
	}
	if kernel.Learns(kernel.OnVectors(f.Inside)) {
		return nil, fmt.Errorf("kernel: marginalized: its kernel on the points is fitted to rows itself; take one that is not")
	}
	if f.Model, err = f.Model.fit(ctx, x); err != nil {
		return nil, err
	}
	return kernel.OnVectors(f.of()), nil
}

// marginal is κ(x, y)·⟨p(· | x), p(· | y)⟩.
type marginal struct {
	kernel.ProductOf[kernel.Vec]
	form Marginalized
}

func (f Marginalized) of() kernel.Kernel[kernel.Vec] {
	mix := f.Model.(Mixture).model()
	posterior := kernel.Pullback(kernel.Kernel[kernel.Vec](kernel.Linear{}),
		func(x kernel.Vec) kernel.Vec { return mix.Posterior(x) })
	return marginal{kernel.ProductOf[kernel.Vec]{Factors: []kernel.Kernel[kernel.Vec]{f.Inside, posterior}}, f}
}

// Name is "marginalized".
func (marginal) Name() string { return "marginalized" }

// Form is the form with the numbers of its model.
func (k marginal) Form() any { return k.form }

// With sets the parameters of κ.
func (k marginal) With(theta []float64) kernel.Kernel[kernel.Vec] {
	return k.form.With(theta).(Marginalized).of()
}

// CheckPoints asks the model and κ.
func (k marginal) CheckPoints(x data.Points[kernel.Vec]) error {
	if err := k.form.Model.check("marginalized", x); err != nil {
		return err
	}
	return kernel.Check(k.form.Inside, x)
}
