package tune

import (
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// TestScore is a metric on rows that a model was not fitted on.
type TestScore struct {
	Metric   string  `json:"metric"`
	Value    float64 `json:"value"`
	Baseline float64 // of who knows the targets of the fitted rows and nothing else (learn.Baseline); NaN: not defined
	// 95 % interval over the rows, or over their groups where they have some: Wilson's for shares,
	// bootstrap for others; NaN without one.
	Low, High float64

	by Metric
}

// Judge scores predictions by metrics, leaving out those that are not defined on them. Everything
// that judges a fitted model does it here: the final test of Auto, and a saved model on rows of
// known answers.
func Judge(p learn.Predictions, b learn.Baseline, metrics ...Metric) []TestScore {
	base := b.Predict(p)
	var out []TestScore
	for _, m := range metrics {
		if s := m.Score(p); !math.IsNaN(s) {
			out = append(out, TestScore{Metric: m.Name, Value: s, Baseline: m.Score(base), Low: math.NaN(), High: math.NaN(),
				by: m})
		}
	}
	return out
}

// JudgeWithin is Judge with the 95 % interval of each score over the rows, drawn with the seed where
// it is by bootstrap.
func JudgeWithin(p learn.Predictions, b learn.Baseline, seed uint64, metrics ...Metric) []TestScore {
	out := Judge(p, b, metrics...)
	setIntervals(out, p, nil, seed, func() bool { return false })
	return out
}

// metricsFrom is a metric and then the others of a task.
func metricsFrom(first Metric, task data.Task) []Metric {
	out := []Metric{first}
	for _, m := range Metrics(task) {
		if m.Name != first.Name {
			out = append(out, m)
		}
	}
	return out
}

// baselineCell is what the baseline scores on folds, each by its own fitted rows.
func baselineCell(p learn.Problem[any], folds []data.Fold, m Metric) Cell {
	c := Cell{Candidate: -1, Label: "baseline", Learner: "baseline", Second: math.NaN()}
	for _, f := range folds {
		test := p.Gather(f.Test)
		known := test.Complete(p.ClassCount(), learn.Predictions{Rows: f.Test})
		known.LogDensity = make([]float64, test.Len()) // asked for
		c.Scores = append(c.Scores, m.Score(learn.BaselineOf(p.Gather(f.Train)).Predict(known)))
	}
	c.summarise()
	return c
}

// withRare is metrics and those that tell what is found of one class.
func withRare(metrics []Metric) []Metric {
	for _, m := range []Metric{AveragePrecision(), Recall(), Precision()} {
		if !slices.ContainsFunc(metrics, func(o Metric) bool { return o.Name == m.Name }) {
			metrics = append(metrics, m)
		}
	}
	return metrics
}

// withGrades is metrics and those of classes that are grades in their order.
func withGrades(metrics []Metric) []Metric {
	for _, m := range []Metric{GradeError(), Kappa(), RankedProbability()} {
		if !slices.ContainsFunc(metrics, func(o Metric) bool { return o.Name == m.Name }) {
			metrics = append(metrics, m)
		}
	}
	return metrics
}
