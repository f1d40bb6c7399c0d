package ridge_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/seq"
	"github.com/mercer-ml/mercer/learn/ridge"
	"gonum.org/v1/gonum/mat"
)

// Ridge regression by sparse features is that by a factorisation of K, with an intercept and without,
// with weights, of several targets, and its function has a centre for each target alone: by the normal
// equations of few features, by conjugate gradients of many, and where these do not get there by K
// itself.
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
	long := kernel.Erase[string](seq.Blended{K: 5})
	ways := map[string][]ridge.Method{"intercept": {ridge.Primal}, "weighted": {ridge.Primal}, "plain": {ridge.Primal},
		"more features than points": {ridge.CG}, "too many steps": {ridge.Cholesky, ridge.Mixed}}
	all, targets := x, y
	for name, r := range map[string]ridge.Regression[any]{
		"intercept":                 {Kernel: k, Lambda: 2, Intercept: true},
		"weighted":                  {Kernel: k, Lambda: 1, Intercept: true, Weights: weights},
		"plain":                     {Kernel: k, Lambda: 1},
		"more features than points": {Kernel: long, Lambda: 50, Intercept: true, Weights: weights},
		"too many steps":            {Kernel: long, Lambda: 1e-4, Intercept: true},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, n := context.Background(), 1700
			if name == "more features than points" {
				n = len(texts)
			}
			x, y := data.Gather(all, par.Indices(0, n)), targets.Slice(0, n, 0, 2).(*mat.Dense)
			if r.Weights != nil {
				r.Weights = r.Weights[:n]
			}
			got, err := r.FitMulti(ctx, x, y)
			if err != nil {
				t.Fatal(err)
			}
			if n := got.Func().Centers.Len(); n != 2 || len(got.Report().Notes) == 0 {
				t.Fatalf("%d centres, notes %q: it went another way", n, got.Report().Notes)
			}
			how := got.Report().Learner
			if !slices.ContainsFunc(ways[name], func(m ridge.Method) bool { return how == "ridge ("+m.String()+")" }) {
				t.Errorf("went by %s, not by %v", how, ways[name])
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
