package sparse

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// TestVectorMachinePaths: a path has at every λ the optimum of a fit of its own, in the order asked
// for, with fewer iterations where they are iterative; one bad λ is refused with its place.
func TestVectorMachinePaths(t *testing.T) {
	ctx := context.Background()
	x, code := learntest.Blobs(90, 3, 3, 1.5, 71)
	y := make([]float64, 90)
	for i := range y {
		y[i] = math.Sin(x.At(i, 0)) + 0.3*x.At(i, 1)*x.At(i, 2)
	}
	p, k := data.Rows(x), kernel.Gaussian{Lengthscale: 2}
	lambdas := []float64{0.1, 10, 0.01, 1, 1}
	at := func(l float64) Options { return Options{Lambda: l, Tol: 1e-7} }
	check := func(name string, iterative bool, path func([]float64) ([]learn.Model[kernel.Vec], error),
		one func(float64) (learn.Model[kernel.Vec], error)) {
		t.Helper()
		got, err := path(lambdas)
		if err != nil {
			t.Fatal(name, err)
		}
		warm, cold := 0, 0
		for i, l := range lambdas {
			want, err := one(l)
			if err != nil {
				t.Fatal(name, err)
			}
			a, b := got[i].Report(), want.Report()
			// Both are within the gap, which is relative to the objective at 0, of the optimum.
			if !a.Converged || !b.Converged || math.Abs(a.Objective-b.Objective) > 1e-4*(1+math.Abs(b.Objective)) {
				t.Errorf("%s at %g: objective %g on the path, %g alone", name, l, a.Objective, b.Objective)
			}
			warm, cold = warm+a.Iterations, cold+b.Iterations
		}
		if iterative && warm >= cold {
			t.Errorf("%s: %d iterations on the path, %d without it", name, warm, cold)
		}
		for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
			if _, err := path([]float64{1, bad}); err == nil || !strings.Contains(err.Error(), "λ 1 of the path") {
				t.Errorf("%s: λ = %g: %v", name, bad, err)
			}
		}
		if _, err := path([]float64{}); err == nil {
			t.Errorf("%s: a path of no λ was accepted", name)
		}
		ended, cancel := context.WithCancel(ctx)
		cancel()
		ctx = ended
		if _, err := path(lambdas); err == nil {
			t.Errorf("%s: a context that has ended gave a path", name)
		}
		ctx = context.Background()
	}
	check("l1vm", true, func(l []float64) ([]learn.Model[kernel.Vec], error) {
		return path(L1VM[kernel.Vec]{Kernel: k, Options: at(1)}.Path(ctx, p, y, l))
	}, func(l float64) (learn.Model[kernel.Vec], error) {
		return model(L1VM[kernel.Vec]{Kernel: k, Options: at(l)}.Fit(ctx, p, y))
	})
	check("l2vm", false, func(l []float64) ([]learn.Model[kernel.Vec], error) {
		return path(L2VM[kernel.Vec]{Kernel: k, Options: at(1)}.Path(ctx, p, y, l))
	}, func(l float64) (learn.Model[kernel.Vec], error) {
		return model(L2VM[kernel.Vec]{Kernel: k, Options: at(l)}.Fit(ctx, p, y))
	})
	check("l1vm classifier", true, func(l []float64) ([]learn.Model[kernel.Vec], error) {
		return path(L1VMClassification[kernel.Vec, int]{Kernel: k, Options: at(1)}.Path(ctx, p, code, l))
	}, func(l float64) (learn.Model[kernel.Vec], error) {
		return model(L1VMClassification[kernel.Vec, int]{Kernel: k, Options: at(l)}.Fit(ctx, p, code))
	})
	check("l2vm classifier", true, func(l []float64) ([]learn.Model[kernel.Vec], error) {
		return path(L2VMClassification[kernel.Vec, int]{Kernel: k, Options: at(1)}.Path(ctx, p, code, l))
	}, func(l float64) (learn.Model[kernel.Vec], error) {
		return model(L2VMClassification[kernel.Vec, int]{Kernel: k, Options: at(l)}.Fit(ctx, p, code))
	})
}

// path is the machines of a path as models.
func path[M learn.Model[kernel.Vec]](machines []M, err error) ([]learn.Model[kernel.Vec], error) {
	out := make([]learn.Model[kernel.Vec], len(machines))
	for i, m := range machines {
		out[i] = m
	}
	return out, err
}

// model turns a nil pointer with an error into a nil Model.
func model[M learn.Model[kernel.Vec]](m M, err error) (learn.Model[kernel.Vec], error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}
