package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/project"
	"github.com/mercer-ml/mercer/stat"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
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

// solvers is ridge regression without centres.
func solvers() {
	const d = 28
	x := normals(scaled(1e5), d, 1)
	y := sines(x)
	bothWays(fmt.Sprintf("ridge by conjugate gradients, n = %d, d = %d", x.Len(), d), false,
		func(dev *gram.Device) string {
			m, err := ridge.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: math.Sqrt(d)}, Lambda: 1,
				Method: ridge.CG, Tol: 1e-4, Rank: 500,
				Resources: learn.Resources{Device: dev, Bytes: 60 << 30, TrustKernel: true}}.Fit(ctx, x, y)
			must(err)
			return fmt.Sprintf("%d iterations, residual %.1e", m.Report().Iterations, m.Report().Certificate)
		})
}

// blocks is ASkotch, an epoch a line.
func blocks() {
	const d = 28
	for _, n := range []float64{5e4, 2e5} {
		x := normals(scaled(n), d, 1)
		y := sines(x)
		limit, end := context.WithTimeout(ctx, 60*time.Second)
		epochs, left := 0, 1.0
		start := time.Now()
		m, err := ridge.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: math.Sqrt(d)}, Lambda: 1,
			Method: ridge.ASkotch, Tol: 1e-6,
			Resources: learn.Resources{Device: device, Bytes: 60 << 30, TrustKernel: true, Trace: func(s trace.Step) {
				if epochs, left = s.Iteration, s.Residual; epochs%5 == 1 {
					fmt.Printf("    ASkotch, epoch %d: %.2f s, residual %.1e\n", epochs, time.Since(start).Seconds(), left)
				}
			}}}.Fit(limit, x, y)
		end()
		if err == nil {
			left = m.Report().Certificate
		}
		fmt.Printf("%-34s n = %-10d d = %-3d            %8.4f s  (%d epochs, residual %.1e, %v)\n", "ridge by ASkotch",
			x.Len(), d, time.Since(start).Seconds(), epochs, left, err)
	}
}

// auto is ten products with processors, with a device for all of them and with one that is opened
// when it is worth it; each device is opened anew, which counts.
func auto() {
	const d = 16
	for _, c := range []struct{ n, m, times int }{{2000, 200, 10}, {20000, 500, 10}, {100000, 1000, 10},
		{100000, 4000, 10}, {100000, 4000, 100}, {1000000, 4000, 10}, {1000000, 10000, 20}} {
		x, y := normals(c.n, d, 1), normals(c.m, d, 2)
		v, w := mat.NewDense(c.m, 1, nil), mat.NewDense(c.m, 1, nil)
		v.Set(0, 0, 1)
		fmt.Printf("%d products n = %-8d M = %-6d", c.times, c.n, c.m)
		var own float64
		for _, name := range []string{"processor", "gpu", "auto", "processor again"} {
			start := time.Now()
			var dev *gram.Device
			var err error
			if name == "gpu" || name == "auto" {
				dev, err = gram.OpenDevice(gram.DeviceOptions{Always: name == "gpu", Later: name == "auto"})
				must(err)
			}
			p, err := gram.NewPair[kernel.Vec](kernel.Gaussian{Lengthscale: 4}, source(x), y,
				gram.PairOptions{Precision: gram.Single, Device: dev})
			must(err)
			for range c.times {
				must(p.MulTo(ctx, w, v, copies))
			}
			t := time.Since(start).Seconds()
			if name == "processor" {
				own = t
			}
			fmt.Printf("  %s %.4f s (%.2f)", name, t, t/own)
			if dev != nil {
				must(p.(interface{ Close() error }).Close())
				must(dev.Close())
			}
		}
		fmt.Println()
	}
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
		r, err := stat.HSIC[kernel.Vec, kernel.Vec]{KernelX: k, KernelY: k,
			TestSettings: stat.TestSettings{Device: dev}}.Test(ctx, x, y)
		must(err)
		return fmt.Sprintf("HSIC %.6g, p = %g", r.Statistic, r.P)
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
		bothWays(fmt.Sprintf("kernel PCA, %v, n = %d, 10 components", c.solver, x.Len()), true,
			func(dev *gram.Device) string {
				m, err := project.PCA[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: math.Sqrt(d)}, Components: 10,
					Solver: c.solver, Device: dev, Bytes: 60 << 30}.Fit(ctx, x)
				must(err)
				return fmt.Sprintf("variance %.8g … %.8g", m.Variance()[0], m.Variance()[9])
			})
	}
}
