package main

import (
	"log"
	"os"
	"path/filepath"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/plot"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/tune"
)

// heatMap draws the hidden tuning parameters of kernel ridge regression: the
// cross-validated error of a noisy sinc over the width of the kernel and λ.
func heatMap() {
	d := must(data.Builtin("sinc", 1))
	x := must(must(data.FitEncoder(d, data.EncoderOptions{})).TransformLabelled(d))
	r := must(tune.Search[kernel.Vec]{
		Problem: tune.Problem[kernel.Vec]{Points: x.Dense, Task: data.Regression, Y: x.Target},
		Candidates: []tune.Candidate[kernel.Vec]{{Learner: tune.Ridge, Kernel: kernel.Gaussian{},
			Axes: []tune.Axis{{Name: "gaussian.lengthscale", Values: tune.LogSpace(0.05, 10, 25)}, {Name: "lambda", Values: tune.LogSpace(1e-3, 100, 25)}}}},
		Protocol: tune.Protocol{Folds: 10, Seed: 1}, NoModel: true,
	}.Run(ctx))
	h := r.HeatMap(0, "gaussian.lengthscale", "lambda")
	f := must(plot.HeatMap(plot.Heat{XName: h.XName, YName: h.YName, Metric: h.Metric, X: h.X, Y: h.Y, Mean: h.Mean, Maximize: h.Maximize, Chosen: h.Chosen}))
	file := must(os.Create(filepath.Join(out, "heatmap.png")))
	defer file.Close()
	if err := f.WritePNG(file); err != nil {
		log.Fatal(err)
	}
}
