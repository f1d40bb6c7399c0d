package kerneltest_test

import (
	"errors"
	"math"
	"sync/atomic"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// good is the Gaussian kernel with every optional interface spelled out, to be
// spoiled in one place at a time.
type good struct{ scale float64 }

func (k good) Eval(x, y kernel.Vec) float64 {
	return math.Exp(-k.scale * kernel.SqDist.Between(x, y))
}
func (k good) Params() []kernel.Param {
	return []kernel.Param{{Name: "good.scale", Value: k.scale, Domain: kernel.Domain{High: 100, OpenLow: true}}}
}
func (good) With(theta []float64) kernel.Kernel[kernel.Vec] { return good{theta[0]} }

type asymmetric struct{ good }

func (k asymmetric) Eval(x, y kernel.Vec) float64 { return k.good.Eval(x, y) * (1 + 1e-3*(x[0]-y[0])) }

type indefinite struct{ good }

func (k indefinite) Eval(x, y kernel.Vec) float64 { return k.good.Eval(x, y) - 0.5 }

type wrongProfile struct{ good }

func (wrongProfile) Metric() kernel.Metric { return kernel.SqDist }
func (k wrongProfile) Profile(m []float64) {
	for i, v := range m {
		m[i] = math.Exp(-k.scale*v) + 1e-6
	}
}

type wrongBlock struct{ good }

func (k wrongBlock) Block(dst *mat.Dense, x, y data.Points[kernel.Vec]) {
	for i := range x.Len() {
		for j := range y.Len() {
			dst.Set(i, j, k.Eval(x.At(0), y.At(j))) // always the first row
		}
	}
}

type wrongSingle struct{ kernel.Gaussian }

func (wrongSingle) Profile32(m []float32) {
	for i := range m {
		m[i] = 0.5
	}
}

type wrongBound struct{ good }

func (wrongBound) Properties() kernel.Properties {
	return kernel.Properties{PSD: kernel.Yes, Bound: 0.5}
}

type notStationary struct{ kernel.Linear }

func (notStationary) Properties() kernel.Properties {
	return kernel.Properties{PSD: kernel.Yes, Stationary: kernel.Yes, Bound: math.Inf(1)}
}

type wrongSlope struct{ kernel.Gaussian }

func (k wrongSlope) ProfileGrad(dm []float64, dtheta [][]float64, m []float64) {
	k.Gaussian.ProfileGrad(dm, dtheta, m)
	for i := range dm {
		dm[i] *= 1.01
	}
}

type wrongParamSlope struct{ kernel.Gaussian }

func (k wrongParamSlope) ProfileGrad(dm []float64, dtheta [][]float64, m []float64) {
	k.Gaussian.ProfileGrad(dm, dtheta, m)
	for i := range dm {
		dtheta[0][i] += 1e-3
	}
}

type shared struct{ scale *float64 }

func (k shared) Eval(x, y kernel.Vec) float64 { return good{*k.scale}.Eval(x, y) }
func (k shared) Params() []kernel.Param       { return good{*k.scale}.Params() }
func (k shared) With(theta []float64) kernel.Kernel[kernel.Vec] {
	*k.scale = theta[0] // changes the kernel it is called on
	return k
}

type twins struct{ good }

func (k twins) Params() []kernel.Param {
	p := k.good.Params()[0]
	return []kernel.Param{p, p}
}

type outside struct{ good }

func (k outside) Params() []kernel.Param {
	p := k.good.Params()[0]
	p.Domain.High = k.scale / 2
	return []kernel.Param{p}
}

// stateful answers differently the more often it is asked.
type stateful struct {
	good
	calls *atomic.Int64
}

func (k stateful) Eval(x, y kernel.Vec) float64 {
	return k.good.Eval(x, y) * (1 + 1e-9*float64(k.calls.Add(1)/1000))
}

// wrongDiagonal is not a function: it tells a point from a copy of itself.
type wrongDiagonal struct{ good }

func (k wrongDiagonal) Eval(x, y kernel.Vec) float64 {
	if &x[0] == &y[0] {
		return math.NaN()
	}
	return k.good.Eval(x, y)
}

// wrongOnSparse reads how long its rows are.
type picky struct{ good }

func (picky) CheckPoints(x data.Points[kernel.Vec]) error {
	return errors.New("kernel: picky: no points please")
}

func TestTheSuiteFailsBadKernels(t *testing.T) {
	scale := 0.5
	points := kerneltest.Vectors(1, 12, 3)
	for _, c := range []struct {
		bad   string
		k     kernel.Kernel[kernel.Vec]
		check string
	}{
		{"asymmetric", asymmetric{good{0.5}}, "symmetric"},
		{"indefinite", indefinite{good{0.5}}, "positive semi-definite"},
		{"profile that is not Eval", wrongProfile{good{0.5}}, "block equals eval"},
		{"block that is not Eval", wrongBlock{good{0.5}}, "block equals eval"},
		{"single precision that is not Eval", wrongSingle{}, "single precision"},
		{"diagonal that is not a number", wrongDiagonal{good{0.5}}, "diagonal"},
		{"bound that does not hold", wrongBound{good{0.5}}, "properties hold"},
		{"stationarity that does not hold", notStationary{}, "properties hold"},
		{"profile that sparse rows show", wrongProfile{good{0.5}}, "sparse equals dense"},
		{"slope by points", wrongSlope{}, "derivatives by points"},
		{"slope by a parameter", wrongParamSlope{}, "derivatives by parameters"},
		{"With that mutates", shared{&scale}, "parameters round-trip"},
		{"two parameters of one name", twins{good{0.5}}, "parameters round-trip"},
		{"value outside its domain", outside{good{0.5}}, "parameters round-trip"},
		{"state", stateful{good{0.5}, new(atomic.Int64)}, "concurrent"},
		{"points it refuses", picky{good{0.5}}, "accepted"},
	} {
		k := c.k
		failed := kerneltest.Errors(k, kerneltest.Options[kernel.Vec]{Points: points})
		if failed[c.check] == nil {
			t.Errorf("%s: the check %q passes (failed: %v)", c.bad, c.check, failed)
		}
	}
	lossy := kerneltest.Options[kernel.Vec]{Points: points,
		RoundTrip: func(kernel.Kernel[kernel.Vec]) (kernel.Kernel[kernel.Vec], error) {
			return good{0.5000001}, nil
		}}
	if kerneltest.Errors[kernel.Vec](good{0.5}, lossy)["text round-trip"] == nil {
		t.Error("a lossy text form passes")
	}
}

func TestTheSuitePassesGoodKernels(t *testing.T) {
	o := kerneltest.Options[kernel.Vec]{
		Points:      kerneltest.Vectors(1, 12, 3),
		Adversarial: kerneltest.Adversarial(3),
		RoundTrip:   func(k kernel.Kernel[kernel.Vec]) (kernel.Kernel[kernel.Vec], error) { return k, nil },
	}
	kerneltest.Run[kernel.Vec](t, good{0.5}, o)
}
