package cli

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/tune"
)

// rareShare is the share of rows below which a class is rare: always naming the other is then right
// for nine rows of ten, and accuracy says little.
const rareShare = 0.1

// rareClass is the class of two that a search is after and that few of the held-out rows are of;
// -1: there is none.
func rareClass(r *tune.AutoResult) int {
	p := r.TestPredictions
	c := slices.Index(r.Classes, r.Positive)
	if p.Classes != 2 || c < 0 || len(p.Truth) == 0 {
		return -1
	}
	if all := countOf(p.Truth, c); all == 0 || float64(all) >= rareShare*float64(len(p.Truth)) {
		return -1
	}
	return c
}

// countOf is how many rows are of a class.
func countOf(truth []float64, class int) int {
	n := 0
	for _, y := range truth {
		if int(y) == class {
			n++
		}
	}
	return n
}

// hits is rows of a class: how many there are, how many a model names, and how many of those it
// names are right.
type hits struct{ all, named, right int }

// hitsOf counts with the classes that the model gives.
func hitsOf(p learn.Predictions, class int) hits {
	h := hits{all: countOf(p.Truth, class)}
	for i, c := range p.Class {
		if c != class {
			continue
		}
		h.named++
		if int(p.Truth[i]) == class {
			h.right++
		}
	}
	return h
}

// rareAnswer is the result for a rare class in one sentence: what is found, and what a finding is
// worth.
func rareAnswer(r *tune.AutoResult, class int) string {
	h := hitsOf(r.TestPredictions, class)
	name := r.Classes[class]
	low, high := wilsonShare(h.right, h.all)
	found := fmt.Sprintf("Finds %d of the %s %q that it never saw (%s, 95%% interval %s to %s)", h.right, plural(h.all, "row"), name, percent(h.right, h.all), shareText(low), shareText(high))
	switch {
	case h.named == 0:
		return found + ": it names none. A lower threshold finds more, see below."
	case h.named == 1:
		return fmt.Sprintf("%s; the one that it names is %s.", found, map[bool]string{true: "right", false: "wrong"}[h.right == 1])
	}
	are := "are"
	if h.right == 1 {
		are = "is"
	}
	return fmt.Sprintf("%s; of %d that it names %d %s right (%s).", found, h.named, h.right, are, percent(h.right, h.named))
}

func percent(part, all int) string { return shareText(float64(part) / float64(max(all, 1))) }

func shareText(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }

// wilsonShare is Wilson's (1927) 95 % interval of a share.
func wilsonShare(part, all int) (low, high float64) {
	const z = 1.959963984540054
	n := float64(all)
	p := float64(part) / n
	middle, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, (middle-half)/(1+z*z/n)), min(1, (middle+half)/(1+z*z/n))
}

// reportThreshold is what is found where a class is named from a score on.
type reportThreshold struct{ Score, Named, Found, Right string }

// rare shows a rare class: precision against recall, and what a threshold finds.
func (p *reportPage) rare(r *tune.AutoResult, class int) error {
	t := r.TestPredictions
	score, what := t.Ranking(class), "score"
	if t.Prob != nil {
		score, what = make([]float64, len(t.Truth)), "probability"
		for i := range score {
			score[i] = t.Prob[i*t.Classes+class]
		}
	}
	if score == nil {
		return nil
	}
	steps := descend(score, t.Truth, class)
	all := countOf(t.Truth, class)
	s, area := precisionCurve(steps, all)
	s.Name = fmt.Sprintf("%s (average precision %s)", r.Classes[class], number(area))
	base := float64(all) / float64(len(t.Truth))
	f, err := plot.Lines("recall", "precision", "precision against recall of "+r.Classes[class]+" on held-out rows", false, s,
		plot.Series{Name: "naming rows at random", X: []float64{0, 1}, Y: []float64{base, base}})
	if err := p.add("Precision and recall", fmt.Sprintf("For %q, as the threshold moves on the held-out rows. Recall is the share of them that is found, precision the share of those named that is right.", r.Classes[class]), f, err); err != nil {
		return err
	}
	p.ThresholdOf, p.ThresholdBy = r.Classes[class], what
	for _, want := range []float64{0.5, 0.8, 0.95, 1} {
		for _, st := range steps {
			if float64(st.right) < want*float64(all)-1e-9 {
				continue
			}
			line := reportThreshold{number(st.score), fmt.Sprint(st.named), fmt.Sprintf("%d of %d", st.right, all), percent(st.right, st.named)}
			if n := len(p.Thresholds); n == 0 || p.Thresholds[n-1] != line {
				p.Thresholds = append(p.Thresholds, line)
			}
			break
		}
	}
	return nil
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

// precisionCurve is precision against recall, with its area: Σ (Rₙ − Rₙ₋₁)·Pₙ, the average
// precision.
func precisionCurve(steps []step, all int) (plot.Series, float64) {
	var s plot.Series
	area, before := 0.0, 0.0
	for i, st := range steps {
		precision, recall := float64(st.right)/float64(st.named), float64(st.right)/float64(max(all, 1))
		if i == 0 {
			s.X, s.Y = append(s.X, 0), append(s.Y, precision)
		}
		s.X, s.Y = append(s.X, recall), append(s.Y, precision)
		area += (recall - before) * precision
		before = recall
	}
	return s, area
}
