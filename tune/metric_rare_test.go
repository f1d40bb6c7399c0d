package tune

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/learn"
)

// rareRows is forty rows with ties; the numbers below are scikit-learn 1.x on them
// (bench/fixtures/rare_sklearn.py).
func rareRows(weighted bool) learn.Predictions {
	truth := []float64{0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1,
		1, 0, 1, 0, 1, 0, 1}
	score := []float64{0.2, 0.6, 0.4, 0.9, 0.4, 0.5, 0.4, 0.4, 0.4, 0.6, 0.3, 0.4, 0.0, 0.3, 0.2, 0.1, 0.6, 0.3, 0.7, 0.4,
		0.7, 0.7, 0.5, 0.4, 0.6, 0.2, 0.3, 0.1, 0.7, 0.2, 0.5, 0.5, 0.9, 0.8, 0.1, 0.9, 0.7, 0.9, 0.4, 0.4}
	p := learn.Predictions{Truth: truth, Classes: 2, Positive: 1}
	for _, s := range score {
		p.Score, p.Class = append(p.Score, -s, s), append(p.Class, int(indicator(s >= 0.6)))
	}
	if weighted {
		p.Weights = []float64{0.79, 1.89, 1.33, 0.77, 1.83, 1.46, 1.35, 1.06, 1.12, 0.86, 0.56, 1.81, 1.2, 1.32, 0.98, 1.63,
			0.54, 1.06, 0.55, 0.68, 1.95, 1.49, 1.14, 1.29, 1.81, 1.02, 1.39, 1.53, 1.03, 1.28, 1.65, 1.86, 0.73, 1.9, 0.51,
			1.63, 1.72, 0.71, 1.13, 1.72}
	}
	return p
}

func TestRareMetricsAreScikitLearns(t *testing.T) {
	for _, c := range []struct {
		metric          Metric
		plain, weighted float64
	}{
		{AveragePrecision(), 0.7297619047619048, 0.7227332919200189},
		{Precision(), 0.5714285714285714, 0.6251422070534699},
		{Recall(), 0.6666666666666666, 0.6385822196397444},
	} {
		for weighted, want := range map[bool]float64{false: c.plain, true: c.weighted} {
			if got := c.metric.Score(rareRows(weighted)); math.Abs(got-want) > 1e-12 {
				t.Errorf("%s, weighted %v: %.16g, want %.16g", c.metric.Name, weighted, got, want)
			}
		}
	}
}

// Wilson's interval of recall has as many rows as there are of the class, that of precision as many
// as are named: 8 of 12, and 8 of 14.
func TestRareIntervals(t *testing.T) {
	p := rareRows(false)
	scores := Judge(p, learn.Baseline{Shares: []float64{0.7, 0.3}}, Recall(), Precision(), AveragePrecision())
	intervals(scores, p, nil, 1)
	for i, n := range []float64{12, 14} {
		low, high := wilson(8/n, n)
		if s := scores[i]; s.Low != low || s.High != high {
			t.Errorf("%s: %g to %g, want %g to %g", s.Metric, s.Low, s.High, low, high)
		}
	}
	if ap := scores[2]; !(ap.Low < ap.Value && ap.Value < ap.High) || math.Abs(ap.Baseline-0.3) > 1e-12 {
		t.Errorf("average precision %+v; the baseline's is the share of the class", ap)
	}
	// Of groups it is these that are drawn: the interval is no longer Wilson's.
	units := make([]int, len(p.Truth))
	for i := range units {
		units[i] = i / 4
	}
	low := scores[0].Low
	if intervals(scores, p, units, 1); scores[0].Low == low || math.IsNaN(scores[0].Low) {
		t.Errorf("groups: %g", scores[0].Low)
	}
}

func TestRareMetricsWhereThereIsNothing(t *testing.T) {
	none := learn.Predictions{Truth: []float64{0, 0}, Class: []int{0, 0}, Score: []float64{1, -1, 1, -1}, Classes: 2,
		Positive: 1}
	unnamed := none
	unnamed.Positive = -1
	broken := learn.Predictions{Truth: []float64{0, 1}, Class: []int{0, 0}, Score: []float64{1, math.NaN(), 1, 0},
		Classes: 2, Positive: 1}
	for _, m := range []Metric{AveragePrecision(), Precision(), Recall()} {
		for _, p := range []learn.Predictions{none, unnamed, {Classes: 2, Positive: 1}} {
			if got := m.Score(p); !math.IsNaN(got) {
				t.Errorf("%s of %+v: %g", m.Name, p, got)
			}
		}
	}
	if got := AveragePrecision().Score(broken); !math.IsNaN(got) {
		t.Errorf("a score that is no number: %g", got)
	}
}
