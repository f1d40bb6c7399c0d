package svm

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// No margin of points that can be separated is above the bound of any coefficients that sum to 0:
// here the points are at ±1 and further out, and their margin is 1.
func TestHullBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		x := []float64{1, 1 + 3*rng.Float64(), 1 + rng.Float64(), -1, -1 - rng.Float64(), -1 - 2*rng.Float64()}
		beta := make([]float64, 6)
		up, down := 0.0, 0.0
		for i := range beta {
			if beta[i] = rng.Float64(); i < 3 {
				up += beta[i]
			} else {
				down += beta[i]
			}
		}
		f, sum := 0.0, 0.0
		for i := range beta {
			if i >= 3 {
				beta[i] *= -up / down
			}
			f += beta[i] * x[i]
			sum += math.Abs(beta[i])
		}
		if got := hullBound(beta, f*f/2-sum); got < 1-1e-12 || math.Abs(got-math.Abs(f)/sum) > 1e-9 {
			t.Fatalf("the bound is %g, the margin 1 and ‖f‖/Σα %g", got, math.Abs(f)/sum)
		}
	}
}

// Classes that overlap are refused once no margin can be left that could be computed with, not when
// a price of 10⁸ has been tried.
func TestOverlapIsRefusedEarly(t *testing.T) {
	x, y := learntest.Blobs(60, 2, 2, 3, 3)
	_, err := Classification[kernel.Vec, int]{Kernel: kernel.Linear{}, C: math.Inf(1)}.Fit(context.Background(),
		data.Rows(x), y)
	var not *notSeparable
	if !errors.As(err, &not) {
		t.Fatal(err)
	}
	size := 0.0
	for i := range 60 {
		size = max(size, mat.Dot(x.RowView(i), x.RowView(i)))
	}
	if least := math.Sqrt(size / (60 * mostPrice)); !(not.Margin < least) || not.Errors == 0 {
		t.Errorf("any margin is below %g, and %g could be computed with; %d errors", not.Margin, least, not.Errors)
	}
}
