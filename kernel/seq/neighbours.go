package seq

import "math"

// neighbours calls found with each run b of letters (numbers from 0) whose cost Σᵢ cost[i][bᵢ] is
// below limit. A branch ends as soon as the cheapest letters at the places left cannot keep it
// below. Costs may be +Inf.
func neighbours(cost [][]float64, limit float64, found func(b []byte)) {
	k := len(cost)
	rest := make([]float64, k+1) // least cost of the places from i on
	for i := k - 1; i >= 0; i-- {
		least := math.Inf(1)
		for _, c := range cost[i] {
			least = min(least, c)
		}
		rest[i] = rest[i+1] + least
	}
	b := make([]byte, k)
	var walk func(i int, spent float64)
	walk = func(i int, spent float64) {
		if i == k {
			if spent < limit {
				found(b)
			}
			return
		}
		for letter, c := range cost[i] {
			if spent+c+rest[i+1] < limit {
				b[i] = byte(letter)
				walk(i+1, spent+c)
			}
		}
	}
	walk(0, 0)
}

// surprise is -log p, +Inf at 0.
func surprise(p float64) float64 {
	if p == 0 {
		return math.Inf(1)
	}
	return -math.Log(p)
}
