package main

import (
	"math/rand/v2"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// vectorExp is exp of a long vector into a given output. numpy's runs on one
// core; ours on all of them.
func vectorExp(n int) Case {
	return Case{Work: "exp of 10⁷ float64", Bar: 1.5, Peer: "exp", Prepare: func() Work {
		rng := rand.New(rand.NewPCG(11, 0))
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = 20 * (rng.Float64() - 0.5)
		}
		return Work{
			Inputs: Inputs{"x": {Rows: 1, Cols: n, Data: x}},
			Run:    func() { linalg.Elementwise(0, y, x, simd.Exp64) },
			Check:  func(t Inputs) error { return agree("exp", y[:1000], t["result"].Data, 4e-16) },
		}
	}}
}

// gaussianPairs is the Gram matrix exp(-‖x-y‖²/200) in fresh memory, points
// prepared inside the timing, as the peer does.
func gaussianPairs(n, d int) Case {
	return Case{Work: "Gaussian Gram matrix, 8000 points in 100 dimensions", Bar: 3, Peer: "rbf",
		Args: map[string]any{"gamma": 1. / 200}, Prepare: func() Work {
			x := random(n, d, 12)
			var k linalg.Matrix[float64]
			return Work{
				Inputs: Inputs{"x": array(x)},
				Run: func() {
					k = linalg.Unset[float64](n, n)
					p := linalg.NewPairs[float64](linalg.SquaredDistance, x, x)
					linalg.PairwiseSym(0, p, k, func(m []float64) { simd.ScaleExp64(m, m, -1./200) })
				},
				Check: func(t Inputs) error {
					var ours []float64
					for i := 0; i < n; i += 97 {
						for j := 0; j < n; j += 89 {
							ours = append(ours, k.At(i, j))
						}
					}
					return agree("Gram", ours, t["result"].Data, 1e-12)
				},
			}
		}}
}
