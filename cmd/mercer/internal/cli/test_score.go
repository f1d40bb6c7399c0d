package cli

import (
	"fmt"
	"math"

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

// orNull is a number as JSON has it: NaN becomes null.
func orNull(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}
