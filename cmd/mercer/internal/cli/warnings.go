package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// modelWarnings is what is to be doubted about a model, in words: on the terminal, in the report
// and in inspect alike.
func modelWarnings(m *model.Model) []string { return reportWarnings(m.Report()) }

// fitWarnings are those of the search and of the model.
func fitWarnings(r *tune.AutoResult, m *model.Model) []string {
	out := append([]string{}, r.Warnings...)
	for _, text := range modelWarnings(m) {
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// dataWarnings is what is to be doubted about the columns of a data set.
func dataWarnings(d *data.Dataset) []string { return doubtsWith(d) }

// dataWarningsIn is dataWarnings where the rows are judged in the order of a column: that they are
// in an order is then no doubt.
func dataWarningsIn(d *data.Dataset, order string) []string {
	if order == "" {
		return dataWarnings(d)
	}
	var others []data.Remedy
	for _, e := range d.Doubts() {
		if e.Remedy != mend.Order && !slices.Contains(others, e.Remedy) {
			others = append(others, e.Remedy)
		}
	}
	if others == nil {
		return nil
	}
	return doubtsWith(d, others...)
}

// doubtsWith is those that one of the remedies helps against, or all of them where none is named.
func doubtsWith(d *data.Dataset, remedy ...data.Remedy) []string {
	out := []string{}
	for _, e := range d.Doubts() {
		if len(remedy) > 0 && !slices.Contains(remedy, e.Remedy) {
			continue
		}
		advice := e.Advice
		if r, ok := remedies[e.Remedy]; ok {
			advice = r.say(e)
		}
		out = append(out, fmt.Sprintf("%s (%s)", e.Reason, advice))
	}
	return out
}

// sharedWarning says that rows are tested on that were fitted on, where that is more than a chance
// pair; it is empty where not.
func sharedWarning(d *data.Dataset, fold data.Fold) []string {
	shared := d.SharedRows(fold.Test, fold.Train)
	if shared < 2 || 20*shared < len(fold.Test) {
		return nil
	}
	return []string{fmt.Sprintf("%s of %s test rows stand among the others, too, the same in every column: the test is "+
		"kinder than new rows will be", phrase.Thousands(shared), phrase.Thousands(len(fold.Test)))}
}

func reportWarnings(r learn.Report) []string {
	var out []string
	if !r.Converged {
		out = append(out, "the solver did not reach its tolerance: the model is not the best of its kind")
	}
	for _, w := range r.Warnings {
		out = append(out, inFlags(w))
	}
	return out
}

// tellWarnings prints warnings as lines of a result, broken between words.
func tellWarnings(w io.Writer, columns int, warnings []string) {
	tellLines(w, "warning", columns, warnings)
}

// tellLines prints texts as lines of a result, each after a mark.
func tellLines(w io.Writer, mark string, columns int, texts []string) {
	for _, text := range texts {
		mark, line := mark, ""
		for _, word := range strings.Fields(text) {
			if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > columns-10 {
				fmt.Fprintf(w, "%-8s %s\n", mark, line)
				mark, line = "", ""
			}
			line = strings.TrimSpace(line + " " + word)
		}
		fmt.Fprintf(w, "%-8s %s\n", mark, line)
	}
}
