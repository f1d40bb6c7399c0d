package fitting

import "math"

// VoteOneVsOne returns the class with most votes given the decision values of
// all pairs in the order of Tasks. A tie goes to the class whose pairwise
// decision values sum highest, then to the smallest code. votes and sums are
// scratch of length k.
func VoteOneVsOne(decision []float64, k int, votes []int, sums []float64) int {
	if k == 2 {
		if decision[0] > 0 {
			return 1
		}
		return 0
	}
	clear(votes[:k])
	clear(sums[:k])
	p := 0
	for a := range k {
		for b := a + 1; b < k; b++ {
			d := decision[p]
			p++
			sums[a] += d
			sums[b] -= d
			if d > 0 {
				votes[a]++
			} else {
				votes[b]++
			}
		}
	}
	best := 0
	for c := 1; c < k; c++ {
		if votes[c] > votes[best] || votes[c] == votes[best] && sums[c] > sums[best] {
			best = c
		}
	}
	return best
}

// VoteScores is a score for each class of the decision values of all pairs of classes: the votes,
// and less than one more by the sums of the decision values, which settle ties as VoteOneVsOne
// does.
func VoteScores(score, decision []float64) {
	k := len(score)
	votes, sums := make([]int, k), make([]float64, k)
	VoteOneVsOne(decision, k, votes, sums)
	largest := 0.0
	for _, v := range sums {
		largest = math.Max(largest, math.Abs(v))
	}
	for c := range score {
		score[c] = float64(votes[c]) + sums[c]/(1e-12+3*float64(k)*largest)
	}
}
