package tune

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/learn"
)

// What is not a number has no rank: a measure of ranks is not defined then, and ends.
func TestRanksOfNaN(t *testing.T) {
	nan := math.NaN()
	classes := learn.Predictions{Truth: []float64{0, 1, 1}, Class: []int{0, 1, 1}, Classes: 2, Positive: 1,
		Prob: []float64{nan, nan, .5, .5, .2, .8}, Score: []float64{nan, nan, 1, 2, 0, 3}}
	if v := AUC().Score(classes); !math.IsNaN(v) {
		t.Errorf("AUC %g", v)
	}
	values := learn.Predictions{Truth: []float64{0, 1, 2}, Value: []float64{1, nan, 2}}
	for _, m := range []Metric{KendallTau(), NDCG(0)} {
		if v := m.Score(values); !math.IsNaN(v) {
			t.Errorf("%s %g", m.Name, v)
		}
	}
}
