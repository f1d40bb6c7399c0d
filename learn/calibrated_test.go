package learn

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The slope of values drawn from the model itself is found again.
func TestFitSlopeFindsTheTruth(t *testing.T) {
	for _, k := range []int{2, 3, 5} {
		for _, truth := range []float64{0.3, 2, 40} {
			rng := rand.New(rand.NewPCG(uint64(k), 1))
			const n = 20000
			scores, code, p := make([]float64, n*k), make([]int, n), make([]float64, k)
			for i := range n {
				row := scores[i*k : (i+1)*k]
				for c := range row {
					row[c] = rng.NormFloat64() / truth
				}
				softmaxOf(p, row, truth)
				u := rng.Float64()
				for code[i] = 0; code[i] < k-1 && u > p[code[i]]; code[i]++ {
					u -= p[code[i]]
				}
			}
			// The information in n draws: the relative error of a is a few times 1/√n.
			if got := FitSlope(scores, code, k); math.Abs(got/truth-1) > 6/math.Sqrt(n) {
				t.Errorf("%d classes: slope %g, want %g", k, got, truth)
			}
		}
	}
	// Two points told apart by 2 and half a point the other way: 2·2/(1+e²ᵃ) = ½·2·e²ᵃ/(1+e²ᵃ).
	if a := FitSlope([]float64{-1, 1, 1, -1}, []int{1, 0}, 2); math.Abs(a-math.Log(4)/2) > 1e-9 {
		t.Errorf("separable values: slope %g", a)
	}
	if a := FitSlope([]float64{0, 0}, []int{1}, 2); a != 1 {
		t.Errorf("values all alike: slope %g", a)
	}
	if a := FitSlope([]float64{1e308, -1e308, -1e308, 1e308}, []int{0, 1}, 2); !(a > 0) || math.IsInf(a, 0) {
		t.Errorf("huge values: slope %g", a)
	}
}
