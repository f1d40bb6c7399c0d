package learn

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// keeper is a fitted expansion, whatever it predicts.
type keeper interface {
	Model[kernel.Vec]
	Support() []int
}

// TestSparseMachinesThreadsAndCopies: the same bits at 1, 2 and 8 threads, no change
// of the model with that of the training data, and none through the lists it hands out.
func TestSparseMachinesThreadsAndCopies(t *testing.T) {
	const n = 300
	ctx := context.Background()
	k := kernel.Gaussian{Lengthscale: 1}
	x, label := blobs(n, 3, 3, 1, 71)
	y := make([]float64, n)
	for i := range y {
		y[i] = math.Sin(x.At(i, 0)) + x.At(i, 1)
	}
	type fit func(r Resources, x data.Points[kernel.Vec], y []float64, label []int) (keeper, error)
	fits := map[string]fit{
		"rvm": func(r Resources, x data.Points[kernel.Vec], y []float64, _ []int) (keeper, error) {
			return RVM[kernel.Vec]{Kernel: k, Noise: 0.01, Resources: r}.Fit(ctx, x, y)
		},
		"rvm classifier": func(r Resources, x data.Points[kernel.Vec], _ []float64, label []int) (keeper, error) {
			return RVMClassifier[kernel.Vec, int]{Kernel: k, Resources: r}.Fit(ctx, x, label)
		},
		"l1vm": func(r Resources, x data.Points[kernel.Vec], y []float64, _ []int) (keeper, error) {
			return L1VM[kernel.Vec]{Kernel: k, VectorMachineOptions: VectorMachineOptions{Resources: r}}.Fit(ctx, x, y)
		},
		"l1vm classifier": func(r Resources, x data.Points[kernel.Vec], _ []float64, label []int) (keeper, error) {
			return L1VMClassifier[kernel.Vec, int]{Kernel: k, VectorMachineOptions: VectorMachineOptions{Resources: r}}.Fit(ctx, x, label)
		},
		"l2vm": func(r Resources, x data.Points[kernel.Vec], y []float64, _ []int) (keeper, error) {
			return L2VM[kernel.Vec]{Kernel: k, VectorMachineOptions: VectorMachineOptions{Resources: r}}.Fit(ctx, x, y)
		},
		"fisher": func(r Resources, x data.Points[kernel.Vec], _ []float64, label []int) (keeper, error) {
			return Fisher[kernel.Vec, int]{Kernel: k, Resources: r}.Fit(ctx, x, label)
		},
	}
	for name, run := range fits {
		t.Run(name, func(t *testing.T) {
			var first string
			for _, threads := range []int{1, 2, 8} {
				tx, ty, tl := mat.DenseCopyOf(x), slices.Clone(y), slices.Clone(label)
				m, err := run(Resources{Threads: parThreads(threads)}, data.Rows(tx), ty, tl)
				if err != nil {
					t.Fatal(err)
				}
				describe := func() string {
					return fmt.Sprint(m.Support()) + bitsOf(m.Func().Coef.RawMatrix().Data) + bitsOf(m.Func().Bias) +
						bitsOf(evaluateAll(m.Func(), nil, data.Rows(x)).RawMatrix().Data)
				}
				before := describe()
				tx.Zero()
				clear(ty)
				clear(tl)
				clear(m.Support())
				if describe() != before {
					t.Error("the model changed with the training data or its own lists")
				}
				if threads == 1 {
					first = before
				}
				if before != first {
					t.Errorf("other bits at %d threads than at one", threads)
				}
			}
		})
	}
}
