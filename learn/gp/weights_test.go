package gp

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// weighted is rows with weights 0 to 3, and the same rows as often as their weights say.
func weighted(
	n int,
) (x data.Slice[kernel.Vec], y, w []float64, often data.Slice[kernel.Vec], oftenY []float64, row []int) {
	rng := rand.New(rand.NewPCG(7, 1))
	for i := range n {
		v := kernel.Vec{rng.NormFloat64(), rng.NormFloat64()}
		t, weight := math.Sin(2*v[0])+0.3*rng.NormFloat64(), float64(i%4)
		x, y, w = append(x, v), append(y, t), append(w, weight)
		for range int(weight) {
			often, oftenY, row = append(often, v), append(oftenY, t), append(row, i)
		}
	}
	return x, y, w, often, oftenY, row
}

func nearTo(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))) {
		t.Errorf("%s is %.12g, want %.12g", what, got, want)
	}
}

// A row of weight w is w rows with its value: evidence, its derivatives, posterior mean and
// deviation.
func TestWeightsAreRepeatedRows(t *testing.T) {
	x, y, w, often, oftenY, _ := weighted(24)
	k := kernel.Scale[kernel.Vec](0.7, kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: []float64{0.8, 1.5}})
	for _, g := range []Regression[kernel.Vec]{
		{Kernel: k, Noise: 0.2},
		{Kernel: k, Noise: 0.2, FitMean: true},
	} {
		g.FixedNoise, g.FixedKernel = true, true
		plain := g
		g.Weights = w
		got, err := g.Evidence(t.Context(), x, y)
		if err != nil {
			t.Fatal(err)
		}
		want, err := plain.Evidence(t.Context(), often, oftenY)
		if err != nil {
			t.Fatal(err)
		}
		nearTo(t, "log marginal likelihood", got.LogMarginal, want.LogMarginal, 1e-9)
		nearTo(t, "derivative by the noise", got.Noise, want.Noise, 1e-8)
		for p := range want.Kernel {
			nearTo(t, "derivative by a parameter", got.Kernel[p], want.Kernel[p], 1e-8)
		}
		a, err := g.Fit(t.Context(), x, y)
		if err != nil {
			t.Fatal(err)
		}
		b, err := plain.Fit(t.Context(), often, oftenY)
		if err != nil {
			t.Fatal(err)
		}
		for name, of := range map[string]func(m *Regressor[kernel.Vec]) ([]float64, error){
			"mean": func(m *Regressor[kernel.Vec]) ([]float64, error) { return m.Predict(t.Context(), x) },
			"std":  func(m *Regressor[kernel.Vec]) ([]float64, error) { return m.ObservationStd(t.Context(), x) },
		} {
			u, err := of(a)
			if err != nil {
				t.Fatal(err)
			}
			v, err := of(b)
			if err != nil {
				t.Fatal(err)
			}
			for i := range u {
				nearTo(t, name, u[i], v[i], 1e-9)
			}
		}
	}
}

// The search for noise and length-scales ends where that on repeated rows does.
func TestWeightsFindWhatRepeatedRowsFind(t *testing.T) {
	x, y, w, often, oftenY, _ := weighted(40)
	g := Regression[kernel.Vec]{Kernel: kernel.Scale[kernel.Vec](1, kernel.Gaussian{Lengthscale: 1}), FitMean: true}
	plain := g
	g.Weights = w
	a, err := g.Fit(t.Context(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	b, err := plain.Fit(t.Context(), often, oftenY)
	if err != nil {
		t.Fatal(err)
	}
	nearTo(t, "log marginal likelihood", a.LogMarginal(), b.LogMarginal(), 1e-6)
	nearTo(t, "noise", a.Noise(), b.Noise(), 1e-3)
	for i, p := range kernel.Params(a.Kernel()) {
		nearTo(t, p.Name, p.Value, kernel.Params(b.Kernel())[i].Value, 1e-3)
	}
}

// Two classes and more: Laplace's approximation of repeated rows is that of weights.
func TestClassificationWeightsAreRepeatedRows(t *testing.T) {
	x, y, w, often, _, row := weighted(20)
	for _, classes := range []int{2, 3} {
		code, oftenCode := make([]int, len(y)), make([]int, len(row))
		for i, v := range y {
			code[i] = (i + int(math.Abs(10*v))) % classes
		}
		for i, r := range row {
			oftenCode[i] = code[r]
		}
		c := Classification[kernel.Vec, int]{Kernel: kernel.Scale[kernel.Vec](2, kernel.Gaussian{Lengthscale: 1})}
		c.FixedKernel = true
		plain := c
		c.Weights = w
		got, err := c.Evidence(t.Context(), x, code)
		if err != nil {
			t.Fatal(err)
		}
		want, err := plain.Evidence(t.Context(), often, oftenCode)
		if err != nil {
			t.Fatal(err)
		}
		nearTo(t, "log marginal likelihood", got.LogMarginal, want.LogMarginal, 1e-6)
		for p := range want.Kernel {
			nearTo(t, "derivative by a parameter", got.Kernel[p], want.Kernel[p], 1e-5)
		}
		a, err := c.Fit(t.Context(), x, code)
		if err != nil {
			t.Fatal(err)
		}
		b, err := plain.Fit(t.Context(), often, oftenCode)
		if err != nil {
			t.Fatal(err)
		}
		u, err := a.Proba(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		v, err := b.Proba(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x {
			for j := range classes {
				nearTo(t, "probability", u.At(i, j), v.At(i, j), 1e-6)
			}
		}
	}
}

// Weights that cannot be are refused, and those that are all 1 leave no trace in the bits.
func TestWeightsAreChecked(t *testing.T) {
	x, y, _, _, _, _ := weighted(8)
	g := Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Noise: 0.1}
	for _, bad := range [][]float64{{1}, {1, 1, 1, -1, 1, 1, 1, 1}, make([]float64, 8),
		{1, 1, 1, math.NaN(), 1, 1, 1, 1}} {
		g.Weights = bad
		if _, err := g.Fit(t.Context(), x, y); err == nil {
			t.Errorf("weights %v were taken", bad)
		}
	}
	g.Weights = []float64{1, 1, 1, 1, 1, 1, 1, 1}
	a, err := g.Evidence(t.Context(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	g.Weights = nil
	b, err := g.Evidence(t.Context(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	if a.LogMarginal != b.LogMarginal || a.Noise != b.Noise {
		t.Errorf("weights of 1 change the evidence: %v, %v", a, b)
	}
}

// Where the noise is found, what all weights are multiplied by changes nothing, and rows of weight
// 1000 are believed beside rows of 0.001: repeated thousands of times they would be taken for
// values without noise, and the process would be one of points.
func TestWeightsAreRelativeWhereNoiseIsFound(t *testing.T) {
	var x data.Slice[kernel.Vec]
	var y, w, times []float64
	rng := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		v := kernel.Vec{2*rng.Float64() - 1}
		x, y, w = append(x, v, v), append(y, 10+0.1*rng.NormFloat64(), -10+0.1*rng.NormFloat64()), append(w, 1000, 0.001)
	}
	at := data.Slice[kernel.Vec]{{0}, {0.5}, {1.5}}
	for _, v := range w {
		times = append(times, 64*v)
	}
	for name, params := range map[string]map[string]float64{"gp": {}, "sgpr": {}, "several": {}, "joint": {"outputs": 1}} {
		l := LearnerFrom()
		if name == "sgpr" {
			l = sparseLearner()
		}
		said := func(w []float64) []float64 {
			p := learn.Problem[kernel.Vec]{Points: x, Task: data.Regression, Y: y, Weights: w}
			if name == "several" || name == "joint" {
				second := make([]float64, len(y))
				for i, v := range y {
					second[i] = v + 3*math.Sin(3*x[i][0])
				}
				p.More = [][]float64{second}
			}
			m, err := l.Fit(t.Context(), learn.Settings{Kernel: kernel.OnVectors(kernel.Gaussian{Lengthscale: 1}),
				Params: params}, p.Erase())
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			q, err := learn.PredictAll(t.Context(), m, 0, data.Erase(at))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return q.Value
		}
		found, scaled := said(w), said(times)
		for i, v := range found {
			if !(math.Abs(v-10) < 0.5) {
				t.Errorf("%s at %v: %g, and the rows that count say 10", name, at[i], v)
			}
			nearTo(t, name+" of weights times 64", scaled[i], v, 1e-9)
		}
	}
}
