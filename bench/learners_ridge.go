package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/ridge"
)

func ridgeAndProcess() []Case { return []Case{ridgeFit(8000, 100), processFit(1000, 8, 20)} }

// regression is random points with a smooth target and noise.
func regression(n, d int) (linalg.Matrix[float64], []float64) {
	x, y := random(n, d, 5), make([]float64, n)
	noise := random(n, 1, 6)
	for i := range y {
		y[i] = math.Sin(2*x.At(i, 0)) + 0.5*x.At(i, 1) + 0.1*noise.At(i, 0)
	}
	return x, y
}

func vector(v []float64) Array { return Array{Rows: len(v), Cols: 1, Data: v} }

// ridgeFit is kernel ridge regression; both sides end with the coefficients.
func ridgeFit(n, d int) Case {
	return Case{
		Work: fmt.Sprintf("ridge fit n=%d d=%d", n, d), Bar: 2.5, Peer: "ridge",
		Args: map[string]any{"gamma": 0.01, "alpha": 1.0},
		Prepare: func() Work {
			x, y := regression(n, d)
			var coef []float64
			r := ridge.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: math.Sqrt(50)}, Lambda: 1}
			return Work{
				Inputs: Inputs{"x": array(x), "y": vector(y)},
				Run: func() {
					m, err := r.Fit(context.Background(), data.RowsOf(x), y)
					if err != nil {
						panic(err)
					}
					coef = linalg.Of(m.Func().Coef).Data
				},
				Check: func(t Inputs) error { return agree("coefficient", coef, t["result"].Data, 1e-9) },
			}
		},
	}
}

// processFit evaluates the log marginal likelihood of a Gaussian process and
// its gradient at the same hyper-parameters on both sides, then conditions on the
// best: a fit with the choice of the next place to look taken out.
func processFit(n, d, evaluations int) Case {
	return Case{
		Work: fmt.Sprintf("GP hyper-parameter fit n=%d ARD d=%d, %d evaluations", n, d, evaluations), Bar: 5, Peer: "process",
		Prepare: func() Work {
			x, y := regression(n, d)
			rng := rand.New(rand.NewPCG(7, 0))
			thetas := linalg.New[float64](evaluations, d+2) // factor, length-scales, noise
			for i := range thetas.Data {
				thetas.Data[i] = math.Exp(0.5 * rng.NormFloat64())
			}
			var values []float64
			return Work{
				Inputs: Inputs{"x": array(x), "y": vector(y), "thetas": array(thetas)},
				Run: func() {
					values = values[:0]
					best := 0
					process := func(i int) gp.Regression[kernel.Vec] {
						t := thetas.Row(i)
						k := kernel.Scale[kernel.Vec](t[0], kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: t[1 : d+1]})
						return gp.Regression[kernel.Vec]{Kernel: k, Noise: t[d+1], FixedNoise: true,
							HyperOptions: gp.HyperOptions{FixedKernel: true}}
					}
					for i := range evaluations {
						e, err := process(i).Evidence(context.Background(), data.RowsOf(x), y)
						if err != nil {
							panic(err)
						}
						values = append(values, e.LogMarginal)
						for p, g := range e.Kernel { // by the logarithms, as theirs
							values = append(values, g*thetas.At(i, p))
						}
						values = append(values, e.Noise*thetas.At(i, d+1))
						if e.LogMarginal > values[best*(d+3)] {
							best = i
						}
					}
					if _, err := process(best).Fit(context.Background(), data.RowsOf(x), y); err != nil {
						panic(err)
					}
				},
				Check: func(t Inputs) error { return agree("likelihood and gradient", values, t["result"].Data, 1e-9) },
			}
		},
	}
}
