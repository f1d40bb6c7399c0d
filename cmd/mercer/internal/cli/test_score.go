package cli

import (
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/tune"
)

// scoreText is a score on the rows held out with its interval and what else there
// is to say in brackets. A search that was stopped has no time for the intervals of most metrics.
func scoreText(t tune.TestScore, more string) string {
	text := number(t.Value)
	if !math.IsNaN(t.Low) {
		inBrackets := fmt.Sprintf("95%% interval %s–%s", number(t.Low), number(t.High))
		if more != "" {
			inBrackets += ", " + more
		}
		return text + " (" + inBrackets + ")"
	}
	if more != "" {
		return text + " (" + more + ")"
	}
	return text
}

// testedRows says how many rows a model was tested on, and what its intervals count where that is
// not rows.
func testedRows(r *tune.AutoResult) string {
	text := judgedRows(r.TestPredictions)
	if r.TestPredictions.Groups == nil && r.TestUnits != nil {
		text += fmt.Sprintf(" in %d stretches of time", 1+slices.Max(r.TestUnits))
	}
	return text
}

// judgedRows says how many rows a model was judged by, and of how many groups.
func judgedRows(p learn.Predictions) string {
	text := phrase.Thousands(len(p.Truth)) + " rows"
	if p.Groups == nil {
		return text
	}
	groups := map[int]bool{}
	for _, g := range p.Groups {
		groups[g] = true
	}
	return text + " of " + plural(len(groups), "group")
}

// orNull is a number as JSON has it: NaN becomes null.
func orNull(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}
