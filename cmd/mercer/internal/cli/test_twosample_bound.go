package cli

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
)

const (
	// mostProducts is the work of a test that nobody asked more of: a permutation multiplies the
	// matrix of all pairs, once for each kernel.
	mostProducts = 2.5e11
	// fewestPermutations is where rows are left out rather than permutations: they bound p from
	// below by 1/200, or of aggregated widths by 1/400.
	fewestPermutations = 199
)

// bound keeps the work of a test within mostProducts. Fewer permutations, and then fewer rows, keep
// the level as exact as it was: a test by part of the sample is a test. What was asked for by name
// is done in full.
func (o *twoSampleOptions) bound(s *samples) (said []string) {
	if !o.aggregated() && (o.Null != "permutation" || o.Estimate != "unbiased" && o.Estimate != "biased") {
		return nil // these are no products with all pairs, a permutation each
	}
	n := len(s.At[0]) + len(s.At[1])
	matrices := 1.0
	if o.aggregated() {
		matrices = 2 * float64(o.Scales)
	}
	cost := func(n int) float64 { return matrices * float64(n) * float64(n) }
	asked := o.given("permutations")
	if o.Rows > 0 && o.Rows < n {
		s.keep(o.Rows, o.Seed)
		said = append(said, fmt.Sprintf("%s of %s rows are compared, drawn by seed %d",
			phrase.Thousands(len(s.At[0])+len(s.At[1])), phrase.Thousands(n), o.Seed))
		n = len(s.At[0]) + len(s.At[1])
	}
	if asked || cost(n)*float64(o.Permutations) <= mostProducts {
		return said
	}
	fewest := max(fewestPermutations, int(math.Ceil(1/o.Alpha)))
	if most := mostProducts / cost(n); most < float64(fewest) && o.Rows == 0 {
		rows := int(math.Sqrt(mostProducts / matrices / float64(fewest)))
		s.keep(rows, o.Seed)
		said = append(said,
			fmt.Sprintf("%s of %s rows are compared, drawn by seed %d: a permutation of all multiplies a matrix of as many "+
				"rows and columns (--rows %d compares them all)",
				phrase.Thousands(len(s.At[0])+len(s.At[1])), phrase.Thousands(n), o.Seed, n))
		n = len(s.At[0]) + len(s.At[1])
	}
	was := o.Permutations
	o.Permutations = min(was, max(fewest, int(mostProducts/cost(n))))
	if o.Permutations < was {
		said = append(said,
			fmt.Sprintf("%s in place of %s, since the rows are many; the level is as exact (--permutations %d takes them all)",
				plural(o.Permutations, "permutation"), phrase.Thousands(was), was))
	}
	return said
}

// keep draws so many rows from both samples, in proportion to their sizes.
func (s *samples) keep(rows int, seed uint64) {
	n := len(s.At[0]) + len(s.At[1])
	for i := range s.At {
		all := len(s.At[i])
		part := min(all, max(2, int(math.Round(float64(rows)*float64(all)/float64(n)))))
		rng := rand.New(rand.NewPCG(seed, 0x726f7773+uint64(i)))
		picked := rng.Perm(all)[:part]
		slices.Sort(picked)
		s.At[i] = data.Take(s.At[i], picked)
	}
	s.X, s.Y = data.Gather(s.Pooled.points(), s.At[0]), data.Gather(s.Pooled.points(), s.At[1])
}
