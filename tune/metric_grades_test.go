package tune

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/learn"
)

// Numbers are scikit-learn's (bench/fixtures/ordinal_statsmodels.py).
func TestGradeMetricsAreScikitLearns(t *testing.T) {
	truth := []float64{1, 3, 0, 3, 0, 1, 2, 1, 3, 1, 1, 1, 2, 0, 2, 1, 2, 3, 0, 3, 0, 3, 2, 0, 3, 0, 1, 1, 1, 3, 1, 1, 1,
		2, 3, 2, 0, 2, 2, 0, 3, 0, 3, 2, 0, 3, 0, 3, 1, 1, 3, 1, 1, 1, 2, 2, 2, 0, 2, 2}
	p := learn.Predictions{Truth: truth, Classes: 4}
	weights := make([]float64, len(truth))
	for i, y := range truth {
		p.Class = append(p.Class, min(max(int(y)+i%3-1, 0), 3))
		weights[i] = 1 + float64(i%4)/2
	}
	for _, want := range [][2]float64{{0.7816901408450705, 0.5166666666666667}, {0.7779610049471335, 0.5190476190476191}} {
		if got := Kappa().Score(p); math.Abs(got-want[0]) > 1e-12 {
			t.Errorf("kappa %.16g, want %.16g", got, want[0])
		}
		if got := GradeError().Score(p); math.Abs(got-want[1]) > 1e-12 {
			t.Errorf("grade-mae %.16g, want %.16g", got, want[1])
		}
		p.Weights = weights
	}
	if got := Kappa().Score(learn.Predictions{Truth: []float64{1, 1}, Class: []int{1, 1}, Classes: 2}); !math.IsNaN(got) {
		t.Errorf("one grade on both sides: %g", got)
	}
}

// The ranked probability score is the squared area between two distribution functions, and of one
// that is sure the distance in grades.
func TestRankedProbability(t *testing.T) {
	p := learn.Predictions{Truth: []float64{0, 2, 3}, Classes: 4,
		Prob: []float64{0.5, 0.25, 0.25, 0, 0.1, 0.2, 0.4, 0.3, 1, 0, 0, 0}, Weights: []float64{1, 3, 2}}
	// Row by row: 0.5² + 0.25², 0.1² + 0.3² + 0.3², and 3.
	want := (0.3125 + 3*0.19 + 2*3) / 6
	if got := RankedProbability().Score(p); math.Abs(got-want) > 1e-12 {
		t.Errorf("%g, want %g", got, want)
	}
	p.Prob = nil
	if got := RankedProbability().Score(p); !math.IsNaN(got) {
		t.Errorf("without probabilities: %g", got)
	}
}
