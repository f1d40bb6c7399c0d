package tune

import (
	"fmt"
	"math"
	"slices"
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
	Ranks     bool // uses Predictions.Ranking, which of more than two classes needs probabilities
	// Score is the metric on one fold. NaN says that it is not defined there.
	Score func(p learn.Predictions) float64

	share func(p learn.Predictions) (part, all int) // of rows that each count once; nil: it is none
}

// forClasses is the metric as a search of so many classes has to serve it.
func (m Metric) forClasses(k int) Metric {
	m.NeedsProb = m.NeedsProb || m.Ranks && k > 2
	return m
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

// Metrics lists the metrics that go with a task, the default first. Those that are not defined on
// predictions (F1 of more than two classes of which none is called positive, densities of a machine
// that has none) have the score NaN.
func Metrics(task data.Task) []Metric {
	switch task {
	case data.Regression:
		return []Metric{RMSE(), MAE(), R2(), KendallTau(), NDCG(0), MeanLogDensity()}
	case data.Binary:
		return []Metric{Accuracy(), AUC(), LogLoss(), Brier(), F1(), BalancedAccuracy()}
	case data.Multiclass:
		return []Metric{Accuracy(), BalancedAccuracy(), MacroF1(), F1(), LogLoss(), Brier(), AUC()}
	}
	return []Metric{MeanLogDensity()}
}

// byName is metrics of a task that say nothing that those of Metrics do not: they are there for who
// asks for them.
func byName(task data.Task) []Metric {
	if !task.Classification() {
		return nil
	}
	return []Metric{MacroF1(), MicroF1(), AveragePrecision(), GradeError(), Kappa(), RankedProbability()}
}

// MetricByName finds a metric of a task: one of Metrics or, for classes, f1-macro, f1-micro,
// average-precision, and of grades grade-mae, kappa and rps.
func MetricByName(name string, task data.Task) (Metric, error) {
	for _, m := range append(Metrics(task), byName(task)...) {
		if m.Name == name {
			return m, nil
		}
	}
	return Metric{}, fault.In("tune", &MetricError{name, task, MetricNames(task)})
}

// MetricNames lists the names that MetricByName knows.
func MetricNames(task data.Task) (names []string) {
	for _, m := range append(Metrics(task), byName(task)...) {
		if !slices.Contains(names, m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
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

// weightOf is the weight of a row.
func weightOf(p learn.Predictions, i int) float64 {
	if p.Weights == nil {
		return 1
	}
	return p.Weights[i]
}

// weightedMean is Σ wᵢ vᵢ / Σ wᵢ of a function of the row.
func weightedMean(p learn.Predictions, v func(i int) float64) float64 {
	sum, total := 0.0, 0.0
	for i := range max(len(p.Truth), len(p.LogDensity)) { // densities have no truth
		w := weightOf(p, i)
		sum += w * v(i)
		total += w
	}
	return sum / total
}
