package gp

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// evidenceProblem is some points with a wave in two targets.
func evidenceProblem(n int) (data.Points[kernel.Vec], *mat.Dense) {
	rng := rand.New(rand.NewPCG(3, 9))
	x, y := mat.NewDense(n, 2, nil), mat.NewDense(n, 2, nil)
	for i := range n {
		x.SetRow(i, []float64{rng.Float64() * 3, rng.Float64() * 3})
		y.SetRow(i, []float64{1 + math.Sin(2*x.At(i, 0)) + 0.1*rng.NormFloat64(), x.At(i, 1) + 0.2*rng.NormFloat64()})
	}
	return data.Rows(x), y
}

// The evidence and all of its derivatives are made on the device, and are the processor's and the
// differences of the evidence itself: with a mean that is fitted, a noise and a weight for each
// row, several targets; for kernels with maps, sums and products.
func TestEvidenceWhollyOnDevice(t *testing.T) {
	const n = 45
	type v = kernel.Vec
	x, y := evidenceProblem(n)
	points, weights := make([]float64, n), make([]float64, n)
	for i := range n {
		points[i], weights[i] = 0.01*float64(i%3), 1+float64(i%2)
	}
	ard := kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: []float64{0.9, 1.6}}
	matern := kernel.ARD{Kernel: kernel.Matern{Nu: 1.5}, Lengthscales: []float64{0.9, 1.6}}
	for name, g := range map[string]Regression[v]{
		"plain": {Kernel: kernel.Scale[v](1.5, ard), Noise: 0.05},
		"mean":  {Kernel: kernel.Scale[v](1.5, ard), Noise: 0.05, FitMean: true},
		"own": {Kernel: kernel.RationalQuadratic{Alpha: 1, Lengthscale: 1}, Noise: 0.05, PointNoise: points,
			Weights: weights},
		"sum": {Kernel: kernel.Sum[v](kernel.Scale[v](0.5, matern), kernel.Scale[v](0.3, kernel.Linear{}),
			kernel.Constant[v](0.1)), Noise: 0.1},
		"product": {Kernel: kernel.Product[v](kernel.Scale[v](1.2, kernel.Laplace{Lengthscale: 2}),
			kernel.Polynomial{Gamma: 0.1, Offset: 1, Degree: 2}), Noise: 0.1, FitMean: true},
	} {
		for _, targets := range []int{1, 2} {
			if targets == 2 && g.PointNoise != nil {
				continue
			}
			problem := func(d *gram.Device) *gpProblem {
				typed := g
				typed.Resources = learn.Resources{Device: d}
				h, x := typed.open(), data.Erase(x)
				p, _, err := h.multiProblem(x, mat.DenseCopyOf(y.Slice(0, n, 0, targets)))
				if g.PointNoise != nil {
					var columns [][]float64
					if _, columns, err = h.weighty(x, mat.Col(nil, 0, y)); err == nil {
						p, err = h.problem(x, columns[0])
					}
				}
				if err != nil {
					t.Fatal(name, err)
				}
				return p
			}
			own, on := problem(nil), problem(gram.EmulatedDevice(1, 1<<30, 0))
			params := kernel.Params(g.Kernel)
			var wanted []bool
			theta := make([]float64, 0, len(params)+1)
			for _, p := range params {
				wanted, theta = append(wanted, p.Name != "matern.nu" && !p.Domain.Integer), append(theta, p.Value)
			}
			theta = append(theta, g.Noise)
			last := len(params)
			at := func(theta []float64, grad []float64) float64 {
				value, ok := on.evaluateDevice(t.Context(), withParams(kernel.Erase(g.Kernel), theta[:last]), theta[last], grad,
					wanted)
				if !ok {
					t.Fatalf("%s: not on the device: %v", name, on.Device.Notes())
				}
				return value
			}
			got, want, spare := make([]float64, last+1), make([]float64, last+1), make([]float64, last+1)
			value := at(theta, got)
			expected, _, err := own.evaluate(t.Context(), kernel.Erase(g.Kernel), g.Noise, want, wanted)
			if err != nil {
				t.Fatal(name, err)
			}
			if !(math.Abs(value-expected) <= 1e-9*math.Abs(expected)) {
				t.Errorf("%s, %d targets: the evidence is %.12g, want %.12g", name, targets, value, expected)
			}
			for p := range got {
				if !(math.Abs(got[p]-want[p]) <= 1e-8*(1+math.Abs(want[p]))) {
					t.Errorf("%s, %d targets: derivative %d is %.12g, the processor's %.12g", name, targets, p, got[p], want[p])
				}
				if p < last && !wanted[p] {
					continue
				}
				h := 1e-5 * theta[p]
				moved := append([]float64{}, theta...)
				moved[p] = theta[p] + h
				up := at(moved, spare)
				moved[p] = theta[p] - h
				if slope := (up - at(moved, spare)) / (2 * h); !(math.Abs(got[p]-slope) <= 1e-5*(1+math.Abs(slope))) {
					t.Errorf("%s, %d targets: derivative %d is %.9g, differences give %.9g", name, targets, p, got[p], slope)
				}
			}
		}
	}
}

// Points and kernels that have forgotten their type are vectors to the device all the same.
func TestEvidenceOfErasedPointsOnDevice(t *testing.T) {
	x, y := evidenceProblem(30)
	k := kernel.Scale[kernel.Vec](1.5, kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: []float64{0.9, 1.6}})
	erased := kernel.Scale[any](1.5, kernel.Erase[kernel.Vec](kernel.ARD{Kernel: kernel.Gaussian{},
		Lengthscales: []float64{0.9, 1.6}}))
	want, err := Regression[kernel.Vec]{Kernel: k, Noise: 0.1}.Evidence(t.Context(), x, mat.Col(nil, 0, y))
	if err != nil {
		t.Fatal(err)
	}
	g := Regression[any]{Kernel: erased, Noise: 0.1, Resources: learn.Resources{Device: gram.EmulatedDevice(1, 1<<30, 0)}}
	p, err := g.open().problem(data.Erase(x), mat.Col(nil, 0, y))
	if err != nil {
		t.Fatal(err)
	}
	grad := make([]float64, 4)
	value, ok := p.evaluateDevice(t.Context(), erased, 0.1, grad, nil)
	if !ok {
		t.Fatal("not on the device", p.Device.Notes())
	}
	for i, v := range append(want.Kernel, want.Noise, want.LogMarginal) {
		if got := append(grad, value)[i]; !(math.Abs(got-v) <= 1e-8*(1+math.Abs(v))) {
			t.Errorf("number %d is %.12g, want %.12g", i, got, v)
		}
	}
}

// A derivative by ν, which no formula has, is the processor's; so is all that a device leaves
// behind that is lost at any place. The answers stay the same.
func TestEvidenceAfterADevice(t *testing.T) {
	const n = 20
	x, y := evidenceProblem(n)
	g := Regression[kernel.Vec]{Kernel: kernel.Matern{Nu: 2.5, Lengthscale: 1}, Noise: 0.1}
	want, err := g.Evidence(t.Context(), x, mat.Col(nil, 0, y))
	if err != nil {
		t.Fatal(err)
	}
	for after := range 40 {
		g.Resources = learn.Resources{Device: gram.EmulatedDevice(1, 1<<30, after)}
		got, err := g.Evidence(t.Context(), x, mat.Col(nil, 0, y))
		if err != nil {
			t.Fatal(after, err)
		}
		for p, v := range append(want.Kernel, want.LogMarginal, want.Noise) {
			if u := append(got.Kernel, got.LogMarginal, got.Noise)[p]; !(math.Abs(u-v) <= 1e-8*(1+math.Abs(v))) {
				t.Errorf("lost after %d launches: number %d is %.12g, want %.12g", after, p, u, v)
			}
		}
	}
	// A process that is larger than the budget of the host has its evidence where the device has
	// room, and is refused where it has not.
	g = Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Noise: 0.1}
	if want, err = g.Evidence(t.Context(), x, mat.Col(nil, 0, y)); err != nil {
		t.Fatal(err)
	}
	g.Resources = learn.Resources{Bytes: 8*n*n + 100, Device: gram.EmulatedDevice(1, 1<<30, 0)}
	got, err := g.Evidence(t.Context(), x, mat.Col(nil, 0, y))
	if err != nil || math.Abs(got.LogMarginal-want.LogMarginal) > 1e-9 {
		t.Error(got, err)
	}
	if _, err := g.Fit(t.Context(), x, mat.Col(nil, 0, y)); err != nil {
		t.Error(err)
	}
	for name, d := range map[string]*gram.Device{"none": nil, "lost": gram.EmulatedDevice(1, 1<<30, 2)} {
		g.Device = d
		if _, err := g.Evidence(t.Context(), x, mat.Col(nil, 0, y)); err == nil {
			t.Error(name, "more than the budget without a device")
		}
	}
}
