package tune

import (
	"fmt"
	"time"
)

// TooShort is the error of a time budget in which no model can be had.
type TooShort struct {
	Budget time.Duration
	Least  time.Duration // that would do, as far as was seen
	Why    string
}

func (e *TooShort) Error() string {
	return fmt.Sprintf("a time budget of %v is too short: %s; give %v or more", e.Budget, e.Why, e.Least)
}

// tooShort is the error after so much of the budget was spent on what every search has to do first:
// as much again by half, and a second for a model, would do.
func tooShort(budget, spent time.Duration, why string) error {
	return &TooShort{Budget: budget, Why: why, Least: (spent*3/2 + 2*time.Second).Truncate(time.Second)}
}
