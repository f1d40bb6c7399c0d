package tune

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
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
	near(t, "log density", MeanLogDensity().Score(learn.Predictions{Truth: []float64{0, 0},
		LogDensity: []float64{-1, -3}}), -2)
}

// Rows of equal prediction are in no order: the gain is the mean over all of theirs, and the order
// of the file says nothing. Relevance below 0 gains nothing.
func TestNDCGOfTies(t *testing.T) {
	truth := []float64{3, 2, 2, 1, 0}
	for _, top := range []int{0, 1, 2, 3} {
		for _, value := range [][]float64{{1, 1, 1, 1, 1}, {2, 2, 1, 1, 1}, {0, 1, 1, 3, 3}, {5, 4, 3, 2, 1}} {
			sum, count := 0.0, 0.0
			orders(len(truth), func(order []int) {
				places := slices.Clone(order) // a tie is broken by the place in a random order
				slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(value[b], value[a]) })
				for place, i := range places {
					if top == 0 || place < top {
						sum += (math.Exp2(truth[i]) - 1) / math.Log2(float64(place)+2)
					}
				}
				count++
			})
			best := 0.0
			for place, rel := range truth {
				if top == 0 || place < top {
					best += (math.Exp2(rel) - 1) / math.Log2(float64(place)+2)
				}
			}
			near(t, fmt.Sprintf("ndcg at %d of %v", top, value), NDCG(top).Score(learn.Predictions{Truth: truth, Value: value}),
				sum/count/best)
		}
	}
	near(t, "ndcg below 0", NDCG(0).Score(learn.Predictions{Truth: []float64{1, -1}, Value: []float64{1, 2}}), math.NaN())
	near(t, "ndcg of nothing", NDCG(0).Score(learn.Predictions{Value: []float64{}}), math.NaN())
}

// orders calls f with every order of n things.
func orders(n int, f func([]int)) {
	order := make([]int, n)
	var place func(i int, free []int)
	place = func(i int, free []int) {
		if i == n {
			f(order)
			return
		}
		for k, v := range free {
			order[i] = v
			place(i+1, slices.Delete(slices.Clone(free), k, k+1))
		}
	}
	place(0, par.Indices(0, n))
}

func TestClassMetrics(t *testing.T) {
	p := learn.Predictions{
		Truth: []float64{0, 0, 1, 1, 1}, Class: []int{0, 1, 1, 1, 0}, Classes: 2, Positive: 1,
		Score: []float64{1, -1, -2, 2, -3, 3, -0.5, 0.5, 0, 0},
		Prob:  []float64{0.9, 0.1, 0.2, 0.8, 0.1, 0.9, 0.4, 0.6, 0.5, 0.5},
	}
	near(t, "accuracy", Accuracy().Score(p), 0.6)
	near(t, "balanced", BalancedAccuracy().Score(p), (0.5+2.0/3)/2)
	near(t, "f1", F1().Score(p), 2*2.0/(3+3))
	near(t, "f1 of the other class", F1().Score(learn.Predictions{Truth: p.Truth, Class: p.Class, Classes: 2}),
		2*1.0/(2+2))
	near(t, "f1 of no class", F1().Score(learn.Predictions{Truth: p.Truth, Class: p.Class, Classes: 2, Positive: -1}),
		math.NaN())
	// Pairs (0-row, 1-row): probabilities of 1 .1, .8 against .9, .6, .5.
	near(t, "auc", AUC().Score(p), 4.0/6)
	bare := p
	bare.Prob = nil
	near(t, "auc by scores", AUC().Score(bare), 4.0/6)
	near(t, "logloss", LogLoss().Score(p), -(math.Log(0.9)+math.Log(0.2)+math.Log(0.9)+math.Log(0.6)+math.Log(0.5))/5)
	near(t, "brier", Brier().Score(p), (0.01+0.64+0.01+0.16+0.25)/5)
	near(t, "auc of one class", AUC().Score(learn.Predictions{Truth: []float64{1, 1}, Classes: 2,
		Score: make([]float64, 4)}), math.NaN())
	near(t, "auc of ties", AUC().Score(learn.Predictions{Truth: []float64{0, 1}, Classes: 2, Score: make([]float64, 4)}),
		0.5)
	three := learn.Predictions{Truth: []float64{0, 1, 2, 2}, Class: []int{0, 1, 1, 2}, Classes: 3}
	near(t, "macro f1", MacroF1().Score(three), (1+2.0/3+2.0/3)/3)
	near(t, "micro f1", MicroF1().Score(three), Accuracy().Score(three))
}

// The AUC of more than two classes ranks rows by the odds of a class, as a double loop over the
// pairs does. Scores of each class against the rest cannot be compared between rows: a row's scores
// may all be larger than another's.
func TestAUCOfManyClasses(t *testing.T) {
	p := learn.Predictions{
		Truth: []float64{0, 1, 2, 0, 1, 2}, Class: []int{0, 1, 2, 0, 1, 2}, Classes: 3,
		Prob:  []float64{.5, .2, .3, .2, .5, .3, .1, .1, .8, .4, .3, .3, .45, .5, .05, .2, .2, .6},
		Score: []float64{-5, -6, -5.5, 3, 4, 3.5, 0, 0, 9, 1, 0, 0, 7, 8, 6, -9, -9, -8},
	}
	want := 0.0
	for c := range 3 {
		wins, pairs := 0.0, 0.0
		for i, a := range p.Truth {
			for j, b := range p.Truth {
				if int(a) == c && int(b) != c {
					pairs++
					x, y := p.Prob[3*i+c], p.Prob[3*j+c]
					wins += indicator(x > y) + indicator(x == y)/2
				}
			}
		}
		want += wins / pairs / 3
	}
	near(t, "auc", AUC().Score(p), want)
	p.Prob = nil
	near(t, "auc without probabilities", AUC().Score(p), math.NaN())
	// Probabilities that rounding has made 1 are told apart by those of the other class.
	sure := learn.Predictions{Truth: []float64{0, 1}, Classes: 2, Prob: []float64{1e-18, 1, 1e-20, 1}}
	near(t, "auc of certainties", AUC().Score(sure), 1)
}

// Errors whose squares leave the range of float64: the scores are those of the same problem in
// other units.
func TestMetricsOfTinyAndHugeTargets(t *testing.T) {
	p := learn.Predictions{Truth: []float64{1, 2, 3, 4}, Value: []float64{1, 3, 2, 6}, Weights: []float64{1, 0.5, 0.5, 2}}
	for _, unit := range []float64{1e-300, 1e-170, 1, 1e160, 2e307} {
		q := p
		q.Truth, q.Value = nil, nil
		for i := range p.Truth {
			q.Truth, q.Value = append(q.Truth, unit*p.Truth[i]), append(q.Value, unit*p.Value[i])
		}
		near(t, "rmse", RMSE().Score(q)/unit, RMSE().Score(p))
		near(t, "mae", MAE().Score(q)/unit, MAE().Score(p))
		near(t, "r2", R2().Score(q), R2().Score(p))
		near(t, "deviation", learn.Problem[int]{Task: data.Regression, Y: q.Truth}.Deviation()/unit, math.Sqrt(1.25))
		c := Cell{Scores: []float64{unit, 2 * unit, 4 * unit}}
		c.summarise()
		near(t, "mean of the folds", c.Mean/unit, 7.0/3)
		near(t, "its standard error", c.SE/unit, math.Sqrt(7.0/3/3))
	}
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
	if !errors.As(err, &unknown) || unknown.Name != "acuracy" || unknown.Task != data.Binary ||
		!slices.Contains(unknown.Known, "accuracy") {
		t.Error("an unknown metric was found")
	}
}
