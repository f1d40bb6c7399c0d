package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/tune"
)

// A model that is worse than the baseline by more than chance ends the command with a code of its
// own.
func TestWorseThanBaselineExits(t *testing.T) {
	found := func(low, high float64) *tune.AutoResult {
		return &tune.AutoResult{Metric: tune.Accuracy(), Classes: []string{"no", "yes"},
			Baseline: learn.Baseline{Shares: []float64{0.6, 0.4}},
			Test:     []tune.TestScore{{Metric: "accuracy", Value: 0.42, Low: low, High: high, Baseline: 0.6}}}
	}
	err := worseThanBaseline(found(0.38, 0.46), "m.mercer")
	var out bytes.Buffer
	if code := (&App{Err: &out}).exit(err); code != exitWorse ||
		!strings.HasPrefix(out.String(),
			"m.mercer is worse than no model: accuracy 0.420 on the rows held out, where the baseline has 0.600") {
		t.Errorf("exit code %d, %q", code, out.String())
	}
	if err := worseThanBaseline(found(0.2, 0.7), "m.mercer"); err != nil {
		t.Errorf("within chance: %v", err)
	}
	if err := worseThanBaseline(&tune.AutoResult{}, "m.mercer"); err != nil {
		t.Errorf("no rows held out: %v", err)
	}
	if code := (&App{Err: &out}).exit(errors.New("no")); code != exitFailure {
		t.Errorf("another error: %d", code)
	}
}
