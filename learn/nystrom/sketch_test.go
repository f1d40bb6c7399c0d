package nystrom

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/trace"
)

// TestSketch: a preconditioner of all rows is the matrix itself, and the first iteration the
// solution; one of some rows has a smaller condition number and fewer iterations than that of the
// centres; and the solution is that of the factorisation.
func TestSketch(t *testing.T) {
	x, y := wavy(datatest.Size(6000, 3000), 3, 8)
	weights, part := make([]float64, len(y)), len(y)/4
	for i := range weights {
		weights[i] = 0.5 + float64(i%3)
	}
	for _, intercept := range []bool{false, true} {
		if testing.Short() && !intercept {
			continue
		}
		r := Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 0.7}, Lambda: 1e-3, Intercept: intercept,
			Weights: weights, Options: Options{Centers: 150, Solver: Falkon, Tol: 1e-9}}
		fit := func(change func(*Regression[kernel.Vec])) *Regressor[kernel.Vec] {
			own := r
			change(&own)
			m, err := own.Fit(t.Context(), data.RowsOf(x), y)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		direct := fit(func(r *Regression[kernel.Vec]) { r.Solver = Direct })
		paper := fit(func(*Regression[kernel.Vec]) {})
		some := fit(func(r *Regression[kernel.Vec]) { r.Sketch = part })
		all := fit(func(r *Regression[kernel.Vec]) { r.Sketch = len(y) })
		single := fit(func(r *Regression[kernel.Vec]) { r.Sketch, r.Precision = part, gram.Single })
		if n := all.Report().Iterations; n > 2 || all.Condition() > 1.001 {
			t.Errorf("a preconditioner of all rows: %d iterations, condition %g", n, all.Condition())
		}
		if !(some.Condition() < paper.Condition()/2) || some.Report().Iterations*3 > paper.Report().Iterations*2 {
			t.Errorf("intercept %v: condition %.3g and %d iterations, of the centres %.3g and %d", intercept, some.Condition(),
				some.Report().Iterations, paper.Condition(), paper.Report().Iterations)
		}
		at := data.RowsOf(x.Slice(0, 500, 0, 3))
		want, _ := direct.Predict(t.Context(), at)
		for name, m := range map[string]*Regressor[kernel.Vec]{"some": some, "all": all, "single": single} {
			got, _ := m.Predict(t.Context(), at)
			for i := range got {
				if math.Abs(got[i]-want[i]) > 1e-6 {
					t.Fatalf("%s: prediction %d is %g, want %g", name, i, got[i], want[i])
				}
			}
		}
	}
}

// TestSketchOfValues: sums of kernel values, with L⁻¹ applied in the end, are those of features, in
// single precision to about seven digits less what small pivots cost; where these would cost too
// much, neither is taken.
func TestSketchOfValues(t *testing.T) {
	x, y := wavy(700, 3, 8)
	weights := make([]float64, len(y))
	for i := range weights {
		weights[i] = 0.5 + float64(i%3)
	}
	at := func(length float64) *problem {
		p, err := newProblem(t.Context(), Options{Centers: 60, Precision: gram.Single},
			kernel.OnVectors(kernel.Gaussian{Lengthscale: length}),
			data.NewInMemory(data.EraseVectors(data.RowsOf(x)), y, 1, weights), nil, 1, true, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := at(0.4)
	for _, unit := range []float64{0x1p-53, 0x1p-24} {
		if noise, ok := p.bears(unit, 700); !ok || !(noise > 0) {
			t.Errorf("a narrow kernel does not bear sums of its values rounded to %g", unit)
		}
	}
	want, err := p.sketchOfFeatures(t.Context(), p.rows, 2)
	if err != nil {
		t.Fatal(err)
	}
	double, err := sketchOfValues[float64](t.Context(), p, p.rows, gram.Double, 2)
	if err != nil {
		t.Fatal(err)
	}
	single, err := sketchOfValues[float32](t.Context(), p, p.rows, gram.Single, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want.Rows {
		for j := range i + 1 {
			size := math.Sqrt(want.At(i, i) * want.At(j, j))
			if d := math.Abs(double.At(i, j) - want.At(i, j)); d > 1e-11*size {
				t.Fatalf("(%d, %d): %g, want %g", i, j, double.At(i, j), want.At(i, j))
			}
			if d := math.Abs(single.At(i, j) - want.At(i, j)); d > 1e-4*size {
				t.Fatalf("(%d, %d) in single precision: %g, want %g", i, j, single.At(i, j), want.At(i, j))
			}
		}
	}
	if _, ok := at(20).bears(0x1p-24, 700); ok {
		t.Error("a kernel as good as constant bears sums of its values in single precision")
	}
}

// TestStateGoesOn: a fit that goes on from the state of one that was stopped needs fewer iterations
// than one from the start, to the same residual.
func TestStateGoesOn(t *testing.T) {
	x, y := wavy(3000, 3, 8)
	for precision, tol := range map[gram.Precision]float64{gram.Double: 1e-8, gram.Single: 1e-4} {
		r := Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 0.7}, Lambda: 1, Intercept: true,
			Options: Options{Centers: 120, Solver: Falkon, Precision: precision, Tol: tol}}
		whole, err := r.Fit(t.Context(), data.RowsOf(x), y)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		var kept []float64
		stopped := r
		stopped.Keep = func(iteration int, state []float64) { kept = append(kept[:0], state...) }
		stopped.Trace = func(s trace.Step) {
			if s.Iteration == 6 {
				stop()
			}
		}
		if _, err := stopped.Fit(ctx, data.RowsOf(x), y); err == nil {
			t.Fatal("not stopped")
		}
		on := r
		on.Start = kept
		m, err := on.Fit(t.Context(), data.RowsOf(x), y)
		if err != nil {
			t.Fatal(err)
		}
		if m.Report().Iterations >= whole.Report().Iterations || !(m.Report().Certificate <= tol) {
			t.Errorf("precision %v: %d iterations from the state after 6, %d in all", precision, m.Report().Iterations,
				whole.Report().Iterations)
		}
		on.Start = kept[1:]
		if _, err := on.Fit(t.Context(), data.RowsOf(x), y); err == nil {
			t.Error("a state of another length: no error")
		}
	}
	if _, err := (Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, Options: Options{Sketch: -1}}).Fit(t.Context(),
		data.RowsOf(x), y); err == nil {
		t.Error("Sketch -1: no error")
	}
}
