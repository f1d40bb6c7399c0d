package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/nystrom"
	"github.com/mercer-ml/mercer/learn/ridge"
)

// largeGrowth prints seconds and memory of fits against rows and against centres. The same is left in out/large-growth.csv, which docs/img/large-growth.csv is a copy
// of and cmd/mercer/internal/figures draws. shrink divides the most rows; fits of more are left out.
func largeGrowth(w io.Writer, shrink int) error {
	file, err := os.Create(filepath.Join("out", "large-growth.csv"))
	if err != nil {
		return err
	}
	w = io.MultiWriter(w, file)
	const d = 10
	x, y := regression(1_000_000/shrink, d)
	k := kernel.Gaussian{Lengthscale: math.Sqrt(d)}
	centres := func(n, m int, s nystrom.Solver) func() {
		return func() {
			o := nystrom.Options{Centers: m, Solver: s, Precision: gram.Single, Tol: 1e-5, Sketch: 8 * m}
			r := nystrom.Regression[kernel.Vec]{Kernel: k, Lambda: 1e-6, PerPoint: true, Intercept: true, Options: o}
			if _, err := r.Fit(context.Background(), data.RowsOf(x.Slice(0, n, 0, d)), y[:n]); err != nil {
				panic(err)
			}
		}
	}
	all := func(n int, method ridge.Method) func() {
		return func() {
			r := ridge.Regression[kernel.Vec]{Kernel: k, Lambda: 1e-6, PerPoint: true, Method: method, Tol: 1e-6}
			if _, err := r.Fit(context.Background(), data.RowsOf(x.Slice(0, n, 0, d)), y[:n]); err != nil {
				panic(err)
			}
		}
	}
	fmt.Fprintln(w, "method,rows,centres,seconds,cpu_seconds,megabytes")
	row := func(name string, n, m int, f func()) {
		if n > x.Rows {
			return
		}
		seconds, cpu, bytes := cost(f)
		fmt.Fprintf(w, "%s,%d,%d,%.3f,%.3f,%.1f\n", name, n, m, seconds, cpu, bytes/1e6)
	}
	for _, n := range []int{1000, 2000, 4000, 8000} {
		row("exact ridge", n, n, all(n, ridge.Cholesky))
	}
	for _, n := range []int{2000, 4000, 8000, 16_000} {
		row("conjugate gradients on all", n, n, all(n, ridge.CG))
	}
	for _, n := range []int{4000, 16_000, 64_000, 256_000, 1_000_000} {
		row("nystrom M=1000", n, 1000, centres(n, 1000, nystrom.Direct))
		row("falkon M=1000", n, 1000, centres(n, 1000, nystrom.Falkon))
	}
	for _, m := range []int{250, 500, 1000, 2000, 4000} {
		if m <= 2000 {
			row("nystrom n=100000", 100_000, m, centres(100_000, m, nystrom.Direct))
		}
		row("falkon n=100000", 100_000, m, centres(100_000, m, nystrom.Falkon))
	}
	return file.Close()
}

// cost is the seconds of a call, those of the processor, and the most memory in use at a time beyond what was there before.
func cost(f func()) (seconds, cpu, bytes float64) {
	use := func() float64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return float64(s[0].Value.Uint64())
	}
	runtime.GC()
	before := use()
	var peak atomic.Uint64
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(2 * time.Millisecond):
				peak.Store(max(peak.Load(), uint64(max(use()-before, 0))))
			}
		}
	}()
	begun, used := time.Now(), processorSeconds()
	f()
	seconds, cpu = time.Since(begun).Seconds(), processorSeconds()-used
	close(done)
	return seconds, cpu, float64(peak.Load())
}
