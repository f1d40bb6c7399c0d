package tune

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.IsNaN(want) != math.IsNaN(got) || math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
		t.Errorf("%s = %.15g, want %.15g", what, got, want)
	}
}

// Worked by hand.
func TestRegressionMetrics(t *testing.T) {
	p := learn.Predictions{Truth: []float64{1, 2, 3, 4}, Value: []float64{1, 3, 2, 6}}
	near(t, "rmse", RMSE().Score(p), math.Sqrt(6.0/4))
	near(t, "mae", MAE().Score(p), 1)
	near(t, "r2", R2().Score(p), 1-6.0/5)
	near(t, "kendall", KendallTau().Score(p), (5.0-1)/6)
	p.Weights = []float64{1, 0.5, 0.5, 2}
	near(t, "weighted mae", MAE().Score(p), (0.5+0.5+4)/4)
	constant := learn.Predictions{Truth: []float64{2, 2}, Value: []float64{1, 2}}
	near(t, "r2 of a constant", R2().Score(constant), math.NaN())
	near(t, "kendall of a constant", KendallTau().Score(constant), math.NaN())
	rank := learn.Predictions{Truth: []float64{3, 2, 0}, Value: []float64{1, 2, 3}}
	best := 7 + 3/math.Log2(3)
	near(t, "ndcg", NDCG(0).Score(rank), (3/math.Log2(3)+7/2.0)/best)
	near(t, "ndcg at 1", NDCG(1).Score(rank), 0)
	rank.Groups = []int{1, 1, 2}
	near(t, "ndcg of queries", NDCG(0).Score(rank), (3+7/math.Log2(3))/best)
	near(t, "log density", MeanLogDensity().Score(learn.Predictions{Truth: []float64{0, 0}, LogDensity: []float64{-1, -3}}), -2)
}

func TestClassMetrics(t *testing.T) {
	p := learn.Predictions{
		Truth: []float64{0, 0, 1, 1, 1}, Class: []int{0, 1, 1, 1, 0}, Classes: 2,
		Score: []float64{1, -1, -2, 2, -3, 3, -0.5, 0.5, 0, 0},
		Prob:  []float64{0.9, 0.1, 0.2, 0.8, 0.1, 0.9, 0.4, 0.6, 0.5, 0.5},
	}
	near(t, "accuracy", Accuracy().Score(p), 0.6)
	near(t, "balanced", BalancedAccuracy().Score(p), (0.5+2.0/3)/2)
	near(t, "f1", F1().Score(p), 2*2.0/(3+3))
	// Pairs (0-row, 1-row): scores of 1 -1, 2 against 3, .5, 0.
	near(t, "auc", AUC().Score(p), 4.0/6)
	near(t, "logloss", LogLoss().Score(p), -(math.Log(0.9)+math.Log(0.2)+math.Log(0.9)+math.Log(0.6)+math.Log(0.5))/5)
	near(t, "brier", Brier().Score(p), (0.01+0.64+0.01+0.16+0.25)/5)
	near(t, "auc of one class", AUC().Score(learn.Predictions{Truth: []float64{1, 1}, Classes: 2, Score: make([]float64, 4)}), math.NaN())
	near(t, "auc of ties", AUC().Score(learn.Predictions{Truth: []float64{0, 1}, Classes: 2, Score: make([]float64, 4)}), 0.5)
	three := learn.Predictions{Truth: []float64{0, 1, 2, 2}, Class: []int{0, 1, 1, 2}, Classes: 3}
	near(t, "macro f1", F1().Score(three), (1+2.0/3+2.0/3)/3)
}

func TestMetricByName(t *testing.T) {
	for _, task := range []data.Task{data.Regression, data.Binary, data.Multiclass, data.Unsupervised} {
		for _, m := range Metrics(task) {
			if got, err := MetricByName(m.Name, task); err != nil || got.Name != m.Name {
				t.Errorf("%s: %v", m.Name, err)
			}
		}
	}
	var unknown *MetricError
	_, err := MetricByName("acuracy", data.Binary)
	if !errors.As(err, &unknown) || unknown.Name != "acuracy" || unknown.Task != data.Binary || !slices.Contains(unknown.Known, "accuracy") {
		t.Error("an unknown metric was found")
	}
}
