package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkFit is what a fit costs inside of the worker, from its arrays to the answer's.
func BenchmarkFit(b *testing.B) {
	for _, s := range []struct{ n, d, classes int }{{100, 5, 2}, {100, 50, 3}, {500, 20, 2}, {1000, 100, 10}} {
		b.Run(fmt.Sprintf("%dx%d_%d", s.n, s.d, s.classes), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			centres := make([]float64, 3*s.classes*s.d)
			for i := range centres {
				centres[i] = rng.NormFloat64()
			}
			x, y := make([]float64, s.n*s.d), make([]float64, s.n)
			for i := range y {
				at := rng.IntN(3 * s.classes)
				y[i] = float64(at % s.classes)
				for j := range s.d {
					x[i*s.d+j] = centres[at*s.d+j] + 0.6*rng.NormFloat64()
				}
			}
			var names []string
			for c := range s.classes {
				names = append(names, fmt.Sprint(c))
			}
			args, err := json.Marshal(map[string]any{"learner": "svm", "task": "classification", "kernel": fmt.Sprintf("gaussian(gamma=%g)", 1/float64(s.d)),
				"params": map[string]any{"C": 1}, "classes": names, "tol": 1e-3})
			if err != nil {
				b.Fatal(err)
			}
			in := newAnswer()
			put(in, "x", x, s.n, s.d)
			put(in, "y", y, 1, s.n)
			body := aligned(in.size)
			for _, p := range in.placed {
				copy(body[p.at:], p.bytes)
			}
			w := &Worker{models: newModels()}
			for b.Loop() {
				if _, err := fit(context.Background(), &call{Worker: w, args: args, arrays: arrays{in.heads, body}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
