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

// Classes weighted to balance and a small C: every coefficient is at its bound, the bias is anywhere in an interval, and its middle tells the classes apart. With and
// without probabilities both are predicted.
func TestEveryCoefficientAtItsBound(t *testing.T) {
	const n, few = 62, 12
	x, y, weights := make([]kernel.Vec, n), make([]int, n), make([]float64, n)
	for i := range n {
		x[i], weights[i] = kernel.Vec{math.Sin(float64(3 * i)), math.Cos(float64(5 * i))}, float64(n)/2/(n-few)
		if i >= n-few {
			y[i], weights[i] = 1, float64(n)/2/few
			x[i][0] += 1.2
		}
	}
	points := data.Slice[kernel.Vec](x)
	for _, probability := range []bool{false, true} {
		m, err := Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 4}, C: 0.025, Weights: weights, Probability: probability}.Fit(t.Context(), points, y)
		if err != nil {
			t.Fatal(err)
		}
		f, err := m.Decision(t.Context(), points)
		if err != nil {
			t.Fatal(err)
		}
		most, least := math.Inf(-1), math.Inf(1)
		for i, c := range y {
			if c == 1 {
				most = math.Max(most, f.At(i, 0))
			} else {
				least = math.Min(least, f.At(i, 0))
			}
		}
		if math.Abs(most+least) > 1e-6 {
			t.Errorf("the bias is not in the middle: up to %g for one class, from %g for the other", most, least)
		}
		got, err := m.Predict(t.Context(), points)
		if err != nil {
			t.Fatal(err)
		}
		right := [2]int{}
		for i, c := range got {
			if c == y[i] {
				right[c]++
			}
		}
		if right[0] < (n-few)/2 || right[1] < few/2 {
			t.Errorf("probabilities %v: %v of %d and %d are right", probability, right, n-few, few)
		}
	}
}
