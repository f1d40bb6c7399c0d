package svm

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Values of folds whose offsets hide the classes: Platt's sigmoid decides worse than the sign, and the one taken agrees with the sign.
func TestAnchoredSigmoid(t *testing.T) {
	var f []float64
	var positive []bool
	for fold := range 5 {
		for i := range 8 {
			side := i%2 == 0
			v := -0.1
			if side {
				v = 0.1
			}
			if fold == 0 { // one machine is far off, the wrong way round
				v *= -40
			}
			f, positive = append(f, v), append(positive, side)
		}
	}
	if s := learn.FitSigmoid(f, positive, nil); s.A < 0 {
		t.Fatalf("the case is no case: %+v", s)
	}
	s, anchored := sigmoidOf(f, positive, nil)
	if !anchored || !(s.A < 0) || s.B != 0 {
		t.Errorf("%+v, anchored %v", s, anchored)
	}
	// Well separated values keep Platt's.
	for i := range f {
		f[i] = -1.5 + 0.01*float64(i)
		if positive[i] {
			f[i] = 0.9
		}
	}
	if s, anchored := sigmoidOf(f, positive, nil); anchored || s != learn.FitSigmoid(f, positive, nil) {
		t.Errorf("%+v, anchored %v", s, anchored)
	}
}

// The slope is the most likely one: the likelihood is no better beside it.
func TestAnchoredSlope(t *testing.T) {
	f := []float64{-2, -1, -0.5, 0.3, 0.7, 1.5, -0.2, 0.4}
	positive := []bool{false, false, true, false, true, true, false, true}
	weights := []float64{1, 2, 1, 1, 3, 1, 1, 0.5}
	likelihood := func(a float64) float64 {
		sum, plus, minus := 0.0, 5.5, 5.0
		for i, v := range f {
			p, target := learn.Sigmoid{A: a}.At(v), 1/(minus+2)
			if positive[i] {
				target = (plus + 1) / (plus + 2)
			}
			sum += weights[i] * (target*math.Log(p) + (1-target)*math.Log(1-p))
		}
		return sum
	}
	a := anchoredSigmoid(f, positive, weights).A
	if !(a < 0) || likelihood(a) < likelihood(a*1.001) || likelihood(a) < likelihood(a*0.999) {
		t.Errorf("slope %g", a)
	}
}

// Few points of a class, a small C and weights: what is predicted with probabilities is what the machine decides, not one class for all.
func TestProbabilitiesOfFewPoints(t *testing.T) {
	x, y, weights := make([]kernel.Vec, 0, 50), make([]int, 0, 50), make([]float64, 0, 50)
	for i := range 50 {
		class, at := 0, kernel.Vec{math.Sin(float64(3 * i)), math.Cos(float64(5 * i))}
		w := 0.625
		if i%5 == 0 {
			class, w = 1, 2.5
			at[0] += 1.2
		}
		x, y, weights = append(x, at), append(y, class), append(weights, w)
	}
	c := Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 4}, C: 0.025, Weights: weights}
	points := data.Slice[kernel.Vec](x)
	plain, err := c.Fit(t.Context(), points, y)
	if err != nil {
		t.Fatal(err)
	}
	c.Probability = true
	sure, err := c.Fit(t.Context(), points, y)
	if err != nil {
		t.Fatal(err)
	}
	mistakes := func(m *Classifier[kernel.Vec, int]) (sum float64) {
		got, err := m.Predict(t.Context(), points)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			if v != y[i] {
				sum += weights[i]
			}
		}
		return sum
	}
	if a, b := mistakes(plain), mistakes(sure); b > a+5 {
		t.Errorf("weight of mistakes %g by decision, %g by probability: %q", a, b, sure.Report().Warnings)
	}
}
