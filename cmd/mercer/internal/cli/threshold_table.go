package cli

import (
	"math"
	"slices"
	"sort"

	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
)

// hits is rows of a class: how many there are, how many a model names, and how many of those it
// names are right.
type hits struct{ all, named, right int }

// hitsOf counts with the classes that the model gives.
func hitsOf(p learn.Predictions, class int) hits {
	return countHits(p, class, func(i int) bool { return p.Class[i] == class })
}

// hitsAt counts with a threshold.
func hitsAt(p learn.Predictions, class int, at float64) hits {
	return countHits(p, class, func(i int) bool { return p.Prob[i*p.Classes+class] >= at })
}

func countHits(p learn.Predictions, class int, named func(i int) bool) hits {
	h := hits{all: countOf(p.Truth, class)}
	for i, y := range p.Truth {
		if !named(i) {
			continue
		}
		if h.named++; int(y) == class {
			h.right++
		}
	}
	return h
}

// cost is what the rows cost that are taken for the other class.
func (h hits) cost(miss, alarm float64) float64 {
	return miss*float64(h.all-h.right) + alarm*float64(h.named-h.right)
}

// f1 is 2·hits over rows of the class and rows taken for it.
func (h hits) f1() float64 {
	if h.all+h.named == 0 {
		return math.NaN()
	}
	return 2 * float64(h.right) / float64(h.all+h.named)
}

// thresholdRow is what is found where a class is named from a score on.
type thresholdRow struct {
	at float64
	hits
	chosen bool
	note   string // why it stands in the table
}

// thresholdTable is what is found from the scores on by which half, four fifths, nineteen
// twentieths and all rows of a class are found; by the one chosen; and by the one that was there
// before. Scores fall.
func thresholdTable(p learn.Predictions, class int, chosen, before *model.Threshold) []thresholdRow {
	score := scoresOf(p, class)
	if score == nil {
		return nil
	}
	steps := descend(score, p.Truth, class)
	all := countOf(p.Truth, class)
	var out []thresholdRow
	for _, want := range []float64{0.5, 0.8, 0.95, 1} {
		for _, st := range steps {
			if float64(st.right) < want*float64(all)-1e-9 {
				continue
			}
			if n := len(out); n == 0 || out[n-1].at != st.score {
				out = append(out, thresholdRow{at: st.score, hits: hits{all, st.named, st.right}})
			}
			break
		}
	}
	add := func(t *model.Threshold, is bool, note string) {
		if t != nil && p.Prob != nil {
			h := hitsAt(p, class, t.At)
			if !is && chosen != nil && t.Class != chosen.Class {
				return // of the other class: it has no place among these
			}
			out = slices.DeleteFunc(out, func(r thresholdRow) bool { return r.hits == h && !r.chosen && is })
			out = append(out, thresholdRow{at: t.At, hits: h, chosen: is, note: note})
		}
	}
	add(chosen, true, "")
	add(before, false, " (before)")
	sort.SliceStable(out, func(a, b int) bool { return out[a].at > out[b].at })
	return out
}

// scoresOf is the probability of a class in each row or, where there are none, its score; nil
// where there is neither.
func scoresOf(p learn.Predictions, class int) []float64 {
	if p.Prob == nil {
		return p.Ranking(class)
	}
	out := make([]float64, len(p.Truth))
	for i := range out {
		out[i] = p.Prob[i*p.Classes+class]
	}
	return out
}

// step is what is named from a score on.
type step struct {
	score        float64
	named, right int
}

// descend walks down the scores; equal scores are one step.
func descend(score, truth []float64, class int) []step {
	order := make([]int, len(score))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return score[order[a]] > score[order[b]] })
	var out []step
	at := step{}
	for i, row := range order {
		at.named++
		if int(truth[row]) == class {
			at.right++
		}
		if at.score = score[row]; i+1 == len(order) || score[order[i+1]] != at.score {
			out = append(out, at)
		}
	}
	return out
}
