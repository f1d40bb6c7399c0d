package svm

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Classes weighted to balance and a small C: every coefficient is at its bound, the bias is
// anywhere in an interval, and its middle tells the classes apart. With and without probabilities
// both are predicted.
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
		m, err := Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 4}, C: 0.025, Weights: weights,
			Probability: probability}.Fit(t.Context(), points, y)
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

// The start of a fold keeps who is at a bound there, at the bound that the fold has, and hands the
// sum on to few.
func TestFoldStartsAtBounds(t *testing.T) {
	const n = 40
	y, whole, kept := make([]float64, n), make([]float64, n), make([]float64, n)
	main := &machine{beta: make([]float64, n), values: make([]float64, n)}
	for i := range y {
		y[i], whole[i], kept[i] = 1, 2, 2.5
		if i%2 == 1 {
			y[i], kept[i] = -1, 1.5
		}
		main.values[i] = y[i] * float64(i) / (n / 2) // beyond the margin for the second half
		if i < n/2 {                                 // bounded support vectors; the others are no support vectors
			main.beta[i] = 2 * y[i]
		}
	}
	kept[0], kept[7] = 0, 0
	fold := cSVC(y, kept)
	beta := foldStart(fold.qp, cSVC(y, whole).qp, main, fold.start)
	sum, free := 0.0, 0
	for i, b := range beta {
		sum += b
		if b < fold.qp.Lower[i] || b > fold.qp.Upper[i] {
			t.Errorf("β%d = %g is outside its box", i, b)
		}
		if b > fold.qp.Lower[i] && b < fold.qp.Upper[i] {
			free++
		}
	}
	if math.Abs(sum) > 1e-12 {
		t.Errorf("the sum is %g", sum)
	}
	if free > 1 {
		t.Errorf("%d variables are strictly inside their boxes", free)
	}
	// Of the positive side, which is too heavy, those next to the margin are the cheapest to lower.
	if beta[18] != 0 || beta[2] != 2.5 {
		t.Errorf("β18 = %g, β2 = %g: not the cheapest moved", beta[18], beta[2])
	}
	// No sum of these boxes is right: the feasible start stands.
	for i := range y {
		if y[i] > 0 {
			fold.qp.Lower[i] = 2.5
			fold.qp.Upper[i] = 2.5
		}
	}
	if got := foldStart(fold.qp, cSVC(y, whole).qp, main, fold.start); got[2] != fold.start[2] {
		t.Errorf("β2 = %g where nothing is feasible", got[2])
	}
}
