// Two distributions of the same mean and variance, a normal and a Laplace: the witness is positive
// where the first is denser, and its norm, the distance of the two, is more than exchanging points
// at random gives.
package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/stat"
	"gonum.org/v1/gonum/mat"
)

func main() {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(1, 1))
	normal, laplace := make([]float64, 600), make([]float64, 600)
	for i := range normal {
		normal[i] = rng.NormFloat64()
		laplace[i] = math.Copysign(rng.ExpFloat64()/math.Sqrt2, rng.Float64()-0.5) // of variance 1
	}
	k := kernel.Gaussian{Lengthscale: 0.5}
	f := draw.Must(stat.Witness(ctx, k, data.Line(normal), data.Line(laplace)))
	x := draw.Even(-5, 5, 401)
	p := draw.New("densities and witness (5 times)", "x", "p(x), 5f(x)")
	p.Curve("normal", 0, x, draw.Map(x, func(v float64) float64 { return math.Exp(-v*v/2) / math.Sqrt(2*math.Pi) }))
	p.Curve("Laplace", 1, x,
		draw.Map(x, func(v float64) float64 { return math.Exp(-math.Sqrt2*math.Abs(v)) / math.Sqrt2 }))
	w := draw.Must(f.Evaluate(ctx, data.Line(x)))
	w.Scale(5, w)
	p.Curve("witness of 600 points each", 2, x, mat.Col(nil, 0, w))

	r := draw.Must(stat.MMD[kernel.Vec]{Kernel: k, TestSettings: stat.TestSettings{Permutations: 2000, Seed: 1}}.Test(ctx,
		data.Line(normal), data.Line(laplace)))
	null := draw.New(fmt.Sprintf("MMD² = %.4f, p = %.4f", r.Statistic, r.P), "MMD²", "density of draws")
	null.Histogram("points exchanged at random", 3, r.Draws, 40)
	null.Mark("as observed", 4, r.Statistic)
	draw.Save("mmd", 2, p, null)
}
