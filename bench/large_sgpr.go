package main

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/gp"
)

// sgprFit is a sparse Gaussian process: so many steps for length-scales, variance, noise and
// inducing points. The peer takes as many of Adam; both are judged by the error on rows held out,
// since bounds are reported in other units there.
func sgprFit(n, d, m, steps int) Case {
	c := Case{Work: fmt.Sprintf("SGPR n=%d d=%d M=%d, %d steps", n, d, m, steps), Bar: 2, Peer: "sgpr",
		Args: map[string]any{"inducing": m, "steps": steps}}
	c.Prepare = func() Work {
		h := heldOut(n, d, 2000)
		scales := make([]float64, d)
		for j := range scales {
			scales[j] = math.Sqrt(float64(d))
		}
		var values []float64
		return Work{Inputs: h.inputs(), Note: "fit and predictions of 2000 rows",
			Run: func() {
				r := gp.SparseRegression[kernel.Vec]{Kernel: kernel.Scale[kernel.Vec](1,
					kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: scales}), FitMean: true,
					InducingOptions: gp.InducingOptions{Inducing: m, MoveInducing: true},
					HyperOptions:    gp.HyperOptions{MaxIterations: steps, Tol: 1e-12}}
				f, err := r.Fit(context.Background(), data.RowsOf(h.x), h.y)
				if err != nil {
					panic(err)
				}
				if values, err = f.Predict(context.Background(), data.RowsOf(h.test)); err != nil {
					panic(err)
				}
			},
			Check: func(t Inputs) error { return h.asGood(values, t["result"].Data, 0.02) },
		}
	}
	return c
}
