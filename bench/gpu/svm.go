package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/svm"
)

// curved is labels for points of 20 columns: a boundary in six of them, with noise.
func curved(x data.DenseRows) []int {
	y := make([]int, x.Len())
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range y {
		r := x.At(i)
		if math.Sin(r[0])+r[1]*r[2]+0.5*r[3]*r[3]-0.5+0.5*r[4]*r[5]+0.3*rng.NormFloat64() > 0 {
			y[i] = 1
		}
	}
	return y
}

// machines is support vector machines of two classes, beside the processors.
func machines() {
	for _, n := range sizes() {
		x := normals(scaled(n), 20, 7)
		y := curved(x)
		fit := func(d *gram.Device) string {
			m, err := svm.Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: math.Sqrt(20)}, C: price(),
				Options: svm.Options{Resources: learn.Resources{Device: d, Bytes: 80 << 30, TrustKernel: true}}}.Fit(ctx, x, y)
			must(err)
			if len(device.Notes()) > 0 {
				fmt.Println("FAILED", device.Notes())
				os.Exit(1)
			}
			r := m.Report()
			return fmt.Sprintf("%d support vectors, %d pair updates, violation %.2e, objective %.8g %v", len(m.Support()), r.Iterations, r.Certificate, r.Objective, r.Warnings)
		}
		start := time.Now()
		said := fit(device)
		fmt.Printf("SVC n = %d, d = 20, first %8.4f s (%s)\n", x.Len(), time.Since(start).Seconds(), said)
		start = time.Now()
		said = fit(device)
		fmt.Printf("SVC n = %d, d = 20, again %8.4f s (%s)\n", x.Len(), time.Since(start).Seconds(), said)
		if n < 1e6 && os.Getenv("OWN") != "no" {
			start = time.Now()
			said = fit(nil)
			fmt.Printf("SVC n = %d, d = 20, %d processors %8.4f s (%s)\n", x.Len(), runtime.NumCPU(), time.Since(start).Seconds(), said)
		}
	}
}

func sizes() (out []float64) {
	if s := os.Getenv("NS"); s != "" {
		for _, f := range strings.Split(s, ",") {
			v, _ := strconv.ParseFloat(f, 64)
			out = append(out, v)
		}
		return out
	}
	return []float64{1e5, 4e5, 2e6}
}

func price() float64 {
	if v, err := strconv.ParseFloat(os.Getenv("PRICE"), 64); err == nil {
		return v
	}
	return 1
}
