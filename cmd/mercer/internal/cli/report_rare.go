package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/cmd/mercer/internal/progress"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/tune"
)

// rareClass is the class of two that a search is after and that few of the held-out rows are of, or
// that a threshold is of; -1: there is none.
func rareClass(r *tune.AutoResult) int {
	p := r.TestPredictions
	c := slices.Index(r.Classes, r.Positive)
	if r.Threshold != nil {
		c = slices.Index(r.Classes, r.Threshold.Class)
	}
	if p.Classes != 2 || c < 0 || len(p.Truth) == 0 {
		return -1
	}
	switch all := countOf(p.Truth, c); {
	case all == 0:
		return -1
	case r.Threshold == nil && float64(all) >= tune.RareShare*float64(len(p.Truth)):
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

// rareAnswer is the result for a rare class in one sentence: what is found, and what a finding is
// worth, each with its interval.
func rareAnswer(r *tune.AutoResult, class int) string {
	h := hitsOf(r.TestPredictions, class)
	found := fmt.Sprintf("Finds %d of the %s %q that it never saw (%s%s)", h.right, plural(h.all, "row"), r.Classes[class],
		percent(h.right, h.all), shareInterval(r, "recall"))
	switch {
	case h.named == 0:
		return found + ": it names none. A lower threshold finds more, see below."
	case h.named == 1:
		return fmt.Sprintf("%s; the one that it names is %s.", found,
			map[bool]string{true: "right", false: "wrong"}[h.right == 1])
	}
	are := "are"
	if h.right == 1 {
		are = "is"
	}
	return fmt.Sprintf("%s; of %d that it names %d %s right (%s%s).", found, h.named, h.right, are,
		percent(h.right, h.named), shareInterval(r, "precision"))
}

// shareInterval is the interval of a share that the test has, in words; empty where it has none.
func shareInterval(r *tune.AutoResult, metric string) string {
	for _, t := range r.Test {
		if t.Metric == metric && !math.IsNaN(t.Low) {
			return fmt.Sprintf(", 95%% interval %s to %s", shareText(t.Low), shareText(t.High))
		}
	}
	return ""
}

// tellRare says on the terminal what is found of a rare class, and what moves it.
func (a *App) tellRare(w io.Writer, r *tune.AutoResult, o *fitOptions) {
	class := rareClass(r)
	if class < 0 || len(r.Test) == 0 {
		return
	}
	columns := progress.Width(a.Out)
	answer := rareAnswer(r, class)
	tellLines(w, "finds", columns, []string{strings.TrimSuffix(strings.TrimPrefix(answer, "Finds "), ".")})
	if t := r.Threshold; t != nil {
		tellLines(w, "named", columns, []string{t.String()})
		tellLines(w, "costs", columns, []string{nextThreshold(o.Output, t.Class)})
	}
}

// nextThreshold is the command that moves a threshold by what a miss costs.
func nextThreshold(file, class string) string {
	return fmt.Sprintf("mercer threshold %s labelled.csv --costs %s", shellWord(file), shellWord(class)+"=50")
}

func percent(part, all int) string { return shareText(float64(part) / float64(max(all, 1))) }

func shareText(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }

// reportThreshold is what is found where a class is named from a score on.
type reportThreshold struct {
	Chosen                     bool
	Score, Named, Found, Right string
	Precision, Cost            string
}

// rare shows a rare class: precision against recall, and what a threshold finds.
func (p *reportPage) rare(r *tune.AutoResult, class int) error {
	t := r.TestPredictions
	score, what := scoresOf(t, class), "score"
	if t.Prob != nil {
		what = "probability"
	}
	if score == nil {
		return nil
	}
	steps := descend(score, t.Truth, class)
	all := countOf(t.Truth, class)
	s, area := precisionCurve(steps, all)
	s.Name = fmt.Sprintf("%s (average precision %s)", r.Classes[class], number(area))
	base := float64(all) / float64(len(t.Truth))
	f, err := plot.Lines("recall", "precision", "precision against recall of "+r.Classes[class]+" on held-out rows", false,
		s,
		plot.Series{Name: "naming rows at random", X: []float64{0, 1}, Y: []float64{base, base}})
	if err := p.add("Precision and recall",
		fmt.Sprintf("For %q, as the threshold moves on the held-out rows. Recall is the share of them that is found, "+
			"precision the share of those named that is right.", r.Classes[class]), f, err); err != nil {
		return err
	}
	p.ThresholdOf, p.ThresholdBy = r.Classes[class], what
	if r.Threshold != nil {
		p.ThresholdNote = r.Threshold.String() + "."
	}
	miss, alarm := 1.0, 1.0
	if r.Threshold != nil && r.Threshold.Costs != nil {
		miss, alarm = costsOf(r.Threshold)
		p.ThresholdCost = fmt.Sprintf("cost (%s for a miss, %s for a false alarm)", number(miss), number(alarm))
	} else {
		p.ThresholdCost = "rows taken for the wrong class"
	}
	for _, row := range thresholdTable(t, class, r.Threshold, nil) {
		p.Thresholds = append(p.Thresholds, reportThreshold{Chosen: row.chosen, Score: number(row.at),
			Named: fmt.Sprint(row.named),
			Found: fmt.Sprintf("%d of %d", row.right, row.all), Right: percent(row.right, row.all),
			Precision: percent(row.right, row.named), Cost: phrase.Number(row.cost(miss, alarm))})
	}
	return nil
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
