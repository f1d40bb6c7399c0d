package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/progress"
	"github.com/mercer-ml/mercer/tune"
)

// tooKind says why a test is not to be trusted, and what is known instead: rows of one patient
// stand on both sides of it. It is empty where nothing is known against it.
func tooKind(r *tune.AutoResult) string {
	switch g := r.ByGroups; {
	case len(r.Test) == 0:
		return ""
	case g != nil && g.Cell.Scores != nil:
		return fmt.Sprintf("On rows of a %q that it never saw: %s %s%s, with whole ones left out. The test below has rows "+
			"of the same ones on both sides, and is not to be trusted for others.", g.Column,
			metricText(r.Metric.Name, r.Positive), number(g.Cell.Mean), spreadText(g.Cell.SE, len(g.Cell.Scores)))
	case g != nil:
		return fmt.Sprintf("How good it is on a new %q is not known: the test has rows of the same ones on both sides, and "+
			"cannot be trusted for others. Fit again with --groups %s.", g.Column, shellWord(g.Column))
	}
	return ""
}

// tellTooKind says it before the test on the terminal.
func (a *App) tellTooKind(w io.Writer, r *tune.AutoResult) {
	if text := tooKind(r); text != "" {
		tellLines(w, "trust", progress.Width(a.Out), []string{strings.TrimSuffix(text, ".")})
	}
}
