package cli

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/stat"
)

// Rows written five times say no more than once, where they are known to be of one group; and a
// weight of three is three rows.
func TestRowsOfAGroupCountOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var once, five, weighted, repeated learn.Predictions
	var d, d5, dr []float64
	for i := range 12 {
		v := rng.NormFloat64() + 0.3
		d, once.Truth = append(d, v), append(once.Truth, 0)
		for range 5 {
			d5, five.Truth, five.Groups = append(d5, v), append(five.Truth, 0), append(five.Groups, 100-i)
		}
		w := 1 + i%3
		weighted.Truth, weighted.Weights = append(weighted.Truth, 0), append(weighted.Weights, float64(w))
		for range w {
			dr, repeated.Truth, repeated.Groups = append(dr, v), append(repeated.Truth, 0), append(repeated.Groups, i)
		}
	}
	same := func(what string, a, b learn.Predictions, da, db []float64) {
		t.Helper()
		ua, ub := unitsOf(a), unitsOf(b)
		settings := stat.TestSettings{Permutations: 999, Seed: 3}
		pa, err := ua.p(t.Context(), settings, da)
		if err != nil {
			t.Fatal(err)
		}
		pb, err := ub.p(t.Context(), settings, db)
		if err != nil {
			t.Fatal(err)
		}
		la, ha := ua.interval(da)
		lb, hb := ub.interval(db)
		if math.Abs(ua.mean(da)-ub.mean(db)) > 1e-12 || pa != pb || math.Abs(la-lb)+math.Abs(ha-hb) > 1e-12 {
			t.Errorf("%s: mean %g and %g, p %g and %g, from %g and %g to %g and %g", what, ua.mean(da), ub.mean(db), pa, pb, la,
				lb, ha, hb)
		}
	}
	same("groups of five", once, five, d, d5)
	same("weights", weighted, repeated, d, dr)
	// By hand: mean ± 1.96 s/√n.
	mean, square := 0.0, 0.0
	for _, v := range d {
		mean += v / 12
	}
	for _, v := range d {
		square += (v - mean) * (v - mean) / 11
	}
	if low, _ := unitsOf(once).interval(d); math.Abs(low-(mean-1.959963984540054*math.Sqrt(square/12))) > 1e-12 {
		t.Errorf("from %g", low)
	}
}
