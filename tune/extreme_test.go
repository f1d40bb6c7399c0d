package tune

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
)

// A target in other units is learnt as well: the scores are in those units, and no model is called
// perfect because the squares of its errors are 0. Learners that cannot do it are left out with a
// word; what none can is refused before work starts.
func TestTargetsOfAnySize(t *testing.T) {
	run := func(unit float64, o AutoOptions) (*AutoResult, error) {
		d := learningSet(60, data.Regression)
		y := d.Columns[3].Numbers
		for i := range y {
			y[i] *= unit
		}
		o.Strategy, o.Folds, o.Budget = Random{Cells: 3}, 2, time.Hour
		return Auto(context.Background(), d, o)
	}
	plain, err := run(1, AutoOptions{Learners: []string{"ridge"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, unit := range []float64{0x1p-560, 0x1p-400, 0x1p400, 0x1p480} { // exact
		r, err := run(unit, AutoOptions{Learners: []string{"ridge", "svm", "gp"}})
		if err != nil {
			t.Fatal(unit, err)
		}
		if why := strings.Join(r.Why, "\n"); !strings.Contains(why, "svm is left out") ||
			!strings.Contains(why, "gp is left out") {
			t.Errorf("%g: %s", unit, why)
		}
		for i, s := range r.Test {
			want := plain.Test[i].Value
			if s.Metric == "rmse" || s.Metric == "mae" {
				want *= unit
			}
			if !(math.Abs(s.Value-want) <= 1e-6*math.Abs(want)) {
				t.Errorf("%g: %s %g, want %g", unit, s.Metric, s.Value, want)
			}
		}
		if !(math.Abs(r.Chosen.SE/unit-plain.Chosen.SE) <= 1e-6*plain.Chosen.SE) || !(r.Chosen.SE > 0) {
			t.Errorf("%g: standard error %g", unit, r.Chosen.SE)
		}
		if _, err := run(unit, AutoOptions{Learners: []string{"svm"}}); err == nil ||
			!strings.Contains(err.Error(), "multiply the column") {
			t.Error(err)
		}
	}
	if _, err := run(1e200, AutoOptions{}); err == nil || !strings.Contains(err.Error(), "too large to compute with") {
		t.Error(err)
	}
}
