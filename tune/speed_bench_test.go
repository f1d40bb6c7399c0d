package tune

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// roundRobin gives row i to fold i mod m.
func roundRobin(n, m int) []data.Fold {
	folds := make([]data.Fold, m)
	for i := range n {
		for f := range folds {
			if i%m == f {
				folds[f].Test = append(folds[f].Test, i)
			} else {
				folds[f].Train = append(folds[f].Train, i)
			}
		}
	}
	return folds
}

// BenchmarkRidgeGrid is three kernels (narrow, middling, wide) of the ridge
// row of the benchmark suite, 50 λ each.
func BenchmarkRidgeGrid(b *testing.B) {
	const n, d = 2000, 10
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := linalg.New[float64](n, d), make([]float64, n)
	for i := range y {
		v := x.Row(i)
		for j := range v {
			v[j] = rng.NormFloat64()
		}
		y[i] = math.Sin(v[0]*v[1]) + v[2] - v[3]*v[3]/3 + 0.1*rng.NormFloat64()
	}
	for _, length := range []float64{0.3, 3, 30} {
		s := Search{
			Problem: learn.Problem[any]{Points: data.Erase(data.RowsOf(x)), Task: data.Regression, Y: y},
			Candidates: []Candidate{{Learner: "ridge", Kernel: vec(kernel.Gaussian{}), NoIntercept: true,
				Axes: []Axis{{Name: "gaussian.lengthscale", Values: []float64{length}},
					{Name: "lambda", Values: learn.LogSpace(1e-6, 1e2, 50)}}}},
			Folds: roundRobin(n, 10), NoModel: true,
		}
		b.Run("length="+[...]string{"narrow", "middle", "wide"}[int(math.Round(math.Log10(length/0.3)))], func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Run(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
