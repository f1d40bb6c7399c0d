package learnt

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/prob"
)

// Latent is the kernel of a common cause in a model: of the parts of a mixture (prob.Latent), of
// the hidden sequences of a hidden Markov model (prob.HMMProduct), and p(x)p(y) of a model that has
// one cause.
type Latent[T any] struct {
	Model Model[T]
}

// Name is "latent".
func (Latent[T]) Name() string { return "latent" }

// Eval has no value: Kernel and Learn make kernels that have.
func (Latent[T]) Eval(x, y T) float64 { return math.NaN() }

// CheckPoints refuses all points.
func (Latent[T]) CheckPoints(data.Points[T]) error { return notYet("latent") }

// Properties of a feature for each cause.
func (Latent[T]) Properties() kernel.Properties { return finite(kernel.No) }

// Validate asks the model.
func (f Latent[T]) Validate() error {
	if f.Model == nil {
		return fmt.Errorf("kernel: latent: no model")
	}
	return f.Model.Validate()
}

// Kernel is the kernel of a model with its parameters, and f itself where it has none yet.
func (f Latent[T]) Kernel() (kernel.Kernel[T], error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	if !f.Model.fitted() {
		return f, nil
	}
	return f.of(), nil
}

// Learn fits the model to the rows.
func (f Latent[T]) Learn(ctx context.Context, e kernel.Examples) (kernel.Kernel[any], error) {
	x, err := pointsOf[T]("latent", e)
	if err != nil {
		return nil, err
	}
	if f.Model, err = f.Model.fit(ctx, x); err != nil {
		return nil, err
	}
	return kernel.Erase(f.of()), nil
}

func (f Latent[T]) of() kernel.Kernel[T] {
	if m, ok := any(f.Model).(HMM); ok {
		return any(emitted(any(f).(Latent[string]), m)).(kernel.Kernel[T])
	}
	features := f.Model.likelihoods()
	return byFeatures("latent", f, features, func(x data.Points[T]) error {
		if err := f.Model.check("latent", x); err != nil {
			return err
		}
		return tooSmall("latent", x, features)
	})
}

// emitted is the probability that one hidden sequence emits both strings.
func emitted(f Latent[string], m HMM) kernel.Kernel[string] {
	k, c := prob.HMMProduct{Model: m.model()}, m.coding()
	return fitted[string, []int]{kernel.PullbackOf[string, []int]{Kernel: k, Map: c.code}, "latent", f,
		func(x data.Points[string]) error {
			if err := c.check("latent", x); err != nil {
				return err
			}
			return k.CheckPoints(c.all(x))
		}}
}
