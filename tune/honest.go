package tune

import (
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
)

// honestFolds is the most folds for which candidates are compared honestly:
// with more, one fold has next to no say in a choice.
const honestFolds = 60

// honest is the best cell of the candidate whose choice is worth most. The
// best mean of many cells is too good by chance, the more so the more cells there are
// (Varma & Simon 2006); a Gaussian process, which found its parameters by evidence, has
// one cell and no such luck. So each candidate is judged on fold f by the cell that
// the folds without a row of f would choose, and by the mean of that over f
// (the fits are those of the search: no cell is fitted again).
func (e *engine[T]) honest(cells []Cell, best Cell) Cell {
	if len(e.folds) < 3 || len(e.folds) > honestFolds {
		return best
	}
	others := disjoint(e.folds, e.p.Len())
	of := map[int][]Cell{}
	var candidates []int
	for _, c := range cells {
		if !c.complete() || slices.ContainsFunc(c.Scores, math.IsNaN) {
			continue
		}
		if of[c.Candidate] == nil {
			candidates = append(candidates, c.Candidate)
		}
		of[c.Candidate] = append(of[c.Candidate], c)
	}
	slices.Sort(candidates)
	lead := math.NaN()
	for _, c := range candidates {
		// Equal worth: the better mean.
		worth := e.worth(of[c], others)
		top, ok := e.winner(of[c])
		if ok && (e.metric.better(worth, lead) || worth == lead && e.metric.better(top.Mean, best.Mean)) {
			best, lead = top, worth
		}
	}
	return best
}

// worth is the mean over folds of the score of the cell that the others choose;
// cells that are equally good there share.
func (e *engine[T]) worth(cells []Cell, others [][]int) float64 {
	total := 0.0
	for f, apart := range others {
		if len(apart) == 0 {
			return math.NaN()
		}
		lead, sum, ties := math.NaN(), 0.0, 0.0
		for _, c := range cells {
			mean := 0.0
			for _, g := range apart {
				mean += c.Scores[g] / float64(len(apart))
			}
			switch {
			case e.metric.better(mean, lead):
				lead, sum, ties = mean, c.Scores[f], 1
			case mean == lead:
				sum, ties = sum+c.Scores[f], ties+1
			}
		}
		total += sum / ties / float64(len(others))
	}
	return total
}

// disjoint lists, for each fold, those that judge none of its rows: the rest
// of its own repeat.
func disjoint(folds []data.Fold, n int) [][]int {
	out := make([][]int, len(folds))
	for f := range folds {
		own := make([]bool, n)
		for _, r := range folds[f].Test {
			own[r] = true
		}
		for g := range folds {
			if !slices.ContainsFunc(folds[g].Test, func(r int) bool { return own[r] }) {
				out[f] = append(out[f], g)
			}
		}
	}
	return out
}
