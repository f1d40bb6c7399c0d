package tune

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// A budget too short for one group on all rows gives a model judged on fewer,
// with a warning, instead of an error.
func TestNoTimeForAllRows(t *testing.T) {
	for _, l := range []string{"ridge", "svm"} {
		s := simple(l, data.Binary)
		s.Problem = toy(3000, data.Binary, 2)
		s.Budget = 400 * time.Millisecond
		late := s.Budget / 2
		s.Metric = Metrics(data.Binary)[0]
		score := s.Metric.Score
		// A measure that takes long on many rows stands for a slow machine.
		s.Metric.Score = func(p learn.Predictions) float64 {
			if len(p.Rows) > 200 {
				time.Sleep(late)
			}
			return score(p)
		}
		r, err := s.Run(context.Background())
		if err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		if r.judged >= 3000 || len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0], "all 3000 rows") || !r.Interrupted {
			t.Errorf("%s: judged on %d rows, interrupted %v, warnings %q", l, r.judged, r.Interrupted, r.Warnings)
		}
		if r.Model == nil || r.Best.Mean < 0.5 {
			t.Errorf("%s: model %v, best %v", l, r.Model, r.Best)
		}
		for _, f := range r.Folds {
			for _, i := range f.Test {
				if i < 0 || i >= 3000 {
					t.Fatalf("%s: a fold has row %d", l, i)
				}
			}
			if len(f.Train)+len(f.Test) != r.judged {
				t.Errorf("%s: a fold of %d rows, %d judged", l, len(f.Train)+len(f.Test), r.judged)
			}
		}
	}
}
