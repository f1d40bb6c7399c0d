package forest

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// benchRows is n rows of d normal numbers, with a wavy target and its classes.
func benchRows(n, d, classes int) (data.Points[kernel.Vec], []float64, []int) {
	rng := rand.New(rand.NewPCG(7, 1))
	x, y, code := make(data.Slice[kernel.Vec], n), make([]float64, n), make([]int, n)
	for i := range x {
		x[i] = make(kernel.Vec, d)
		for j := range x[i] {
			x[i][j] = rng.NormFloat64()
		}
		y[i] = math.Sin(2*x[i][0]) + x[i][1]*x[i][2] + 0.3*rng.NormFloat64()
		code[i] = int(math.Abs(3*y[i])) % classes
	}
	return data.Own[kernel.Vec](x), y, code
}

func BenchmarkFit(b *testing.B) {
	for _, n := range []int{1000, 20000} {
		x, y, code := benchRows(n, 20, 2)
		_, _, many := benchRows(n, 20, 7)
		size := map[int]string{1000: "1000", 20000: "20000"}[n]
		run := func(name string, f func() error) {
			b.Run(name+"/"+size, func(b *testing.B) {
				for b.Loop() {
					if err := f(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		s := Supervised{Growth: Growth{Trees: 10}, Threads: 1}
		run("numbers", func() error { _, _, err := s.Fit(context.Background(), x, y); return err })
		run("two", func() error { _, _, err := s.FitClasses(context.Background(), x, code, 2); return err })
		run("seven", func() error { _, _, err := s.FitClasses(context.Background(), x, many, 7); return err })
		r := Supervised{Growth: Growth{Trees: 10, Splits: RandomSplits}, Threads: 1}
		run("random", func() error { _, _, err := r.Fit(context.Background(), x, y); return err })
	}
}
