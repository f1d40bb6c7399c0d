package logistic

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
)

// A logistic fit on a fold's share of the search's Gram matrix has the objective of one
// from the points, at every λ.
func TestSharedLogisticObjectives(t *testing.T) {
	for _, task := range []data.Task{data.Binary, data.Multiclass} {
		p := learntest.Problem(160, task, 5)
		k := kernel.Gaussian{Lengthscale: 0.8}
		gram := linalg.New[float64](p.Len(), p.Len())
		kernel.Fill(1, blas64.General(gram), kernel.Prepare[kernel.Vec](context.Background(), k, p.Points, p.Points))
		fold := learntest.RoundRobin(p.Len(), 4)[1]
		cold := p.Gather(fold.Train)
		for _, lambda := range []float64{1e-3, 0.1, 10} {
			shared, err := Regression[int, int]{Kernel: foldKernel(gram, fold), Lambda: lambda, Intercept: true, Tol: 1e-6}.
				Fit(context.Background(), data.Indices(len(fold.Train)), cold.Codes())
			if err != nil {
				t.Fatal(err)
			}
			want, err := Regression[kernel.Vec, int]{Kernel: k, Lambda: lambda, Intercept: true, Tol: 1e-9}.
				Fit(context.Background(), cold.Points, cold.Codes())
			if err != nil {
				t.Fatal(err)
			}
			if a, b := shared.Report().Objective, want.Report().Objective; !(math.Abs(a-b) <= 1e-6*(1+math.Abs(b))) || b == 0 {
				t.Errorf("%v λ=%g: objective %.12g, from the points %.12g", task, lambda, a, b)
			}
		}
	}
}
