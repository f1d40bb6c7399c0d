package fit

import (
	"math"
	"testing"
)

// TestTargetsOfDifferentUnitsCountAlike: the share of the variance that is left knows no units, and
// a constant target has none.
func TestTargetsOfDifferentUnitsCountAlike(t *testing.T) {
	for _, unit := range []float64{1, 1e-9, 1e9} {
		var one Tried
		one.inUnits([]float64{2, 30 * unit * unit, 0}, []float64{8, 40 * unit * unit, 0})
		if want := (0.25 + 0.75) / 3; math.Abs(one.Mean-want) > 1e-15 ||
			math.Abs(one.ByTarget[1]-math.Sqrt(30)*unit) > 1e-12*unit {
			t.Errorf("unit %g: %g (want %g), %g", unit, one.Mean, want, one.ByTarget)
		}
	}
}
