package model

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The half-width of an interval of two targets together is q deviations: of independent targets
// (2Φ(q) - 1)² = level, of copies 2Φ(q) - 1 = level, between them otherwise, up to the draws.
func TestBoundAll(t *testing.T) {
	quantile := func(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
	const level = 0.9
	apart, same := quantile((1+math.Sqrt(level))/2), quantile((1+level)/2)
	at := func(r float64) float64 {
		p := &Prediction{Values: []float64{5}, ObservationStd: []float64{2},
			More:    []*Prediction{{Values: []float64{-1}, ObservationStd: []float64{3}}},
			Outputs: []*mat.SymDense{mat.NewSymDense(2, []float64{4, 6 * r, 6 * r, 9})}}
		p.boundAll(level)
		q := (p.High[0] - 5) / 2
		if other := (p.More[0].High[0] + 1) / 3; math.Abs(other-q) > 1e-12 || math.Abs(5-p.Low[0]-2*q) > 1e-12 {
			t.Errorf("half-widths %g and %g deviations", q, other)
		}
		return q
	}
	if q := at(0); math.Abs(q-apart) > 0.05 {
		t.Errorf("%g deviations of independent targets, want %g", q, apart)
	}
	if q := at(0.9999); math.Abs(q-same) > 0.05 {
		t.Errorf("%g deviations of copies, want %g", q, same)
	}
	if q := at(-0.8); !(q > same && q < apart+0.05) {
		t.Errorf("%g deviations, want between %g and %g", q, same, apart)
	}
}
