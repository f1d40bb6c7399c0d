package fitting

import "testing"

func TestVotesBreakTiesByDecision(t *testing.T) {
	// 0 beats 1, 1 beats 2, 2 beats 0: one vote each; 2 wins by the widest margin.
	votes, sums := make([]int, 3), make([]float64, 3)
	if c := VoteOneVsOne([]float64{0.1, -2, 0.5}, 3, votes, sums); c != 2 {
		t.Errorf("class %d", c)
	}
	if c := VoteOneVsOne([]float64{0.1}, 2, votes, sums); c != 1 {
		t.Errorf("two classes: %d", c)
	}
}
