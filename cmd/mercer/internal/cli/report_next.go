package cli

import (
	"fmt"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/internal/markup"
	"github.com/mercer-ml/mercer/tune"
)

// reportNext is something to do next, and the command that does it; empty: none.
type reportNext struct{ Text, Command string }

// next is what the result asks for: what stands between it and a better or surer one, the most
// urgent first.
func (p *reportPage) next(r *tune.AutoResult, data string) {
	again := func(flags string) string { return "mercer fit " + shellWord(data) + " " + flags }
	add := func(text, command string) { p.Next = append(p.Next, reportNext{text, command}) }
	if class := rareClass(r); class >= 0 {
		h := hitsOf(r.TestPredictions, class)
		if r.Threshold != nil {
			add(fmt.Sprintf("The threshold is a choice. Say what a missed %q costs beside a false alarm, and it moves without "+
				"a new fit, by rows whose answers are known:", r.Classes[class]), nextThreshold(p.ModelFile, r.Classes[class]))
		} else if h.right < h.all {
			add(fmt.Sprintf("%d of %d rows %q are missed. Make a miss dearer, and compare what is found:", h.all-h.right, h.all,
				r.Classes[class]), again("--target "+shellWord(p.target)+" --class-weight balanced --metric f1"))
		}
	}
	if g := r.ByGroups; g != nil {
		add(fmt.Sprintf("Rows of one %q stand on both sides of the test. Search and test with whole ones left out:",
			g.Column), again("--target "+shellWord(p.target)+" --groups "+shellWord(g.Column)))
	}
	if r.Interrupted {
		add("The search was stopped before its end. Give it more time:", again("--target "+shellWord(p.target)+" --time 10m"))
	}
	if doubt := notShown(r); doubt != "" {
		add("The baseline is within the interval of the score: the rows held out do not show that the model is better than "+
			"none. More rows to test on would, and so does a search within folds:",
			again("--target "+shellWord(p.target)+" --nested 5"))
	}
	if len(r.Test) == 0 {
		add("No rows were held out. Judge the model on rows that it has not seen:", "mercer eval "+shellWord(p.ModelFile)+
			" labelled.csv")
	}
	if len(p.Next) == 0 {
		add("Predict rows whose answer is not known:", "mercer predict "+shellWord(p.ModelFile)+" new.csv")
		add("Ask what it goes by, on rows of your own:", "mercer explain "+shellWord(p.ModelFile)+" labelled.csv")
	}
}

// scoreStrip is the score with its interval beside the baseline, as a picture of one line: the two
// ends are the best and worst of what is on it.
func scoreStrip(t tune.TestScore, metric string) markup.HTML {
	if math.IsNaN(t.Value) || math.IsNaN(t.Baseline) || t.Value == t.Baseline && math.IsNaN(t.Low) {
		return ""
	}
	low, high := min(t.Value, t.Baseline), max(t.Value, t.Baseline)
	interval := !math.IsNaN(t.Low) && t.Low < t.High
	if interval {
		low, high = min(low, t.Low), max(high, t.High)
	}
	const left, right, y = 60.0, 540.0, 34.0
	at := func(v float64) string { return fmt.Sprintf("%.1f", left+(right-left)*(v-low)/(high-low)) }
	var b markup.Page
	b.Add(`<svg class="strip" viewBox="0 0 600 72" role="img" aria-label="%s">`,
		fmt.Sprintf("%s %s beside the baseline's %s", metric, number(t.Value), number(t.Baseline)))
	b.Add(`<line x1="%s" x2="%s" y1="%s" y2="%s" class="rule"/>`, left, right, y, y)
	if interval {
		b.Add(`<line x1="%s" x2="%s" y1="%s" y2="%s" class="span"/>`, at(t.Low), at(t.High), y, y)
	}
	b.Add(`<line x1="%s" x2="%s" y1="%s" y2="%s" class="base"/><circle cx="%s" cy="%s" r="7" class="score"/>`,
		at(t.Baseline), at(t.Baseline), y-14, y+14, at(t.Value), y)
	b.Add(`<text x="%s" y="14" class="score">model %s</text><text x="%s" y="68">baseline %s</text></svg>`, at(t.Value),
		number(t.Value), at(t.Baseline), number(t.Baseline))
	return b.HTML()
}

// spreadText is the standard error of a score over folds, where it has one: a single fold has none.
func spreadText(se float64, folds int) string {
	switch {
	case math.IsNaN(se) && folds == 1:
		return " on one fold"
	case math.IsNaN(se):
		return fmt.Sprintf(" over %d folds", folds)
	}
	return fmt.Sprintf(" ± %s over %s", number(se), strings.TrimSpace(plural(folds, "fold")))
}
