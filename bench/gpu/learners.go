package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/project"
	"github.com/mercer-ml/mercer/stat"
)

// bothWays times f with the device and, where that is not for ever, with processors alone.
func bothWays(name string, own bool, f func(d *gram.Device) string) {
	f(device) // takes memory
	start := time.Now()
	said := f(device)
	fmt.Printf("%-58s %8.4f s", name, time.Since(start).Seconds())
	if own {
		start = time.Now()
		f(nil)
		fmt.Printf("; %d processors %8.4f s", runtime.NumCPU(), time.Since(start).Seconds())
	}
	fmt.Printf("  (%s)\n", said)
}

// sines are targets for points.
func sines(x data.DenseRows) []float64 {
	y := make([]float64, x.Len())
	rng := rand.New(rand.NewPCG(3, 3))
	for i := range y {
		r := x.At(i)
		y[i] = math.Sin(r[0]) + 0.1*rng.NormFloat64()
	}
	return y
}

// solvers is ridge regression without centres, the preconditioner of which is the processors'.
func solvers() {
	const d = 28
	x := normals(scaled(1e5), d, 1)
	y := sines(x)
	bothWays(fmt.Sprintf("ridge by conjugate gradients, n = %d, d = %d", x.Len(), d), false, func(dev *gram.Device) string {
		m, err := ridge.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: math.Sqrt(d)}, Lambda: 1, Method: ridge.CG, Tol: 1e-4, Rank: 500,
			Resources: learn.Resources{Device: dev, Bytes: 60 << 30, TrustKernel: true}}.Fit(ctx, x, y)
		must(err)
		return fmt.Sprintf("%d iterations, residual %.1e", m.Report().Iterations, m.Report().Certificate)
	})
}

// tests are by 1000 permutations.
func tests() {
	const d = 10
	x, y := normals(scaled(1e4), d, 1), normals(scaled(1e4), d, 2)
	k := kernel.Gaussian{Lengthscale: math.Sqrt(d)}
	bothWays(fmt.Sprintf("MMD, 2 × %d points, 1000 permutations", x.Len()), true, func(dev *gram.Device) string {
		r, err := stat.MMD[kernel.Vec]{Kernel: k, TestSettings: stat.TestSettings{Device: dev}}.Test(ctx, x, y)
		must(err)
		return fmt.Sprintf("MMD² %.6g, p = %g", r.Statistic, r.P)
	})
	bothWays(fmt.Sprintf("HSIC, %d points, 1000 permutations", x.Len()), true, func(dev *gram.Device) string {
		r, err := stat.HSIC[kernel.Vec, kernel.Vec]{KernelX: k, KernelY: k, TestSettings: stat.TestSettings{Device: dev}}.Test(ctx, x, y)
		must(err)
		return fmt.Sprintf("HSIC %.6g, p = %g", r.Statistic, r.P)
	})
}

// process is one evaluation of the evidence with its derivatives.
func process() {
	const d = 8
	x := normals(scaled(2e4), d, 1)
	y := sines(x)
	lengths := make([]float64, d)
	for i := range lengths {
		lengths[i] = 3
	}
	bothWays(fmt.Sprintf("evidence of a Gaussian process, n = %d, %d derivatives", x.Len(), d+1), true, func(dev *gram.Device) string {
		e, err := gp.Regression[kernel.Vec]{Kernel: kernel.ARD{Kernel: kernel.Gaussian{Lengthscale: 1}, Lengthscales: lengths}, Noise: 0.1, Resources: learn.Resources{Device: dev, Bytes: 100 << 30}}.Evidence(ctx, x, y)
		must(err)
		return fmt.Sprintf("%.8g, by noise %.6g", e.LogMarginal, e.Noise)
	})
}

// components are kernel principal components.
func components() {
	const d = 10
	for _, c := range []struct {
		n      float64
		solver project.Solver
	}{{1e4, project.SolveFull}, {4e4, project.SolveTop}} {
		x := normals(scaled(c.n), d, 1)
		bothWays(fmt.Sprintf("kernel PCA, %v, n = %d, 10 components", c.solver, x.Len()), true, func(dev *gram.Device) string {
			m, err := project.PCA[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: math.Sqrt(d)}, Components: 10, Solver: c.solver, Device: dev, Bytes: 60 << 30}.Fit(ctx, x)
			must(err)
			return fmt.Sprintf("variance %.8g … %.8g", m.Variance()[0], m.Variance()[9])
		})
	}
}
