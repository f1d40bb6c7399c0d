package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/nystrom"
	"github.com/mercer-ml/mercer/learn/svm"
)

// a9aOptimum is the objective that LIBSVM's svm-train 3.24 -g 0.05 -c 1 prints for a9a, with the
// sign of the primal problem.
const a9aOptimum = 10725.850863

// snacksGrowth prints how the objective of a support vector machine on few centres falls towards
// that of all functions as centres are added, and what is left of it in the errors on a9a's own
// test file. The gap is what the solver certifies: the rest of the distance is what the centres
// cannot say. SHRINK leaves the larger numbers out.
func snacksGrowth(w io.Writer, shrink int) error {
	train, err := shared("a9a.gz")
	if err != nil {
		return err
	}
	test, err := shared("a9a.t.gz")
	if err != nil {
		return err
	}
	k, err := kernel.OnSparse(kernel.Gaussian{Lengthscale: math.Sqrt(10)}, train.sparse.Dim())
	if err != nil {
		return err
	}
	ctx := context.Background()
	wrong := func(predict func(context.Context, data.Points[data.SparseVec]) ([]float64, error)) (float64, error) {
		said, err := predict(ctx, *test.sparse)
		bad := 0
		for i, v := range said {
			if v != test.y[i] {
				bad++
			}
		}
		return 100 * float64(bad) / float64(len(said)), err
	}
	row := func(who string, objective, gap float64, passes int, cpu, error float64) {
		fmt.Fprintf(w, "%-24s %10.1f %8.2f %% %9.2f %% %7d %8.2f %% %8.1f\n", who, objective, 100*(objective/a9aOptimum-1),
			100*gap, passes, error, cpu)
	}
	fmt.Fprintf(w, "%-24s %10s %10s %11s %7s %10s %8s\n", "a9a, C=1, γ=0.05", "objective", "above", "gap", "passes",
		"errors", "CPU s")
	for _, m := range []int{50, 100, 200, 400, 800, 1600, 3200} {
		if m > 3200/shrink {
			break
		}
		used := processorSeconds()
		f, err := nystrom.Snacks[data.SparseVec, float64]{Kernel: k, C: 1, Intercept: true,
			Options: nystrom.Options{Centers: m, Tol: 0.005}}.Fit(ctx, *train.sparse, train.y)
		if err != nil {
			return err
		}
		used = processorSeconds() - used
		r := f.Report()
		bad, err := wrong(f.Predict)
		if err != nil {
			return err
		}
		row(fmt.Sprintf("Snacks, %d centres", m), r.Objective, r.Certificate, r.Iterations, used, bad)
	}
	used := processorSeconds()
	f, err := svm.Classification[data.SparseVec, float64]{Kernel: k, C: 1}.Fit(ctx, *train.sparse, train.y)
	if err != nil {
		return err
	}
	used = processorSeconds() - used
	bad, err := wrong(f.Predict)
	if err != nil {
		return err
	}
	// LIBSVM's sign
	row(fmt.Sprintf("all functions, %d SV", f.Func().Centers.Len()), math.Abs(f.Report().Objective), 0, 0, used, bad)
	return nil
}
