package main

import (
	"context"
	"errors"
	"io"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/nystrom"
	"github.com/mercer-ml/mercer/learn/ridge"
)

// largeGrowth is seconds and memory of fits against rows and against centres. shrink divides the
// most rows; fits of more are left out.
func largeGrowth(w io.Writer, shrink int) error {
	byRows, byCentres := growthTable{name: "rows", size: "rows", shown: w},
		growthTable{name: "centres", size: "centres", shown: w}
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
	row := func(name string, n int, f func()) {
		if n <= x.Rows {
			byRows.measure(name, n, f)
		}
	}
	for _, n := range []int{1000, 2000, 4000, 8000} {
		row("exact ridge", n, all(n, ridge.Cholesky))
	}
	for _, n := range []int{2000, 4000, 8000, 16_000} {
		row("conjugate gradients on all", n, all(n, ridge.CG))
	}
	for _, n := range []int{4000, 16_000, 64_000, 256_000, 1_000_000} {
		row("nystrom M=1000", n, centres(n, 1000, nystrom.Direct))
		row("falkon M=1000", n, centres(n, 1000, nystrom.Falkon))
	}
	const n = 100_000 // of which x has enough unless it is shrunk by more than ten
	for _, m := range []int{250, 500, 1000, 2000, 4000} {
		if n > x.Rows {
			break
		}
		if m <= 2000 {
			byCentres.measure("nystrom n=100000", m, centres(n, m, nystrom.Direct))
		}
		byCentres.measure("falkon n=100000", m, centres(n, m, nystrom.Falkon))
	}
	return errors.Join(byRows.close(), byCentres.close())
}
