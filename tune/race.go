package tune

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// raceLevel is the chance, for each look, of giving up a cell that is as good
// as the best one of its group.
const raceLevel = 0.01

// hopeless says, before fold f, whether a cell of the group is so far behind
// the group's best on the folds so far that a paired t-test calls it worse
// (racing: Maron & Moore 1994; Birattari et al. 2002), and marks it. Cells are
// compared inside their group only, so the outcome does not depend on threads.
func (w *groupWork) hopeless(i, f int, m Metric) bool {
	const least = 3
	if f < least || len(w.cells) < 2 {
		return false
	}
	best, lead := -1, math.NaN()
	for j, c := range w.cells {
		mean := 0.0
		for _, s := range c.Scores[:f] {
			mean += s / float64(f)
		}
		if !c.GivenUp && m.better(mean, lead) {
			best, lead = j, mean
		}
	}
	if best < 0 || best == i {
		return false
	}
	mean, sq := 0.0, 0.0
	behind := func(g int) float64 {
		d := w.cells[best].Scores[g] - w.cells[i].Scores[g]
		if !m.Maximize {
			d = -d
		}
		return d
	}
	for g := range f {
		mean += behind(g) / float64(f)
	}
	for g := range f {
		sq += (behind(g) - mean) * (behind(g) - mean)
	}
	se := math.Sqrt(sq / float64(f-1) / float64(f))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(f - 1)}.Quantile(1 - raceLevel)
	w.cells[i].GivenUp = mean > 0 && mean > t*se
	return w.cells[i].GivenUp
}
