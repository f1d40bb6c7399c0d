package svm

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

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
