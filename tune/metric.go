package tune

import (
	"fmt"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/learn"
)

// Metric judges predictions. One's own metric is a value of this type.
type Metric struct {
	Name      string
	Maximize  bool // larger is better
	NeedsProb bool // uses Predictions.Prob
	// Score is the metric on one fold. NaN says that it is not defined there.
	Score func(p learn.Predictions) float64
}

// better says whether a is better than b; NaN is worse than anything.
func (m Metric) better(a, b float64) bool {
	switch {
	case math.IsNaN(a):
		return false
	case math.IsNaN(b):
		return true
	case m.Maximize:
		return a > b
	}
	return a < b
}

// Metrics lists the metrics that go with a task, the default first.
func Metrics(task data.Task) []Metric {
	switch task {
	case data.Regression:
		return []Metric{RMSE(), MAE(), R2(), KendallTau(), NDCG(0), MeanLogDensity()}
	case data.Binary:
		return []Metric{Accuracy(), AUC(), LogLoss(), Brier(), F1(), BalancedAccuracy()}
	case data.Multiclass:
		return []Metric{Accuracy(), BalancedAccuracy(), F1(), LogLoss(), Brier(), AUC()}
	}
	return []Metric{MeanLogDensity()}
}

// MetricByName finds a metric of a task.
func MetricByName(name string, task data.Task) (Metric, error) {
	var names []string
	for _, m := range Metrics(task) {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Metric{}, fault.In("tune", &MetricError{name, task, names})
}

// MetricError is the name of no metric that goes with a task.
type MetricError struct {
	Name  string
	Task  data.Task
	Known []string // those that do
}

// Error says which metrics there are.
func (e *MetricError) Error() string {
	return fmt.Sprintf("no metric %q for %v (there are: %s)", e.Name, e.Task, strings.Join(e.Known, ", "))
}

// weightedMean is Σ wᵢ vᵢ / Σ wᵢ of a function of the row.
func weightedMean(p learn.Predictions, v func(i int) float64) float64 {
	sum, total := 0.0, 0.0
	for i := range max(len(p.Truth), len(p.LogDensity)) { // densities have no truth
		w := 1.0
		if p.Weights != nil {
			w = p.Weights[i]
		}
		sum += w * v(i)
		total += w
	}
	return sum / total
}
