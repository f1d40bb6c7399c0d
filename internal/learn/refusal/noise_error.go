package refusal

import (
	"fmt"
	"strings"
)

// NoiseError is a learner that was given the noise of each row and does not heed it.
type NoiseError struct {
	Learner string
	Can     []string // learners that do
}

func (e *NoiseError) Error() string {
	return fmt.Sprintf("%s does not heed the noise of each row; %s does. Weights, which are in inverse proportion to "+
		"the noise, are heeded by all", e.Learner, strings.Join(e.Can, ", "))
}
