package learnt

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Fisher is the Fisher kernel of a model (prob.Fisher).
type Fisher[T any] struct {
	Model       Model[T]
	Information Information
	Draws       int // of Simulated; 1000 when zero
	Seed        uint64

	Root [][]float64 // of the inverse information, where it is a matrix that was found from rows
}

// Name is "fisher".
func (Fisher[T]) Name() string { return "fisher" }

// Eval has no value: Kernel and Learn make kernels that have.
func (Fisher[T]) Eval(x, y T) float64 { return math.NaN() }

// CheckPoints refuses all points.
func (Fisher[T]) CheckPoints(data.Points[T]) error { return notYet("fisher") }

// Properties of finitely many features.
func (Fisher[T]) Properties() kernel.Properties { return finite(kernel.No) }

// Validate asks the model.
func (f Fisher[T]) Validate() error {
	if f.Model == nil {
		return fmt.Errorf("kernel: fisher: no model")
	}
	for i, row := range f.Root {
		if len(row) != len(f.Root[0]) {
			return fmt.Errorf("kernel: fisher: row %d of the root has %d numbers, the first has %d", i, len(row), len(f.Root[0]))
		}
	}
	if f.Draws < 0 || f.Information < Auto || f.Information > Identity {
		return fmt.Errorf("kernel: fisher: information %d of %d draws", f.Information, f.Draws)
	}
	return f.Model.Validate()
}

// Kernel is the kernel of a model with its parameters, and f itself where it has none yet.
func (f Fisher[T]) Kernel() (kernel.Kernel[T], error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	if !f.Model.fitted() {
		return f, nil
	}
	return f.of(nil)
}

// Learn fits the model to the rows, and takes the information from them where that is asked for.
func (f Fisher[T]) Learn(ctx context.Context, e kernel.Examples) (kernel.Kernel[any], error) {
	x, err := pointsOf[T]("fisher", e)
	if err != nil {
		return nil, err
	}
	if f.Model, err = f.Model.fit(ctx, x); err != nil {
		return nil, err
	}
	if err := f.Model.check("fisher", x); err != nil {
		return nil, err
	}
	k, err := f.of(x)
	if err != nil {
		return nil, err
	}
	return kernel.Erase(k), nil
}

func (f Fisher[T]) of(x data.Points[T]) (kernel.Kernel[T], error) {
	features, root, err := f.Model.scores(how{f.Information, f.Draws, f.Seed, denseOf(f.Root)}, x)
	if err != nil {
		return nil, err
	}
	if f.Root == nil {
		f.Root = rowsOf(root)
	}
	return byFeatures("fisher", f, features, func(x data.Points[T]) error { return f.Model.check("fisher", x) }), nil
}
