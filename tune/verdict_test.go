package tune

import (
	"math"
	"testing"
)

func TestAgainst(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		metric           Metric
		value, low, high float64
		baseline         float64
		want             Verdict
	}{
		{Accuracy(), 0.42, 0.38, 0.46, 0.60, Worse},
		{Accuracy(), 0.58, 0.50, 0.65, 0.60, Level},
		{Accuracy(), 0.62, 0.59, 0.65, 0.60, Level},
		{Accuracy(), 0.90, 0.87, 0.93, 0.60, Better},
		{RMSE(), 5, 4, 6, 3, Worse},
		{RMSE(), 5, 4, 6, 4.5, Level},
		{RMSE(), 5, 4, 6, 7, Better},
		{Accuracy(), 0.5, nan, nan, 0.6, Worse},
		{Accuracy(), 0.6, nan, nan, 0.6, Level},
		{RMSE(), 5, nan, nan, 6, Better},
		{RMSE(), nan, nan, nan, 6, Level},
		{RMSE(), 5, 4, 6, nan, Level},
	} {
		if got := (TestScore{Metric: c.metric.Name, Value: c.value, Low: c.low, High: c.high}).Against(c.baseline,
			c.metric); got != c.want {
			t.Errorf("%s %g (%g to %g) against %g: %v, want %v", c.metric.Name, c.value, c.low, c.high, c.baseline, got, c.want)
		}
	}
}
