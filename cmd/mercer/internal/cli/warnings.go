package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
)

// modelWarnings is what is to be doubted about a model, in words: on the terminal, in the report and in inspect alike.
func modelWarnings(m *model.Model) []string { return reportWarnings(m.Report()) }

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
	for _, text := range warnings {
		mark, line := "warning", ""
		for _, word := range strings.Fields(text) {
			if line != "" && len(line)+1+len(word) > columns-10 {
				fmt.Fprintf(w, "%-8s %s\n", mark, line)
				mark, line = "", ""
			}
			line = strings.TrimSpace(line + " " + word)
		}
		fmt.Fprintf(w, "%-8s %s\n", mark, line)
	}
}
