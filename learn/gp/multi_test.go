package gp

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

func multiPoints(n int) (data.DenseRows, *mat.Dense) {
	rng := rand.New(rand.NewPCG(3, 3))
	x, y := mat.NewDense(n, 2, nil), mat.NewDense(n, 3, nil)
	for i := range n {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x.SetRow(i, []float64{a, b})
		y.SetRow(i, []float64{math.Sin(a) + 0.1*rng.NormFloat64(), 500 + 1000*a*b + 90*rng.NormFloat64(),
			1e-3 * (b + 0.1*rng.NormFloat64())})
	}
	return data.Rows(x), y
}

// A process of several targets is a process for each, with the kernel and the noise in units of its
// variance: to the last digits, deviations, the leave-one-out predictions, the densities and the
// evidence included.
func TestMultiIsAProcessForEach(t *testing.T) {
	x, y := multiPoints(30)
	fresh, _ := multiPoints(37)
	base := kernel.Scale[kernel.Vec](1.3, kernel.Gaussian{Lengthscale: 1.1})
	for _, fitMean := range []bool{true, false} {
		g := Regression[kernel.Vec]{Kernel: base, Noise: 0.04, FixedNoise: true, FitMean: fitMean,
			HyperOptions: HyperOptions{FixedKernel: true}}
		m := modeltest.Must(g.FitMulti(learntest.Ctx, x, y))(t)
		all := modeltest.Must(m.PredictMulti(learntest.Ctx, fresh))(t)
		evidence := 0.0
		for target := range 3 {
			column := mat.Col(nil, target, y)
			v := spread(column, nil)
			one := g
			one.Kernel, one.Noise = kernel.Scale[kernel.Vec](1.3*v, kernel.Gaussian{Lengthscale: 1.1}), 0.04*v
			want := modeltest.Must(one.Fit(learntest.Ctx, x, column))(t)
			got := m.Of(target).(*Regressor[kernel.Vec])
			evidence += want.LogMarginal()
			learntest.AllNear(t, "mean", modeltest.Predict(t, got, fresh), modeltest.Predict(t, want, fresh), 1e-10)
			learntest.AllNear(t, "all means", mat.Col(nil, target, all), modeltest.Predict(t, want, fresh), 1e-10)
			learntest.AllNear(t, "variance", modeltest.Variance(t, got, fresh), modeltest.Variance(t, want, fresh), 1e-10)
			std := modeltest.Must(got.ObservationStd(learntest.Ctx, fresh))(t)
			learntest.AllNear(t, "deviation", std, modeltest.Must(want.ObservationStd(learntest.Ctx, fresh))(t), 1e-10)
			learntest.Near(t, "noise", got.Noise(), want.Noise(), 1e-12)
			learntest.AllNear(t, "covariance", modeltest.Covariance(t, got, fresh).RawRowView(3),
				modeltest.Covariance(t, want, fresh).RawRowView(3), 1e-10)
			a, b := got.LeaveOneOut(), want.LeaveOneOut()
			learntest.AllNear(t, "left out", a.Mean, b.Mean, 1e-9)
			learntest.AllNear(t, "variance left out", a.Variance, b.Variance, 1e-9)
			learntest.AllNear(t, "density left out", a.LogDensity, b.LogDensity, 1e-9)
			density := modeltest.Must(got.LogDensity(learntest.Ctx, x, column))(t)
			learntest.AllNear(t, "density", density, modeltest.Must(want.LogDensity(learntest.Ctx, x, column))(t), 1e-9)
			if ratio := m.Unit(target) / m.Unit(0); math.Abs(std[0]/modeltest.Must(m.Of(0).(*Regressor[kernel.Vec]).ObservationStd(learntest.Ctx,
				fresh))(t)[0]/ratio-1) > 1e-12 {
				t.Errorf("units %v", ratio)
			}
		}
		learntest.Near(t, "evidence", m.LogMarginal(), evidence, 1e-10)
	}
}

// The parameters found are those that all targets together have the highest evidence at: no step
// from there leads up.
func TestMultiClimbsTheSumOfEvidence(t *testing.T) {
	x, y := multiPoints(25)
	start := kernel.Scale[kernel.Vec](1, kernel.Gaussian{Lengthscale: 1})
	m := modeltest.Must(Regression[kernel.Vec]{Kernel: start, FitMean: true}.FitMulti(learntest.Ctx, x, y))(t)
	if r := m.Report(); !r.Converged || r.Certificate > 1e-2 {
		t.Fatalf("report %+v", r)
	}
	at := func(theta []float64, noise float64) float64 {
		k, err := kernel.With(m.Kernel(), theta)
		if err != nil {
			t.Fatal(err)
		}
		g := Regression[kernel.Vec]{Kernel: k, Noise: noise, FixedNoise: true, FitMean: true,
			HyperOptions: HyperOptions{FixedKernel: true}}
		return modeltest.Must(g.FitMulti(learntest.Ctx, x, y))(t).LogMarginal()
	}
	theta := kernel.Values(m.Kernel())
	learntest.Near(t, "evidence at what was found", at(theta, m.Noise()), m.LogMarginal(), 1e-9)
	for i := range len(theta) + 1 {
		for _, factor := range []float64{0.97, 1.03} {
			moved, noise := append([]float64(nil), theta...), m.Noise()
			if i < len(theta) {
				moved[i] *= factor
			} else {
				noise *= factor
			}
			if got := at(moved, noise); got > m.LogMarginal()+1e-6 {
				t.Errorf("parameter %d times %g: evidence %.9g, above %.9g", i, factor, got, m.LogMarginal())
			}
		}
	}
}

// Input that nothing can be made of is refused, and a constant target is no fault.
func TestMultiDegenerate(t *testing.T) {
	x, y := multiPoints(6)
	fixed := Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Noise: 0.1, FixedNoise: true,
		HyperOptions: HyperOptions{FixedKernel: true}}
	constant := mat.DenseCopyOf(y)
	constant.SetCol(1, []float64{4, 4, 4, 4, 4, 4})
	withMean := fixed
	withMean.FitMean = true
	m := modeltest.Must(withMean.FitMulti(learntest.Ctx, x, constant))(t)
	for _, v := range modeltest.Predict(t, m.Of(1).(*Regressor[kernel.Vec]), x) {
		learntest.Near(t, "a constant", v, 4, 1e-9)
	}
	bad := mat.DenseCopyOf(y)
	bad.Set(2, 1, math.NaN())
	own := fixed
	own.PointNoise = make([]float64, 6)
	for name, err := range map[string]error{
		"NaN":         second(fixed.FitMulti(learntest.Ctx, x, bad)),
		"rows":        second(fixed.FitMulti(learntest.Ctx, x, mat.NewDense(5, 2, nil))),
		"none":        second(fixed.FitMulti(learntest.Ctx, x, &mat.Dense{})),
		"point noise": second(own.FitMulti(learntest.Ctx, x, y)),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "gp: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second[A any](_ A, err error) error { return err }
