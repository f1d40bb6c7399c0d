package main

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/gp"
)

// processSearch is a process with a length-scale for each column by marginal likelihood, both sides
// from length-scales and variances of 1. GPyTorch takes the steps of Adam that its tutorial takes,
// ours climbs until it is done, and must end as high. GPyTorch factors (Cholesky), or, as it does by
// itself from 800 points on, solves by conjugate gradients and probes.
func processSearch(n, d, steps int, factor bool) Case {
	how := "Cholesky"
	if !factor {
		how = "conjugate gradients"
	}
	return Case{
		Work: fmt.Sprintf("GP with ARD by marginal likelihood, Matérn 3/2, n=%d d=%d, beside %s", n, d, how),
		Bar:  4, Peer: "process_search", Args: map[string]any{"steps": steps, "factor": factor},
		Prepare: func() Work {
			x, y := regression(n, d)
			mean, _ := meanSE(y)
			for i := range y {
				y[i] -= mean
			}
			lengths := make([]float64, d)
			for i := range lengths {
				lengths[i] = 1
			}
			g := gp.Regression[kernel.Vec]{
				Kernel: kernel.Scale[kernel.Vec](1, kernel.ARD{Kernel: kernel.Matern{Nu: 1.5, Lengthscale: 1},
					Lengthscales: lengths}),
				Noise: 0.1,
			}
			var m *gp.Regressor[kernel.Vec]
			return Work{
				Inputs: Inputs{"x": array(x), "y": vector(y)},
				Run:    func() { m = must(g.Fit(context.Background(), data.RowsOf(x), y)) },
				Check: func(t Inputs) error {
					theirs := t["result"].Data[0]
					if got := m.LogMarginal(); math.IsNaN(got) || got < theirs-0.1 {
						return fmt.Errorf("log marginal likelihood %.6g, theirs %.6g", got, theirs)
					}
					return nil
				},
			}
		},
	}
}
