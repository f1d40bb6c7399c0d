package main

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
)

// spreadKernel is exp(-‖x-y‖²/d) on both sides.
func spreadKernel(d int) kernel.Gaussian {
	return kernel.Gaussian{Lengthscale: math.Sqrt(float64(d) / 2)}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// fresh are so many points that are predicted.
const fresh = 1000

func spreadRidge(n, d int) Case {
	return Case{Work: "ridge", Peer: "ridge", Args: map[string]any{"gamma": 1 / float64(d)}, Prepare: func() Work {
		x, y := regression(n, d)
		var coef []float64
		return Work{
			Inputs: Inputs{"x": array(x), "y": vector(y)},
			Run: func() {
				m := must(ridge.Regression[kernel.Vec]{Kernel: spreadKernel(d), Lambda: 1}.Fit(context.Background(), data.RowsOf(x),
					y))
				coef = linalg.Of(m.Func().Coef).Data
			},
			Check: func(t Inputs) error { return agree("coefficient", coef, t["result"].Data, 1e-9) },
		}
	}}
}

func spreadRidgePrediction(n, d int) Case {
	return Case{Work: "ridge prediction", Peer: "ridge_prediction", Args: map[string]any{"gamma": 1 / float64(d)},
		Prepare: func() Work {
			x, y := regression(n, d)
			q := random(fresh, d, 51)
			m := must(ridge.Regression[kernel.Vec]{Kernel: spreadKernel(d), Lambda: 1}.Fit(context.Background(), data.RowsOf(x),
				y))
			var ours []float64
			return Work{
				Inputs: Inputs{"x": array(x), "y": vector(y), "q": array(q)},
				Run:    func() { ours = predictAll[kernel.Vec](m, data.RowsOf(q)) },
				Check:  func(t Inputs) error { return agree("prediction", ours, t["result"].Data, 1e-9) },
			}
		}}
}

func spreadSVR(n, d int) Case {
	return Case{Work: "ε-SVR", Peer: "svr", Args: map[string]any{"gamma": 1 / float64(d)}, Prepare: func() Work {
		x, y := smooth(n, d)
		var m *svm.Regressor[kernel.Vec]
		return Work{
			Inputs: Inputs{"x": array(x), "y": vector(y)},
			Run:    func() { m = fitTube(x, y) },
			Check: func(t Inputs) error {
				return agree("prediction", predictAll[kernel.Vec](m, data.RowsOf(x.Slice(0, 100, 0, d))), t["result"].Data, 5e-3)
			},
		}
	}}
}

// processEvaluations is how often the evidence and its gradient are asked for.
const processEvaluations = 2

// spreadProcess is the evidence and its gradient at given hyper-parameters (factor, length-scale,
// noise), then mean and deviation at new points by the last.
func spreadProcess(n, d int) Case {
	return Case{Work: "GP", Peer: "process", Prepare: func() Work {
		x, y := regression(n, d)
		q := random(200, d, 52)
		thetas := linalg.New[float64](processEvaluations, 3)
		for i := range processEvaluations {
			copy(thetas.Row(i), []float64{1 + float64(i)/2, math.Sqrt(float64(d)) / (1 + float64(i)/4), 0.1 * float64(1+i)})
		}
		var values []float64
		return Work{
			Inputs: Inputs{"x": array(x), "y": vector(y), "q": array(q), "thetas": array(thetas)},
			Run: func() {
				ctx := context.Background()
				values = values[:0]
				var last gp.Regression[kernel.Vec]
				for i := range processEvaluations {
					t := thetas.Row(i)
					k := kernel.Scale[kernel.Vec](t[0], kernel.Gaussian{Lengthscale: t[1]})
					last = gp.Regression[kernel.Vec]{Kernel: k, Noise: t[2], FixedNoise: true,
						HyperOptions: gp.HyperOptions{FixedKernel: true}}
					e := must(last.Evidence(ctx, data.RowsOf(x), y))
					// by the logarithms, as theirs
					values = append(values, e.LogMarginal, e.Kernel[0]*t[0], e.Kernel[1]*t[1], e.Noise*t[2])
				}
				m := must(last.Fit(ctx, data.RowsOf(x), y))
				values = append(values, must(m.Predict(ctx, data.RowsOf(q)))...)
				values = append(values, must(m.ObservationStd(ctx, data.RowsOf(q)))...)
			},
			Check: func(t Inputs) error {
				theirs, evidence := t["result"].Data, 4*processEvaluations
				if err := agree("likelihood and gradient", values[:evidence], theirs[:evidence], 1e-8); err != nil {
					return err
				}
				return agree("mean and deviation", values[evidence:], theirs[evidence:], 1e-7)
			},
		}
	}}
}
