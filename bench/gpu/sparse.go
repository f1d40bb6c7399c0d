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
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/trace"
)

// sparse is processes by 1000 points: the bound with all derivatives (a length-scale for each of 8
// columns, a factor, the noise, the points themselves where they move), and q of two classes. The
// rows are left in a file, where sparse.py finds them; the points are the first rows.
func sparse() {
	const d, m = 8, 1000
	n := scaled(1e6)
	x := normals(n, d, 1)
	y := sines(x)
	leave(x.RawMatrix().Data, y, n)
	codes := make([]int, n)
	for i, v := range y {
		if v > 0 {
			codes[i] = 1
		}
	}
	lengths := make([]float64, d)
	for i := range lengths {
		lengths[i] = 2 + 0.25*float64(i)
	}
	k := kernel.Scale[kernel.Vec](1.5, kernel.ARD{Kernel: kernel.Gaussian{Lengthscale: 1}, Lengthscales: lengths})
	z := data.Span[kernel.Vec](x, 0, m)
	resources := func(dev *gram.Device) learn.Resources {
		return learn.Resources{Device: dev, Bytes: 100 << 30, TrustKernel: true}
	}
	for _, c := range []struct {
		name        string
		fitc, moves bool
	}{{"SGPR", false, false}, {"SGPR, points too", false, true}, {"FITC", true, false}, {"FITC, points too", true, true}} {
		g := gp.SparseRegression[kernel.Vec]{Kernel: k, Noise: 0.1, FITC: c.fitc, Given: z,
			InducingOptions: gp.InducingOptions{MoveInducing: c.moves}}
		once := func(dev *gram.Device, rows int) gp.SparseBound {
			g.Resources = resources(dev)
			b, err := g.Bound(ctx, data.Span[kernel.Vec](x, 0, rows), y[:rows])
			must(err)
			return b
		}
		var b gp.SparseBound
		t := median(5, func() { b = once(device, n) })
		fmt.Printf("%-34s n = %-8d M = %d %10.4f s  (%.12g; by the factor %.10g, by ℓ₁ %.10g, by noise %.10g; jitter %g)\n",
			c.name, n, m, t, b.Value, b.Kernel[0], b.Kernel[1], b.Noise, b.Jitter)
		if again := once(device, n); again.Value != b.Value || again.Kernel[1] != b.Kernel[1] {
			fmt.Println("    OTHER BITS the second time")
		}
		if c.moves { // beside the processors, on a part
			some := min(n, 50000)
			on := once(device, some)
			start := time.Now()
			own := once(nil, some)
			seconds := time.Since(start).Seconds()
			worst := 0.0
			off := func(a, b []float64) {
				size := 0.0
				for _, v := range b {
					size = math.Max(size, math.Abs(v))
				}
				for i, v := range b {
					worst = math.Max(worst, math.Abs(a[i]-v)/size)
				}
			}
			off(on.Kernel, own.Kernel)
			off(on.Inducing, own.Inducing)
			off([]float64{on.Noise}, []float64{own.Noise})
			fmt.Printf("    n = %d: %d processors %.3f s, on the device %.3f; bound off by %.1e, derivatives by %.1e of "+
				"the largest\n",
				some, runtime.NumCPU(), seconds, median(3, func() { once(device, some) }), math.Abs(on.Value/own.Value-1), worst)
		}
	}
	start := time.Now()
	fit, err := gp.SparseRegression[kernel.Vec]{Kernel: k, Noise: 0.1, Given: z,
		HyperOptions: gp.HyperOptions{MaxIterations: 10}, Resources: resources(device)}.Fit(ctx, x, y)
	must(err)
	fmt.Printf("%-34s n = %-8d M = %d %10.4f s  (%d steps, bound %.10g)\n", "SGPR, a fit of 10 steps", n, m,
		time.Since(start).Seconds(), fit.Report().Iterations, fit.LogMarginal())
	for _, c := range []struct {
		name  string
		hyper gp.HyperOptions
	}{{"SVGP, q of two classes", gp.HyperOptions{FixedKernel: true}},
		{"SVGP, 5 steps of the parameters", gp.HyperOptions{MaxIterations: 5}}} {
		start := time.Now()
		res := resources(device)
		res.Trace = func(s trace.Step) {
			if c.hyper.FixedKernel {
				fmt.Printf("    bound %.10g after %.4f s\n", -s.Objective, time.Since(start).Seconds())
			}
		}
		fit, err := gp.SparseClassification[kernel.Vec, int]{Kernel: k, Given: z, HyperOptions: c.hyper,
			Resources: res}.Fit(ctx, x, codes)
		must(err)
		r := fit.Report()
		fmt.Printf("%-34s n = %-8d M = %d %10.4f s  (%d steps, bound %.10g, residual %.1e)\n",
			c.name, n, m, time.Since(start).Seconds(), r.Iterations, fit.LogMarginal(), r.Certificate)
	}
}
