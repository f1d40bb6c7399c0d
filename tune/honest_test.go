package tune

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// A candidate of one cell with mean 1.0 beside one of 200 cells that are all
// noise around 1.1: the best of those has the best mean by luck alone, and the honest
// comparison is not taken in.
func TestHonest(t *testing.T) {
	const n, k = 50, 5
	fooled, right := 0, 0
	for seed := range uint64(40) {
		folds, err := data.KFold(n, k, seed)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := data.KFold(n, k, seed+1000)
		e := &engine[[]float64]{metric: RMSE(), folds: append(folds, again...), p: Problem[[]float64]{Points: make(data.Slice[[]float64], n)}}
		rng := rand.New(rand.NewPCG(seed, 1))
		draw := func(candidate int, mean float64) Cell {
			c := Cell{Candidate: candidate, Scores: make([]float64, 2*k)}
			for f := range c.Scores {
				c.Scores[f] = mean + 0.3*rng.NormFloat64()
			}
			c.summarise()
			return c
		}
		cells := []Cell{draw(0, 1)}
		for range 200 {
			cells = append(cells, draw(1, 1.1))
		}
		best, _ := e.winner(cells)
		if best.Candidate == 1 {
			fooled++
		}
		if e.honest(cells, best).Candidate == 0 {
			right++
		}
	}
	if fooled < 36 || right < 24 {
		t.Errorf("of 40 draws the best mean was a lucky one %d times, and the honest choice right %d times", fooled, right)
	}
}

// Without chance in it the honest choice is the best cell.
func TestHonestAgrees(t *testing.T) {
	folds, _ := data.KFold(20, 4, 1)
	e := &engine[[]float64]{metric: Accuracy(), folds: folds, p: Problem[[]float64]{Points: make(data.Slice[[]float64], 20)}}
	cell := func(candidate int, s ...float64) Cell {
		c := Cell{Candidate: candidate, Scores: s}
		c.summarise()
		return c
	}
	cells := []Cell{cell(0, .8, .7, .9, .8), cell(0, .5, .5, .5, .5), cell(1, .9, .8, 1, .9), cell(1, .2, .2, .2, .2)}
	best, _ := e.winner(cells)
	if got := e.honest(cells, best); !slices.Equal(got.Scores, cells[2].Scores) {
		t.Errorf("chose %v", got.Scores)
	}
	// Of fold 0 the others choose the second cell, of the rest the first.
	worth := e.worth([]Cell{cell(0, 1, .5, .5, .5), cell(0, .2, .6, .6, .6)}, disjoint(folds, 20))
	if want := (.2 + .5*3) / 4; worth < want-1e-12 || worth > want+1e-12 {
		t.Errorf("worth %v, want %v", worth, want)
	}
}
