package cli

import (
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// rareResult is 100 held-out rows, of which the first four are "yes": two are found, and one "no"
// is named "yes".
func rareResult() *tune.AutoResult {
	p := learn.Predictions{Classes: 2}
	for i := range 100 {
		truth, class, prob := 0.0, 0, 0.01*float64(i%7)
		switch i {
		case 0, 1:
			truth, class, prob = 1, 1, 0.9-0.1*float64(i)
		case 2, 3:
			truth, prob = 1, 0.4-0.1*float64(i)
		case 4:
			class, prob = 1, 0.85
		}
		p.Truth, p.Class, p.Prob = append(p.Truth, truth), append(p.Class, class), append(p.Prob, 1-prob, prob)
	}
	return &tune.AutoResult{Classes: []string{"no", "yes"}, Positive: "yes", TestPredictions: p,
		Metric: tune.Metric{Name: "accuracy", Maximize: true},
		Test: []tune.TestScore{{Metric: "accuracy", Value: 0.97, Baseline: 0.96, Low: 0.915, High: 0.99},
			{Metric: "recall", Value: 0.5, Low: 0.15, High: 0.85},
			{Metric: "precision", Value: 2.0 / 3, Low: 0.208, High: 0.939}}}
}

// A report of a rare class opens with what is found of it and what a finding is worth, not with the
// share of all rows.
func TestRareClassOpensTheReport(t *testing.T) {
	r := rareResult()
	if got, want := answerOf(r,
		"fraud"),
		`Finds 2 of the 4 rows "yes" that it never saw (50 %, 95% interval 15 % to 85 %); of 3 that it names 2 are right (67 %, 95% interval 21 % to 94 %).`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var p reportPage
	p.target, p.ModelFile = "fraud", "m.mercer"
	if err := p.rare(r, 1); err != nil {
		t.Fatal(err)
	}
	if len(p.Figures) != 1 || p.Figures[0].Title != "Precision and recall" {
		t.Fatalf("%d figures", len(p.Figures))
	}
	// By hand: probabilities 0.9 (yes), 0.85 (no), 0.8 (yes), 0.2 and 0.1 (yes) and all others
	// below.
	want := []reportThreshold{{Score: "0.800", Named: "3", Found: "2 of 4", Right: "50 %", Precision: "67 %", Cost: "3"},
		{Score: "0.100", Named: "5", Found: "4 of 4", Right: "100 %", Precision: "80 %", Cost: "1"}}
	if len(p.Thresholds) != len(want) {
		t.Fatalf("%+v", p.Thresholds)
	}
	for i := range want {
		if p.Thresholds[i] != want[i] {
			t.Errorf("threshold %d is %+v, want %+v", i, p.Thresholds[i], want[i])
		}
	}
	p.next(r, "fraud.csv")
	if len(p.Next) == 0 || p.Next[0].Command != "mercer fit fraud.csv --target fraud --class-weight balanced --metric f1" {
		t.Errorf("next: %+v", p.Next)
	}
	// With a threshold it stands in the table, marked, with what it costs, and the next thing to do
	// is to say what a miss costs.
	r.Threshold = &model.Threshold{Class: "yes", At: 0.15, Costs: map[string]float64{"yes": 9}, Why: "a test"}
	p = reportPage{target: "fraud", ModelFile: "m.mercer"}
	if err := p.rare(r, 1); err != nil {
		t.Fatal(err)
	}
	if got, want := p.Thresholds[1], (reportThreshold{Chosen: true, Score: "0.150", Named: "4", Found: "3 of 4",
		Right: "75 %", Precision: "75 %", Cost: "10"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if p.next(r, "fraud.csv"); p.Next[0].Command != "mercer threshold m.mercer labelled.csv --costs yes=50" ||
		!strings.Contains(p.ThresholdNote, `"yes" is named from a probability of 0.15 on (a test)`) {
		t.Errorf("next %+v, note %q", p.Next, p.ThresholdNote)
	}
	r.Threshold = nil
	// Half of the rows: nothing is rare, and the share of rows is what counts.
	for i := range r.TestPredictions.Truth {
		r.TestPredictions.Truth[i] = float64(i % 2)
	}
	if rareClass(r) >= 0 || !strings.HasPrefix(answerOf(r, "fraud"), "Tells fraud right for") {
		t.Errorf("%q", answerOf(r, "fraud"))
	}
}

// Average precision by hand: hits at places 1, 3, 4 and 5 of the order are (1 + 2/3 + 3/4 + 4/5)/4.
func TestPrecisionCurve(t *testing.T) {
	p := rareResult().TestPredictions
	score := make([]float64, 100)
	for i := range score {
		score[i] = p.Prob[2*i+1]
	}
	s, area := precisionCurve(descend(score, p.Truth, 1), 4)
	if want := (1 + 2.0/3 + 3.0/4 + 4.0/5) / 4; math.Abs(area-want) > 1e-12 {
		t.Errorf("average precision %g, want %g", area, want)
	}
	if last := len(s.X) - 1; s.X[0] != 0 || s.X[last] != 1 || math.Abs(s.Y[last]-0.04) > 1e-12 {
		t.Errorf("the curve goes from (%g, %g) to (%g, %g)", s.X[0], s.Y[0], s.X[last], s.Y[last])
	}
	if _, area := precisionCurve(descend([]float64{1, 1, 1, 1}, []float64{1, 0, 0, 0}, 1), 1); area != 0.25 {
		t.Errorf("with equal scores %g", area)
	}
}

// Numbers of a page have few digits, counts and versions have theirs.
func TestShortNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"gaussian(lengthscale=[0.28938197420988515, 6.600704493517833])": "gaussian(lengthscale=[0.2894, 6.601])",
		"C=4.832e+04, rows 12345678":                                     "C=4.832e+04, rows 12345678",
		"1.2345678e-07":                                                  "1.235e-07", "0.0003162": "0.0003162",
		"v0.1.0-dev": "v0.1.0-dev",
		"on(gaussian(lengthscale=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12.5]), columns=[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, " +
			"10, 11, 12])": "on(gaussian(lengthscale=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12.5]), columns=[0, 1, 2, …, 12: " +
			"13 numbers])",
	} {
		if got := shortNumbers(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// A score of one fold has no standard error, and none is claimed.
func TestSpreadOfOneFold(t *testing.T) {
	for _, c := range []struct {
		se    float64
		folds int
		want  string
	}{{math.NaN(), 1, " on one fold"}, {0.02, 5, " ± 0.020 over 5 folds"}, {math.NaN(), 3, " over 3 folds"}} {
		if got := spreadText(c.se, c.folds); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// The score stands beside the baseline in a picture; without a baseline there is none.
func TestScoreStrip(t *testing.T) {
	r := rareResult()
	if got := string(scoreStrip(r.Test[0], "accuracy")); !strings.Contains(got, "model 0.970") ||
		!strings.Contains(got, "baseline 0.960") || strings.Contains(got, "NaN") {
		t.Error(got)
	}
	for _, s := range []tune.TestScore{{Value: 1, Baseline: math.NaN()},
		{Value: 0.5, Baseline: 0.5, Low: math.NaN(), High: math.NaN()}} {
		if got := scoreStrip(s, "kendall"); got != "" {
			t.Errorf("%+v: %s", s, got)
		}
	}
}

// What is one value is no picture.
func TestAllSame(t *testing.T) {
	if same, v := allSame([]plot.Series{{Y: []float64{1, 1}}, {Y: []float64{1}}}); !same || v != 1 {
		t.Error("ones")
	}
	if same, _ := allSame([]plot.Series{{Y: []float64{1, 1}}, {Y: []float64{0.5}}}); same {
		t.Error("one and a half")
	}
}
