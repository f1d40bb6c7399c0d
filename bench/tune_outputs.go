package main

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/gp"
	"gonum.org/v1/gonum/mat"
)

// outputsSearch is one process of several outputs by marginal likelihood: a length-scale, the
// covariance B of the outputs and a noise for each, both sides from a length-scale and variances of
// 1. GPyTorch takes the steps of Adam that its documentation takes, ours climbs until it is done,
// and must end as high.
func outputsSearch(n, outputs, steps int) Case {
	return Case{Work: fmt.Sprintf("GP of %d outputs by marginal likelihood, n=%d", outputs, n), Bar: 2,
		Peer: "outputs_search", Args: map[string]any{"steps": steps},
		Prepare: func() Work {
			x, signal := regression(n, 3)
			noise := random(n, outputs, 60)
			y := linalg.New[float64](n, outputs)
			for t := range outputs {
				mean, total := 0.0, 0.0
				for i := range n {
					y.Set(i, t, signal[i]+0.3*float64(t)*x.At(i, 2)+0.3*float64(t+1)*noise.At(i, t))
					mean += y.At(i, t) / float64(n)
				}
				for i := range n {
					y.Set(i, t, y.At(i, t)-mean)
					total += y.At(i, t) * y.At(i, t) / float64(n)
				}
				for i := range n {
					y.Set(i, t, y.At(i, t)/math.Sqrt(total))
				}
			}
			j := gp.Joint{Kernel: kernel.Erase[kernel.Vec](kernel.Gaussian{Lengthscale: 1}), NoMean: true}
			points := data.Erase[kernel.Vec](data.RowsOf(x))
			var m *gp.JointRegressor
			return Work{
				Inputs: Inputs{"x": array(x), "y": array(y)},
				Run: func() {
					var err error
					if m, err = j.Fit(context.Background(), points, mat.DenseCopyOf(linalg.Dense(y))); err != nil {
						panic(err)
					}
				},
				Check: func(t Inputs) error {
					theirs := t["result"].Data[0]
					if got := m.LogMarginal(); math.IsNaN(got) || got < theirs-0.1 {
						return fmt.Errorf("log marginal likelihood %.6g, theirs %.6g", got, theirs)
					}
					return nil
				},
			}
		}}
}
