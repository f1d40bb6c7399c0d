package shapley

import "math/bits"

// MostPlayers is of how many players Subsets takes games.
const MostPlayers = 20

// Subsets is the definition: value has v(S) of each set of d players, S as the bits of its place.
func Subsets(d int, value []float64) []float64 {
	share := make([]float64, d)
	weight := make([]float64, d) // |S|!(d-|S|-1)!/d! = 1/(d·C(d-1, |S|))
	choose := 1.0
	for s := range weight {
		weight[s] = 1 / (float64(d) * choose)
		choose *= float64(d-1-s) / float64(s+1)
	}
	for set := range value {
		for j := range share {
			if set>>j&1 == 0 {
				share[j] += weight[bits.OnesCount(uint(set))] * (value[set|1<<j] - value[set])
			}
		}
	}
	return share
}
