package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/svm"
)

// curved is labels for points of 20 columns: a boundary in six of them, with noise, or several
// levels of the same function.
func curved(x data.DenseRows, classes int) []int {
	y := make([]int, x.Len())
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range y {
		r := x.At(i)
		v := math.Sin(r[0]) + r[1]*r[2] + 0.5*r[3]*r[3] - 0.5 + 0.5*r[4]*r[5] + 0.3*rng.NormFloat64()
		for c := 1; c < classes; c++ {
			if v > 1.5*(float64(c)-float64(classes)/2) {
				y[i] = c
			}
		}
	}
	return y
}

func machineOptions(d *gram.Device) svm.Options {
	return svm.Options{Resources: learn.Resources{Device: d, Bytes: 80 << 30, TrustKernel: true}}
}

// besideProcessors times a fit on the device, twice, and by processors where that is not for ever.
func besideProcessors(name string, own bool, fit func(d *gram.Device) string) {
	for _, when := range []string{"first", "again"} {
		start := time.Now()
		said := fit(device)
		fmt.Printf("%-44s %s %8.4f s (%s)\n", name, when, time.Since(start).Seconds(), said)
		if notes := device.Notes(); len(notes) > 0 {
			fmt.Println("FAILED", notes)
			os.Exit(1)
		}
	}
	if own {
		start := time.Now()
		said := fit(nil)
		fmt.Printf("%-44s %d processors %8.4f s (%s)\n", name, runtime.NumCPU(), time.Since(start).Seconds(), said)
	}
}

// machines is support vector machines of two classes, beside the processors.
func machines() {
	for _, c := range []struct{ n, price float64 }{{1e5, 1}, {1e5, 10}, {4e5, 1}, {4e5, 10}, {2e6, 1}} {
		x := normals(scaled(c.n), 20, 7)
		y := curved(x, 2)
		besideProcessors(fmt.Sprintf("C-SVC n = %d, d = 20, C = %g", x.Len(), c.price), c.n < 1e6 &&
			(c.n < 2e5 || c.price == 1), func(d *gram.Device) string {
			m, err := svm.Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: math.Sqrt(20)}, C: c.price,
				Options: machineOptions(d)}.Fit(ctx, x, y)
			must(err)
			return said(m.Report(), len(m.Support()))
		})
	}
}

func said(r learn.Report, vectors int) string {
	return fmt.Sprintf("%d support vectors, %d pair updates, violation %.2e, objective %.9g", vectors, r.Iterations,
		r.Certificate, r.Objective)
}

// formulations is the other machines.
func formulations() {
	x := normals(scaled(5e4), 20, 7)
	k := kernel.Gaussian{Lengthscale: math.Sqrt(20)}
	besideProcessors(fmt.Sprintf("C-SVC of 5 classes, n = %d", x.Len()), true, func(d *gram.Device) string {
		m, err := svm.Classification[kernel.Vec, int]{Kernel: k, Options: machineOptions(d)}.Fit(ctx, x, curved(x, 5))
		must(err)
		return said(m.Report(), len(m.Support()))
	})
	besideProcessors(fmt.Sprintf("C-SVC with probabilities, n = %d", x.Len()), true, func(d *gram.Device) string {
		m, err := svm.Classification[kernel.Vec, int]{Kernel: k, Probability: true, Options: machineOptions(d)}.Fit(ctx, x,
			curved(x, 2))
		must(err)
		return said(m.Report(), len(m.Support())) + fmt.Sprint(", sigmoid ", m.Sigmoids())
	})
	besideProcessors(fmt.Sprintf("nu-SVC, n = %d", x.Len()), true, func(d *gram.Device) string {
		m, err := svm.Classification[kernel.Vec, int]{Kernel: k, Nu: 0.3, Options: machineOptions(d)}.Fit(ctx, x,
			curved(x, 2))
		must(err)
		return said(m.Report(), len(m.Support()))
	})
	besideProcessors(fmt.Sprintf("epsilon-SVR, n = %d", x.Len()), true, func(d *gram.Device) string {
		m, err := svm.Regression[kernel.Vec]{Kernel: k, Options: machineOptions(d)}.Fit(ctx, x, sines(x))
		must(err)
		return said(m.Report(), len(m.Support()))
	})
	besideProcessors(fmt.Sprintf("one-class, n = %d", x.Len()), true, func(d *gram.Device) string {
		m, err := svm.OneClass[kernel.Vec]{Kernel: k, Nu: 0.1, Options: machineOptions(d)}.Fit(ctx, x)
		must(err)
		return said(m.Report(), len(m.Support()))
	})
}
