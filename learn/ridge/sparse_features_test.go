package ridge_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/seq"
	"github.com/mercer-ml/mercer/learn/ridge"
	"gonum.org/v1/gonum/mat"
)

// Ridge regression by sparse features is that by a factorisation of K, with an intercept and without,
// with weights, of several targets, and its function has a centre for each target alone.
func TestRidgeBySparseFeaturesIsThatByTheKernel(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	texts, y, weights := make(data.Slice[string], 3000), mat.NewDense(3000, 2, nil), make([]float64, 3000)
	for i := range texts {
		for range 2 + rng.IntN(4) {
			letter := rng.IntN(8)
			texts[i] += string("abcdefgh"[letter])
			y.Set(i, 0, y.At(i, 0)+float64(letter))
		}
		y.Set(i, 0, y.At(i, 0)+rng.NormFloat64())
		y.Set(i, 1, rng.NormFloat64())
		weights[i] = float64(rng.IntN(3))
	}
	x := data.Erase(data.Points[string](texts))
	k := kernel.Erase(kernel.Sum(kernel.Normalize[string](seq.Blended{K: 2}),
		kernel.Scale[string](0.5, seq.Spectrum{K: 1})))
	for name, r := range map[string]ridge.Regression[any]{
		"intercept": {Kernel: k, Lambda: 2, Intercept: true},
		"weighted":  {Kernel: k, Lambda: 1, Intercept: true, Weights: weights},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			got, err := r.FitMulti(ctx, x, y)
			if err != nil {
				t.Fatal(err)
			}
			if n := got.Func().Centers.Len(); n != 2 || len(got.Report().Notes) == 0 {
				t.Fatalf("%d centres, notes %q: it went another way", n, got.Report().Notes)
			}
			r.Method = ridge.Cholesky
			want, err := r.FitMulti(ctx, x, y)
			if err != nil {
				t.Fatal(err)
			}
			others := data.Erase(data.Points[string](data.Slice[string]{"abc", "hhhh", "", "xyz", "gfe"}))
			for _, at := range []data.Points[any]{x, others} {
				a, err := got.PredictMulti(ctx, at)
				if err != nil {
					t.Fatal(err)
				}
				b, err := want.PredictMulti(ctx, at)
				if err != nil {
					t.Fatal(err)
				}
				for i := range at.Len() {
					for j := range 2 {
						if math.Abs(a.At(i, j)-b.At(i, j)) > 1e-7 {
							t.Fatalf("row %d, target %d: %g, by K %g", i, j, a.At(i, j), b.At(i, j))
						}
					}
				}
			}
			if o, w := got.Report().Objective, want.Report().Objective; math.Abs(o-w) > 1e-7*w {
				t.Errorf("objective %g, by K %g", o, w)
			}
		})
	}
}
