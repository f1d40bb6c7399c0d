package main

import (
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/tune"
)

// searches is model selection by five folds: 1000 ridge models (10 length-scales with 100 penalties
// each) of 10 000 rows, and a grid of 20 support vector machines of 20 000. Processors alone are
// given a part of the length-scales, which is said.
func searches() {
	grid := func(name string, p learn.Problem[any], c tune.Candidate, dev *gram.Device) {
		start := time.Now()
		r, err := tune.Search{Problem: p, Candidates: []tune.Candidate{c}, Device: dev, Bytes: 40 << 30,
			NoModel: true}.Run(ctx)
		must(err)
		who := "with the GPU"
		if dev == nil {
			who = fmt.Sprintf("%d processors", runtime.NumCPU())
		}
		fmt.Printf("%-34s n = %-8d %4d cells %10.3f s  (%s; best mean %.6g)\n", name, p.Len(), len(r.Cells),
			time.Since(start).Seconds(), who, r.Best.Mean)
	}
	x := normals(scaled(1e4), 20, 7)
	ridges := learn.Problem[any]{Points: data.Erase[kernel.Vec](x), Task: data.Regression, Y: sines(x)}
	ridge := func(lengths int) tune.Candidate {
		return tune.Candidate{Learner: "ridge", Kernel: kernel.Erase[kernel.Vec](kernel.Gaussian{}), Axes: []tune.Axis{
			{Name: "gaussian.lengthscale", Values: learn.LogSpace(2, 20, 10)[:lengths]},
			{Name: "lambda", Values: learn.LogSpace(1e-4, 100, 100)}}}
	}
	grid("ridge models", ridges, ridge(1), device)
	grid("ridge models", ridges, ridge(10), device)
	x = normals(scaled(2e4), 20, 7)
	machines := learn.Problem[any]{Points: data.Erase[kernel.Vec](x), Task: data.Binary}
	for _, code := range curved(x, 2) {
		machines.Y = append(machines.Y, float64(code))
	}
	svm := func(lengths int) tune.Candidate {
		return tune.Candidate{Learner: "svm", Kernel: kernel.Erase[kernel.Vec](kernel.Gaussian{}), Axes: []tune.Axis{
			{Name: "gaussian.lengthscale", Values: learn.LogSpace(math.Sqrt(5), math.Sqrt(80), 5)[:lengths]},
			{Name: "C", Values: learn.LogSpace(0.1, 100, 4)}}}
	}
	grid("support vector machines", machines, svm(1), device)
	grid("support vector machines", machines, svm(5), device)
	grid("ridge models", ridges, ridge(1), nil)
	grid("support vector machines", machines, svm(1), nil)
}
