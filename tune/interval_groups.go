package tune

import (
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/stat/distuv"
)

// groupRows is the rows of each group, in the order in which the groups appear; nil where there are
// no groups, or one alone, of which nothing can be told.
func groupRows(groups []int) [][]int {
	at := map[int]int{}
	var rows [][]int
	for i, g := range groups {
		if _, ok := at[g]; !ok {
			at[g], rows = len(rows), append(rows, nil)
		}
		rows[at[g]] = append(rows[at[g]], i)
	}
	if len(rows) < 2 {
		return nil
	}
	return rows
}

// timeStretches is into how many stretches rows in the order of time are cut for intervals: batch
// means, of which ten are enough for an interval and leave each as long as can be (B. Schmeiser,
// Operations Research 30, 1982). fewestInStretch rows in each are the least.
const timeStretches, fewestInStretch = 10, 4

// stretches is the stretch of time that each row is in, the same number of rows in all; nil where
// there are too few.
func stretches(times []float64) []int {
	n := len(times)
	if n < timeStretches*fewestInStretch {
		return nil
	}
	out := make([]int, n)
	for place, row := range ascending(times) {
		out[row] = place * timeStretches / n
	}
	return out
}

// groupedSize is how many rows of their own would tell the share of right ones as well as these
// rows of groups do (E. Korn and B. Graubard, Survey Methodology 24, 1998): the variance of rows
// over that of groups,
//
//	var = G/(G−1)·Σ_g (Σ_{i∈g} (cᵢ − c̄))²/n²,
//
// made smaller as Student's quantile of G − 1 degrees of freedom is wider than the normal one. It
// is no more than n, and no less than n²/Σ n_g², what is left where the rows of a group are all
// alike, which is also what is taken where all rows are right, or all wrong, and say nothing of it.
func groupedSize(p learn.Predictions, groups [][]int) float64 {
	n := float64(len(p.Truth))
	right := func(i int) float64 {
		if p.Class[i] == int(p.Truth[i]) {
			return 1
		}
		return 0
	}
	share, squares := 0.0, 0.0
	for _, rows := range groups {
		for _, i := range rows {
			share += right(i) / n
		}
		squares += float64(len(rows)) * float64(len(rows))
	}
	variance, count := 0.0, float64(len(groups))
	for _, rows := range groups {
		off := 0.0
		for _, i := range rows {
			off += right(i) - share
		}
		variance += count / (count - 1) * off * off / (n * n)
	}
	least := n * n / squares
	size := least
	if variance > 0 && share > 0 && share < 1 {
		size = min(max(share*(1-share)/variance, least), n)
	}
	wider := student975(len(groups)) / normal975
	return size / (wider * wider)
}

// student975 is the 97.5 % quantile of Student's distribution for n values.
func student975(n int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(0.975)
}

// expandedTail is the share of a bootstrap of n things that is left out at each side of a 95 %
// interval (T. Hesterberg, The American Statistician 69, 2015): percentiles at ±1.96 fall short of
// Student's interval of a mean by a factor √(n/(n−1)) for the spread, and by t in place of z. They
// stay within what a score can be.
func expandedTail(n int) float64 {
	return distuv.UnitNormal.CDF(-student975(n) * math.Sqrt(float64(n)/float64(n-1)))
}

// drawGroups is a bootstrap sample of so many whole groups. One that is drawn twice is two groups:
// a query is ranked by itself each time.
func drawGroups(p learn.Predictions, groups [][]int, count int, rng *rand.Rand) learn.Predictions {
	var rows, names []int
	for g := range count {
		for _, i := range groups[rng.IntN(len(groups))] {
			rows, names = append(rows, i), append(names, g)
		}
	}
	again := p.Gather(rows)
	if p.Groups != nil {
		again.Groups = names
	}
	return again
}
