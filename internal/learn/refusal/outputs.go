// Package refusal says what a learner was given and does not heed.
package refusal

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// OutputsError is a learner that was given the kernel of the outputs and does not heed it.
type OutputsError struct {
	Learner string
	Can     []string // learners that do
}

func (e *OutputsError) Error() string {
	return fmt.Sprintf("%s learns each target by itself, and the kernel of the outputs is given; %s heed it", e.Learner,
		strings.Join(e.Can, " and "))
}

// mostPairs is how many pairs of targets a text names.
const mostPairs = 6

// CorrelationsText is the correlations of a covariance of outputs as a report names them, outputs
// being counted from 1.
func CorrelationsText(b *mat.SymDense) string {
	var pairs []string
	for t := range b.SymmetricDim() {
		for u := t + 1; u < b.SymmetricDim(); u++ {
			if v := b.At(t, t) * b.At(u, u); v > 0 {
				pairs = append(pairs, fmt.Sprintf("%d–%d %.2f", t+1, u+1, b.At(t, u)/math.Sqrt(v)))
			}
		}
	}
	if len(pairs) > mostPairs {
		pairs = append(pairs[:mostPairs], "…")
	}
	return strings.Join(pairs, ", ")
}
