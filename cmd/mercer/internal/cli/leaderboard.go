package cli

import (
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/progress"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// leader is the best cell of a candidate with the work that went into it.
type leader struct {
	tune.Cell
	Tried   int     `json:"tried"`
	AllFits int     `json:"all_fits"`
	Time    float64 `json:"all_seconds"`
}

// leaders lists the best cell of each candidate, of that of the choice the chosen one, the best
// first.
func leaders(r *tune.AutoResult) []leader {
	at := map[int]int{}
	var out []leader
	better := func(a, b float64) bool {
		switch {
		case math.IsNaN(a):
			return false
		case math.IsNaN(b):
			return true
		}
		return a != b && (a > b) == r.Metric.Maximize
	}
	for _, c := range r.Cells {
		i, seen := at[c.Candidate]
		if !seen {
			i = len(out)
			at[c.Candidate] = i
			out = append(out, leader{Cell: c})
		}
		l := &out[i]
		l.Tried++
		l.AllFits += c.Fits
		l.Time += c.Seconds
		if sameCell(c, r.Chosen) || better(c.Mean, l.Mean) && !sameCell(l.Cell, r.Chosen) {
			l.Cell = c
		}
	}
	if c := r.Committee; c != nil {
		out = append(out, leader{c.Judged, 1, c.Judged.Fits, 0})
	}
	for i := range out { // insertion sort: stable, and the list is short
		for j := i; j > 0 && better(out[j].Mean, out[j-1].Mean); j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}

func sameCell(a, b tune.Cell) bool { return a.Candidate == b.Candidate && a.String() == b.String() }

// number writes a score with four significant digits.
func number(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	a := math.Abs(v)
	switch {
	case a == 0:
		return "0"
	case a < 1 && a >= 1e-3:
		return strconv.FormatFloat(v, 'f', 3, 64)
	case a >= 1e7 || a < 1e-3:
		return strconv.FormatFloat(v, 'e', 3, 64)
	}
	digits := max(0, 3-int(math.Floor(math.Log10(a))))
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// numberBeside writes the uncertainty of a number to the digits that the number has.
func numberBeside(se, of float64) string {
	if a := math.Abs(of); math.Abs(se) < 1e-3 && a >= 1e-3 {
		return strconv.FormatFloat(se, 'f', 3, 64)
	}
	return number(se)
}

// description splits a cell into learner and the rest.
func description(c tune.Cell) (learner, rest string) {
	learner, rest, _ = strings.Cut(shortLists(c.String()), " ")
	return learner, rest
}

// foldText says how the cells were judged: the folds of a small set are drawn
// several times.
func foldText(r *tune.AutoResult) string {
	if p := r.Protocol; p.Repeats > 1 {
		return fmt.Sprintf("%d×%d-fold", p.Repeats, p.Folds)
	} else if p.Evidence {
		return "evidence"
	}
	return fmt.Sprintf("%d-fold", len(r.Chosen.Scores))
}

// tellSearch prints the leaderboard, the choice and its test.
func (a *App) tellSearch(w io.Writer, d *data.Dataset, r *tune.AutoResult, o *fitOptions) {
	fit := len(r.Split.Train) - r.Dropped
	if n := len(r.Split.Test); n > 0 {
		fmt.Fprintf(w, "held out %s rows for the final test; %s search on %s\n", phrase.Thousands(n), foldText(r),
			phrase.Thousands(fit))
	} else {
		fmt.Fprintf(w, "no rows held out; %s search on %s\n", foldText(r), phrase.Thousands(fit))
	}
	for _, note := range r.Notes {
		fmt.Fprintln(w, note)
	}
	if r.Dropped > 0 {
		fmt.Fprintf(w, "%s rows with missing values left out\n", phrase.Thousands(r.Dropped))
	}
	if r.Resumed > 0 {
		fmt.Fprintf(w, "resumed: %s had been judged before\n", plural(r.Resumed, "setting"))
	}
	tellWorth(w, r)
	a.tellLeaders(w, r)
}

// A line of the leaderboard: two columns for the mark, then learner, setting, score, fits and time.
// The setting has what room the others leave; where that is too little, fits and time are left out.
// The last column stays empty, as some terminals go on to the next line there.
const (
	learnerWidth = 9
	scoreWidth   = 16
	workWidth    = 5 // of fits, and of time
	leastSetting = 20
	mostSetting  = 78 // the score is not to be far away
)

// settingWidth is the room for the setting, and whether there is any for the work.
func settingWidth(columns, learner int) (width int, work bool) {
	room := columns - 2 - (learner + 1) - (1 + scoreWidth) - 1
	if withWork := room - 2*(1+workWidth); withWork >= leastSetting {
		return min(withWork, mostSetting), true
	}
	return min(max(room, leastSetting), mostSetting), false
}

// tellLeaders prints the best of each candidate; long settings go on below.
func (a *App) tellLeaders(w io.Writer, r *tune.AutoResult) {
	longest := learnerWidth
	for _, l := range leaders(r) {
		longest = max(longest, len(l.Learner))
	}
	room, work := settingWidth(progress.Width(a.Out), longest)
	line := func(mark, learner, setting, score, fits, took string) {
		for _, part := range wrap(setting, room) {
			text := fmt.Sprintf("%s %-*s %-*s %-*s", mark, longest, learner, room, part, scoreWidth, score)
			if work {
				text += fmt.Sprintf(" %*s %*s", workWidth, fits, workWidth, took)
			}
			fmt.Fprintln(w, strings.TrimRight(text, " "))
			mark, learner, score, fits, took = " ", "", "", "", ""
		}
	}
	fmt.Fprintln(w)
	line(" ", "learner", "kernel", r.Metric.Name, "fits", "time")
	for _, l := range leaders(r) {
		mark := " "
		if sameCell(l.Cell, r.Chosen) {
			mark = "▸"
		}
		learner, rest := description(l.Cell)
		score := number(l.Mean) + " ± " + number(l.SE)
		if l.Failed != "" {
			score = "failed: " + l.Failed
		}
		line(mark, learner, rest, score, strconv.Itoa(l.AllFits), progress.Duration(time.Duration(l.Time*1e9)))
	}
	line(" ", "baseline", baselineText(r.Baseline, r.Classes), number(r.Chance.Mean), "", "")
	fmt.Fprintln(w)
}

// wrap breaks a setting at blanks where it is longer than width, after a comma where there is one
// in the second half of the line: its lines with a blank between them are the text again.
func wrap(text string, width int) []string {
	var out []string
	for len(text) > width {
		cut := strings.LastIndex(text[:width+1], ", ") + 1
		if blank := strings.LastIndex(text[:width+1], " "); 2*cut < width && blank > cut {
			cut = blank
		}
		if cut <= 0 {
			break
		}
		out, text = append(out, text[:cut]), text[cut+1:]
	}
	return append(out, text)
}

// fittedOn says how many rows the model learnt from.
func fittedOn(r *tune.AutoResult) string {
	all := len(r.Split.Train) - r.Dropped
	if r.Given > 0 {
		all = r.Given
	}
	if r.Refitted > 0 {
		return fmt.Sprintf("all %s, after the test of a model of %s", plural(r.Refitted, "row"), phrase.Thousands(all))
	}
	if r.Rows() < all {
		return fmt.Sprintf("%s of %s rows", phrase.Thousands(r.Rows()), phrase.Thousands(all))
	}
	return "all " + plural(all, "row")
}

// centersText says what a model on few centres is made of, and how far its equations were solved.
func centersText(r *tune.AutoResult, m *model.Model) string {
	text := fmt.Sprintf(": %s centres of %s rows", phrase.Thousands(r.Centers()), phrase.Thousands(r.Rows()))
	if report := m.Report(); report.Certified != "" {
		text += fmt.Sprintf(", %s %.2g", report.Certified, report.Certificate)
	}
	return text
}

// notTheBest says why the chosen setting is not the one of the best mean; it is empty where it is,
// and where another rule chose.
func notTheBest(r *tune.AutoResult, o *fitOptions) string {
	switch best := r.Best; {
	case sameCell(best, r.Chosen) || math.IsNaN(best.Mean):
		return ""
	case o.OneSE:
		return fmt.Sprintf("the simplest within a standard error of the best, %v (%s %s)", best, r.Metric.Name,
			number(best.Mean))
	case math.IsNaN(best.Second) || math.IsNaN(r.Chosen.Second):
		return ""
	default:
		mean := fmt.Sprintf("a better mean (%s), but not by a standard error,", number(best.Mean))
		if best.Mean == r.Chosen.Mean {
			mean = "the same mean,"
		}
		return fmt.Sprintf("%v has %s and its probabilities are worse (brier %.4g beside %.4g)", best, mean, best.Second,
			r.Chosen.Second)
	}
}

// tellFiles prints the choice, its test and what was written.
func (a *App) tellFiles(w io.Writer, page string, r *tune.AutoResult, m *model.Model, o *fitOptions, stopped bool) {
	learner, rest := description(r.Chosen)
	switch learner {
	case "svm":
		rest += fmt.Sprintf(": %s support vectors of %s", phrase.Thousands(r.Centers()), phrase.Thousands(r.Rows()))
	case "nystrom":
		rest += centersText(r, m)
	case "gp": // found its parameters by itself
		rest = shortLists(spec.Rounded(m.Kernel()))
	}
	mark := "chosen  "
	if r.StandIn != "" {
		tellLines(w, "stand-in", progress.Width(a.Out), []string{r.StandIn})
	}
	for _, part := range wrap(learner+", "+rest, progress.Width(a.Out)-10) {
		fmt.Fprintf(w, "%s %s\n", mark, part)
		mark = "        "
	}
	if c := r.Committee; c != nil {
		tellLines(w, "reason", progress.Width(a.Out), []string{committeeReason(c)})
	} else if why := notTheBest(r, o); why != "" {
		tellLines(w, "reason", progress.Width(a.Out), []string{why})
	}
	if r.Inside.Scores != nil {
		fmt.Fprintf(w, "folds    %s %s ± %s with each encoded by its own fitted rows\n",
			metricText(r.Metric.Name, r.Positive), number(r.Inside.Mean), number(r.Inside.SE))
	}
	fmt.Fprintf(w, "fitted   on %s\n", fittedOn(r))
	tellLines(w, "found", progress.Width(a.Out), m.Report().Notes)
	tellWarnings(w, progress.Width(a.Out), fitWarnings(r, m))
	if len(r.Test) > 0 {
		a.tellTooKind(w, r)
		t := r.Test[0]
		fmt.Fprintf(w, "test     %s %s\n", metricText(t.Metric, r.Positive), scoreText(t, testedRows(r)))
		a.tellRare(w, r, o)
		fmt.Fprintf(w, "baseline %s %s (%s)\n", t.Metric, number(t.Baseline), baselineText(r.Baseline, r.Classes))
		if doubt := notShown(r); doubt != "" {
			tellLines(w, "", progress.Width(a.Out), []string{doubt})
		}
	}
	if names, scores := targetScores(r); len(r.Test) > 0 && len(names) > 0 {
		tellTargets(w, names, scores)
	}
	size := ""
	if info, err := os.Stat(o.Output); err == nil {
		size = " (" + sizeText(info.Size()) + ")"
	}
	wrote := o.Output + size
	if page != "" {
		wrote += ", " + page
	}
	fmt.Fprintf(w, "wrote    %s\n", wrote)
	if r.Interrupted {
		if stopped {
			next := "the same command again goes on where this stopped (" + o.Journal + ")"
			if !o.resumable() {
				next = "the same command again searches from the start"
			}
			fmt.Fprintf(w, "stopped  this is the best so far; %s\n", next)
		} else {
			fmt.Fprintln(w, "stopped  the time was up; this is the best so far (more: --time), and what was")
			fmt.Fprintln(w, "         tried by then depends on the machine and --threads")
			if o.resumable() {
				fmt.Fprintf(w, "         the same command, with more time or as it is, goes on (%s)\n", o.Journal)
			}
		}
	}
	fmt.Fprintf(w, "\npredict  mercer predict %s new.csv\n", shellWord(o.Output))
}
