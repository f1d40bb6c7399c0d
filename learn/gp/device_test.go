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

// The evidence, its derivatives, a whole fit and its variances are on a device what they are
// without: also where the device has room for the factor but not for the inverse, where it is lost
// in the middle, and where the matrix wants jitter.
func TestEvidenceOnDevice(t *testing.T) {
	const n = 60
	rng := rand.New(rand.NewPCG(2, 2))
	x, y := mat.NewDense(n, 2, nil), make([]float64, n)
	for i := range n {
		x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
		y[i] = 3 + math.Sin(2*x.At(i, 0)) + 0.1*rng.NormFloat64()
	}
	points := data.Points[kernel.Vec](data.Rows(x))
	devices := func() map[string]*gram.Device {
		return map[string]*gram.Device{"on": gram.EmulatedDevice(1, 1<<30, 0),
			"little": gram.EmulatedDevice(1, 8*n*n+40<<10, 0), "lost": gram.EmulatedDevice(1, 1<<30, 4),
			"lost later": gram.EmulatedDevice(1, 1<<30, 30), "none to speak of": gram.EmulatedDevice(1, 1000, 0)}
	}
	ard := kernel.ARD{Kernel: kernel.Gaussian{Lengthscale: 1}, Lengthscales: []float64{1, 2}}
	for name, g := range map[string]Regression[kernel.Vec]{
		"plain":  {Kernel: kernel.Scale[kernel.Vec](1.5, ard), Noise: 0.05, HyperOptions: HyperOptions{MaxIterations: 5}},
		"mean":   {Kernel: ard, Noise: 0.1, FitMean: true, HyperOptions: HyperOptions{FixedKernel: true}},
		"jitter": {Kernel: kernel.Linear{}, NoNoise: true}, "own noise": {Kernel: ard, PointNoise: make([]float64, n),
			HyperOptions: HyperOptions{FixedKernel: true}},
	} {
		want, err := g.Evidence(t.Context(), points, y)
		if err != nil {
			t.Fatal(name, err)
		}
		model, err := g.Fit(t.Context(), points, y)
		if err != nil {
			t.Fatal(name, err)
		}
		deviation, err := model.Variance(t.Context(), points)
		if err != nil {
			t.Fatal(name, err)
		}
		for how, dev := range devices() {
			g.Resources = learn.Resources{Device: dev}
			got, err := g.Evidence(t.Context(), points, y)
			if err != nil {
				t.Fatal(name, how, err)
			}
			near := func(what string, got, want, tol float64) {
				t.Helper()
				if !(math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))) {
					t.Errorf("%s, %s: %s is %g, want %g", name, how, what, got, want)
				}
			}
			near("the evidence", got.LogMarginal, want.LogMarginal, 1e-8)
			near("the derivative by noise", got.Noise, want.Noise, 1e-6)
			for i := range want.Kernel {
				near("a derivative", got.Kernel[i], want.Kernel[i], 1e-6)
			}
			g.Resources.Device = devices()[how]
			m, err := g.Fit(t.Context(), points, y)
			if err != nil {
				t.Fatal(name, how, err)
			}
			near("the evidence of a fit", m.LogMarginal(), model.LogMarginal(), 1e-6)
			v, err := m.Variance(t.Context(), points)
			if err != nil {
				t.Fatal(name, how, err)
			}
			for i := range v {
				near("a variance", v[i], deviation[i], 1e-5)
			}
			if lost := how == "lost" && name != "own noise"; lost && len(m.Report().Warnings) == 0 {
				t.Errorf("%s: a lost device was not said", name)
			}
		}
	}
}
