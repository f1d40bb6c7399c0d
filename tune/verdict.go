package tune

import "math"

// Verdict is how a test score stands beside the score of a baseline that learnt nothing from the
// features.
type Verdict int

const (
	// Level: what lies between them may be chance.
	Level Verdict = iota
	// Better: the whole 95 % interval of the score is better than the baseline.
	Better
	// Worse: the whole interval is worse.
	Worse
)

// Against compares a test score with a baseline's on the same rows. A score without an interval is
// compared by itself.
func (t TestScore) Against(baseline float64, by Metric) Verdict {
	low, high := t.Low, t.High
	if math.IsNaN(low) || math.IsNaN(high) {
		low, high = t.Value, t.Value
	}
	worst, best := low, high
	if !by.Maximize {
		worst, best = high, low
	}
	switch {
	case math.IsNaN(baseline) || math.IsNaN(t.Value):
		return Level
	case by.better(worst, baseline):
		return Better
	case by.better(baseline, best):
		return Worse
	}
	return Level
}
