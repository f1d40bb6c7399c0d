// Points on a ring: their coordinates are uncorrelated, and yet each says much of the other. HSIC
// sees it; the correlation does not.
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
	gonum "gonum.org/v1/gonum/stat"
)

func main() {
	rng := rand.New(rand.NewPCG(1, 1))
	x, y := make([]float64, 200), make([]float64, 200)
	for i := range x {
		s, c := math.Sincos(2 * math.Pi * rng.Float64())
		x[i], y[i] = c+0.1*rng.NormFloat64(), s+0.1*rng.NormFloat64()
	}
	k := kernel.Gaussian{Lengthscale: 0.5}
	r := draw.Must(stat.HSIC[kernel.Vec, kernel.Vec]{KernelX: k, KernelY: k,
		TestSettings: stat.TestSettings{Permutations: 2000, Seed: 1}}.Test(context.Background(), data.Line(x), data.Line(y)))
	ring := draw.New(fmt.Sprintf("correlation %.3f", gonum.Correlation(x, y, nil)), "x", "y")
	ring.Dots("pairs", 0, x, y)
	null := draw.New(fmt.Sprintf("HSIC = %.4f, p = %.4f", r.Statistic, r.P), "HSIC", "density of draws")
	null.Histogram("pairs exchanged at random", 3, r.Draws, 40)
	null.Mark("as observed", 4, r.Statistic)
	draw.Save("hsic", 2, ring, null)
}
