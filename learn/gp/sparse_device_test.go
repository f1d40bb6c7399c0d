package gp

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// fewPoints are places for inducing points.
func fewPoints(m int) data.DenseRows {
	z := mat.NewDense(m, 2, nil)
	for i := range m {
		z.SetRow(i, []float64{math.Sin(3 * float64(i)), math.Cos(2*float64(i)) + 0.1*float64(i)})
	}
	return data.Rows(z)
}

// nearBounds compares values and all derivatives.
func nearBounds(t *testing.T, name string, got, want SparseBound) {
	t.Helper()
	list := func(b SparseBound) []float64 {
		return append(append([]float64{b.Value, b.Noise}, b.Kernel...), b.Inducing...)
	}
	for i, v := range list(want) {
		if u := list(got)[i]; !(math.Abs(u-v) <= 1e-7*math.Max(1, math.Abs(v))) {
			t.Errorf("%s: number %d is %.12g, want %.12g", name, i, u, v)
		}
	}
}

// The bounds and all of their derivatives, by Z too, are on a device what the processor has: with
// weights, with a fitted mean, for FITC; and so are those of classes.
func TestSparseBoundOnDevice(t *testing.T) {
	const n = 50
	weights := learntest.WeightsWith(n, 0, 2)
	p := learntest.Problem(n, data.Regression, 5)
	for name, k := range deviceKernels() {
		for kind := range 8 {
			g := SparseRegression[kernel.Vec]{Kernel: k, Noise: 0.3, Mean: 2, FitMean: kind&1 > 0, FITC: kind&2 > 0,
				Given: fewPoints(7), InducingOptions: InducingOptions{MoveInducing: true}}
			if kind&4 > 0 {
				g.Weights = weights
			}
			want := modeltest.Must(g.Bound(t.Context(), p.Points, p.Y))(t)
			g.Device = gram.EmulatedDevice(1, 1<<30, 0)
			nearBounds(t, name, modeltest.Must(g.Bound(t.Context(), p.Points, p.Y))(t), want)
			quiet(t, name, g.Device, k, p.Points)
		}
	}
	n2 := datatest.Size(40, 15)
	for _, task := range []data.Task{data.Binary, data.Multiclass} {
		p := learntest.Problem(n2, task, 5)
		for name, k := range deviceKernels() {
			g := SparseClassification[kernel.Vec, int]{Kernel: k, Weights: learntest.WeightsWith(n2, 0, 2), Given: fewPoints(5),
				InducingOptions: InducingOptions{MoveInducing: true}}
			want := modeltest.Must(g.Bound(t.Context(), p.Points, p.Codes()))(t)
			g.Device = gram.EmulatedDevice(1, 1<<30, 0)
			nearBounds(t, name+", classes", modeltest.Must(g.Bound(t.Context(), p.Points, p.Codes()))(t), want)
			quiet(t, name, g.Device, k, p.Points)
		}
	}
}

// deviceKernels is kernels all of whose derivatives a device knows.
func deviceKernels() map[string]kernel.Kernel[kernel.Vec] {
	type k = kernel.Vec
	out := sparseKernels()
	out["sum"] = kernel.Sum[k](kernel.Scale[k](0.8, kernel.RationalQuadratic{Lengthscale: 1.5, Alpha: 2}),
		kernel.Scale[k](0.3, kernel.Linear{}))
	return out
}

// quiet says that a device takes a kernel and has nothing to complain of.
func quiet(t *testing.T, name string, d *gram.Device, k kernel.Kernel[kernel.Vec], x data.Points[kernel.Vec]) {
	t.Helper()
	f := deviceFeatures(t.Context(), d, kernel.Erase(k), data.NewInMemory(data.Erase(x), nil, 0, nil),
		data.EraseVectors(fewPoints(5)), nil)
	if notes := d.Notes(); len(notes) > 0 || f == nil {
		t.Error(name, notes)
		return
	}
	f.Close()
}

// A fit whose device is lost at any place, has too little memory, or is there to the end finds the
// same process, which predicts the same and survives its file.
func TestSparseFitAfterADevice(t *testing.T) {
	n := datatest.Size(60, 40)
	p := learntest.Problem(n, data.Regression, 3)
	classes := learntest.Problem(n, data.Binary, 3)
	k := kernel.Scale[kernel.Vec](1.5, kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: []float64{1, 2}})
	hyper := HyperOptions{MaxIterations: 3}
	fit := func(d *gram.Device) *SparseRegressor[kernel.Vec] {
		return modeltest.Must(SparseRegression[kernel.Vec]{Kernel: k, Noise: 0.1, FitMean: true, Given: fewPoints(6),
			HyperOptions: hyper, Resources: learn.Resources{Device: d}}.Fit(t.Context(), p.Points, p.Y))(t)
	}
	sort := func(d *gram.Device) *SparseClassifier[kernel.Vec, int] {
		return modeltest.Must(SparseClassification[kernel.Vec, int]{Kernel: k, Given: fewPoints(6), HyperOptions: hyper,
			Resources: learn.Resources{Device: d}}.Fit(t.Context(), classes.Points, classes.Codes()))(t)
	}
	want, sorted := fit(nil), sort(nil)
	variance := modeltest.Must(want.Variance(t.Context(), p.Points))(t)
	proba := modeltest.Must(sorted.Proba(t.Context(), classes.Points))(t)
	near := func(after int, what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-5*math.Max(1, math.Abs(want))) {
			t.Errorf("lost after %d launches: %s is %.10g, want %.10g", after, what, got, want)
		}
	}
	for _, after := range []int{0, 1, 5, 9, 14, 23, 40, 77, 150, 301, -1} {
		device := func() *gram.Device {
			if after < 0 {
				return gram.EmulatedDevice(1, 20<<10, 0)
			}
			return gram.EmulatedDevice(1, 1<<30, after)
		}
		got := fit(device())
		near(after, "the bound", got.LogMarginal(), want.LogMarginal())
		near(after, "the noise", got.Noise(), want.Noise())
		for i, v := range modeltest.Must(got.Variance(t.Context(), p.Points))(t) {
			near(after, "a variance", v, variance[i])
		}
		sort := sort(device())
		near(after, "the bound of classes", sort.LogMarginal(), sorted.LogMarginal())
		at := modeltest.Must(sort.Proba(t.Context(), classes.Points))(t)
		for i := range n {
			near(after, "a probability", at.At(i, 0), proba.At(i, 0))
		}
	}
}

// A search that is stopped after a step on a device gives the best place it has, with its factors.
func TestSparseStoppedOnDevice(t *testing.T) {
	p := learntest.Problem(40, data.Regression, 3)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	device := gram.EmulatedDevice(1, 1<<30, 0)
	g := SparseRegression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Noise: 0.1, Given: fewPoints(6),
		Resources: learn.Resources{Device: device}}
	steps := 0
	g.Trace = func(trace.Step) {
		if steps++; steps == 2 {
			cancel()
		}
	}
	_, err := g.Fit(ctx, p.Points, p.Y)
	var stopped *learn.Stopped[kernel.Vec]
	if !errors.As(err, &stopped) {
		t.Fatal(err)
	}
	if _, err := stopped.Model.(*SparseRegressor[kernel.Vec]).Std(t.Context(), p.Points); err != nil {
		t.Error(err)
	}
	quiet(t, "stopped", device, g.Kernel, p.Points)
}
