package cli

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/phrase"
)

// mostPairs is the work of a test of independence that nobody asked more of: a permutation goes
// through the half of all pairs of rows, once for each pair of kernels.
const mostPairs = 5e10

// bound keeps the work of a test within mostPairs by fewer permutations, which keep the level as
// exact as it was; what was asked for by name is done in full. Two columns of numbers have kernel
// matrices of low rank, with which a permutation costs little, and are left alone.
func (o *independenceOptions) bound(sides []*side) string {
	if o.Method != "hsic" || o.Null != "permutation" || o.given("permutations") {
		return ""
	}
	small := true
	for _, s := range sides {
		small = small && !o.objects && s.Rows.Len() > 0 && s.Rows.Dim() == 1
	}
	if small {
		return ""
	}
	n := float64(sides[0].len())
	pairs := n * n / 2
	if o.aggregated() {
		pairs *= 2 * widthsOfSide * widthsOfSide
	}
	fewest := max(fewestPermutations, int(math.Ceil(1/o.Alpha)))
	was := o.Permutations
	o.Permutations = min(was, max(fewest, int(mostPairs/pairs)))
	if o.Permutations == was {
		return ""
	}
	return fmt.Sprintf("%s in place of %s, since the rows are many; the level is as exact (--permutations %d "+
		"takes them all)", plural(o.Permutations, "permutation"), phrase.Thousands(was), was)
}
