package tune

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/learn"
)

// Rows that are ranked without a fault have the same AUC however they are drawn again: that is no interval of width nought.
func TestPerfectScoresHaveNoBootstrapInterval(t *testing.T) {
	p := learn.Predictions{Truth: []float64{0, 0, 0, 1, 1, 1}, Class: []int{0, 0, 0, 1, 1, 1}, Classes: 2, Positive: 1, Prob: []float64{.9, .1, .8, .2, .7, .3, .3, .7, .2, .8, .1, .9}}
	if low, high := interval(AUC(), p, 1, 1); !math.IsNaN(low) || !math.IsNaN(high) {
		t.Errorf("AUC 1 of six rows: %g to %g", low, high)
	}
	if low, high := interval(Accuracy(), p, 1, 1); !(low < 0.7 && high == 1) {
		t.Errorf("accuracy 1 of six rows: %g to %g", low, high)
	}
}
