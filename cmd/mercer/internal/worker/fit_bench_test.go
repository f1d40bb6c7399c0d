package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// shapesOfFits is rows around centres, a few for each class.
var shapesOfFits = []struct{ n, d, classes int }{{100, 5, 2}, {100, 50, 3}, {500, 20, 2}, {1000, 100, 10},
	{1000, 500, 2}, {3000, 16, 26}}

// fitCall is the request of a fit.
func fitCall(b *testing.B, n, d, k int) *call {
	rng := rand.New(rand.NewPCG(1, 2))
	centres := make([]float64, 3*k*d)
	for i := range centres {
		centres[i] = rng.NormFloat64()
	}
	x, y := make([]float64, n*d), make([]float64, n)
	for i := range y {
		at := rng.IntN(3 * k)
		y[i] = float64(at % k)
		for j := range d {
			x[i*d+j] = centres[at*d+j] + 0.6*rng.NormFloat64()
		}
	}
	var names []string
	for c := range k {
		names = append(names, fmt.Sprint(c))
	}
	args, err := json.Marshal(map[string]any{"learner": "svm", "task": "classification",
		"kernel": fmt.Sprintf("gaussian(gamma=%g)", 1/float64(d)),
		"params": map[string]any{"C": 1}, "classes": names, "tol": 1e-3})
	if err != nil {
		b.Fatal(err)
	}
	in := newAnswer()
	put(in, "x", x, n, d)
	put(in, "y", y, 1, n)
	body := aligned(in.size)
	for _, p := range in.placed {
		copy(body[p.at:], p.bytes)
	}
	return &call{Worker: &Worker{models: newModels()}, args: args, arrays: arrays{in.heads, body}}
}

// BenchmarkFit is what a fit costs inside of the worker, from its arrays to the answer's.
func BenchmarkFit(b *testing.B) {
	for _, s := range shapesOfFits {
		b.Run(fmt.Sprintf("%dx%d_%d", s.n, s.d, s.classes), func(b *testing.B) {
			c := fitCall(b, s.n, s.d, s.classes)
			for b.Loop() {
				if _, err := fit(context.Background(), c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPredict is the same of a prediction of the rows that were fitted.
func BenchmarkPredict(b *testing.B) {
	for _, s := range shapesOfFits {
		b.Run(fmt.Sprintf("%dx%d_%d", s.n, s.d, s.classes), func(b *testing.B) {
			c := fitCall(b, s.n, s.d, s.classes)
			a, err := fit(context.Background(), c)
			if err != nil {
				b.Fatal(err)
			}
			if c.args, err = json.Marshal(map[string]any{"model": a.result["model"]}); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := predict(context.Background(), c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// sparseCall is the request of a fit to rows as texts have them.
func sparseCall(b *testing.B, n int, fit map[string]any) *call {
	const columns, words = 20000, 50
	rng := rand.New(rand.NewPCG(1, 2))
	ptr, index, value, y := make([]int64, n+1), make([]int32, 0, n*words), make([]float64, 0, n*words), make([]float64, n)
	for i := range y {
		y[i] = float64(i % 2)
		seen := map[int32]bool{}
		for range words {
			w := int32(math.Pow(columns, rng.Float64())) - 1
			if y[i] == 1 && rng.IntN(3) == 0 {
				w = w * 7 % columns
			}
			seen[w] = true
		}
		own := slices.Sorted(maps.Keys(seen))
		index = append(index, own...)
		for range own {
			value = append(value, rng.Float64()/math.Sqrt(words))
		}
		ptr[i+1] = int64(len(index))
	}
	args, err := json.Marshal(fit)
	if err != nil {
		b.Fatal(err)
	}
	in := newAnswer()
	put(in, "x.ptr", ptr)
	put(in, "x.index", index)
	put(in, "x.value", value)
	put(in, "x.columns", []int64{columns})
	put(in, "y", y, 1, n)
	body := aligned(in.size)
	for _, p := range in.placed {
		copy(body[p.at:], p.bytes)
	}
	return &call{Worker: &Worker{models: newModels()}, args: args, arrays: arrays{in.heads, body}}
}

// BenchmarkSparse is fits and predictions of linear machines on such rows.
func BenchmarkSparse(b *testing.B) {
	for _, s := range []struct {
		name string
		n    int
		args map[string]any
	}{
		{"linear-svm", 4000, map[string]any{"learner": "linear-svm",
			"params": map[string]any{"C": 1, "loss": "squared", "bias": "yes"}, "tol": 1e-4, "max_iterations": 1000}},
		{"svm", 2000, map[string]any{"learner": "svm", "params": map[string]any{"C": 1}, "tol": 1e-3}},
	} {
		s.args["task"], s.args["kernel"], s.args["classes"] = "classification", "linear()", []string{"a", "b"}
		c := sparseCall(b, s.n, s.args)
		b.Run(s.name+"/fit", func(b *testing.B) {
			for b.Loop() {
				if _, err := fit(context.Background(), c); err != nil {
					b.Fatal(err)
				}
			}
		})
		a, err := fit(context.Background(), c)
		if err != nil {
			b.Fatal(err)
		}
		used := *c
		if used.args, err = json.Marshal(map[string]any{"model": a.result["model"]}); err != nil {
			b.Fatal(err)
		}
		b.Run(s.name+"/predict", func(b *testing.B) {
			for b.Loop() {
				if _, err := predict(context.Background(), &used); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
