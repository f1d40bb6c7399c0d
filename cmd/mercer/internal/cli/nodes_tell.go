package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/learn/nodes"
	"github.com/mercer-ml/mercer/tune"
)

// tellNodes prints the result.
func (a *App) tellNodes(o *nodesOptions, r *nodesRun, took time.Duration) error {
	report := r.final.Report()
	warnings := append([]string{}, reportWarnings(report)...)
	warnings = append(warnings, r.doubts()...)
	if o.JSON {
		return a.outcome(r.json(o, warnings, took))
	}
	w := a.say(&o.exploreOptions)
	r.tellGraph(w)
	r.tellSearch(w, o)
	fmt.Fprintf(w, "chosen   %s\n", r.setting)
	if len(r.scores) == 0 {
		fmt.Fprintln(w, "test     none: too few known nodes to hold any out, or --holdout 0")
	} else {
		t := r.scores[0]
		fmt.Fprintf(w, "test     %s %s; baseline %s\n", t.Metric, scoreText(t, plural(len(r.split.Test), "node")),
			number(t.Baseline))
		for _, t := range r.scores[1:] {
			fmt.Fprintf(w, "         %s %s; baseline %s\n", t.Metric, scoreText(t, ""), number(t.Baseline))
		}
	}
	certificate := "solved directly"
	if report.Certified != "exact" {
		certificate = fmt.Sprintf("%s %.2g after %s", report.Certified, report.Certificate, plural(report.Iterations, "step"))
	}
	fmt.Fprintf(w, "fitted   to all %s (%s); %s nodes are told from them\n", plural(len(r.known.Nodes), "known node"),
		certificate, phrase.Thousands(r.g.Graph.Nodes-len(r.known.Nodes)-r.loneOf))
	tellWarnings(w, 80, warnings)
	a.tellWritten(&o.exploreOptions, o.reportPath())
	if o.Save != "" {
		fmt.Fprintf(w, "predict  mercer predict %s NODES   (a table with a column %q)\n", shellWord(o.Save),
			r.answers.Columns[0].Name)
	}
	return nil
}

// tellGraph says what was read, and what was decided about it.
func (r *nodesRun) tellGraph(w io.Writer) {
	g, b := r.g, r.g.Built
	_, size := r.space.Components()
	fmt.Fprintf(w, "%s: %s, %s (%s)\n", g.Name, plural(g.Graph.Nodes, "node"), plural(len(g.Graph.Edges), "edge"), g.How)
	for _, c := range []struct {
		n    int
		text string
	}{
		{b.Loops, "%s from a node to itself left out"}, {b.Zero, "%s of weight 0 left out"},
	} {
		if c.n > 0 {
			fmt.Fprintf(w, "  "+c.text+"\n", plural(c.n, "edge"))
		}
	}
	if b.Repeated > 0 {
		how := "counted once"
		if g.Graph.Weights != nil {
			how = "their weights added up"
		}
		fmt.Fprintf(w, "  %s more than once, %s\n", count(b.Repeated, "edge stands there", "edges stand there"), how)
	}
	if b.BothWays > 0 {
		how := ""
		if b.Unequal > 0 {
			how = fmt.Sprintf("; of %s with two weights the mean is taken", phrase.Thousands(b.Unequal))
		}
		fmt.Fprintf(w, "  edges have no direction: %s both ways, and is one%s\n",
			count(b.BothWays, "pair of nodes is joined", "pairs of nodes are joined"), how)
	}
	largest := 0
	if len(size) > 0 {
		largest = slices.Max(size)
	}
	fmt.Fprintf(w, "  %s, the largest of %s\n", plural(len(size), "component"), plural(largest, "node"))
	kind := fmt.Sprintf("a number, %q", r.target.Name)
	if k := len(r.target.Classes); k > 0 {
		kind = fmt.Sprintf("one of %d classes, %q: %s", k, r.target.Name, joinSome(r.target.Classes))
	}
	fmt.Fprintf(w, "%s: %s of %s known, %s\n", r.answers.Name, phrase.Thousands(len(r.known.Nodes)),
		plural(g.Graph.Nodes, "node"), kind)
}

// doubts is what a reader should know.
func (r *nodesRun) doubts() []string {
	out := append([]string{}, r.reasons...)
	if r.lone > 0 {
		told := "the mean of the known nodes"
		if r.known.Classes > 0 {
			told = "the shares of the classes among the known nodes"
		}
		out = append(out, fmt.Sprintf("%s without a known answer, %s in all: they are told %s (column nothing_known of -o)",
			plural(r.lone, "component"), plural(r.loneOf, "node"), told))
	}
	if r.choice != nil && !r.choice.Best.Converged {
		out = append(out, "no system of the search was solved to its tolerance: the choice is a guess")
	}
	return out
}

// tellSearch lists the best setting of each transform.
func (r *nodesRun) tellSearch(w io.Writer, o *nodesOptions) {
	if r.choice == nil {
		return
	}
	if n := len(r.split.Test); n > 0 {
		fmt.Fprintf(w, "held out %s for the final test; chosen by %s, %s\n", plural(n, "node"),
			plural(len(r.split.Train), "node"), r.tried)
	} else {
		fmt.Fprintf(w, "chosen by %s, %s\n", plural(len(r.split.Train), "node"), r.tried)
	}
	fmt.Fprintf(w, "\n  %-44s %-8s %s\n", "transform", "lambda", r.metric())
	for i, c := range r.leaders() {
		mark := " "
		if i == 0 {
			mark = "▸"
		}
		spread := ""
		if !math.IsNaN(c.Error) {
			spread = " ± " + numberBeside(c.Error, c.Score)
		}
		name := nodesTransform(c.Setting)
		if o.Laplacian == "both" && c.Combinatorial {
			name += ", combinatorial"
		}
		fmt.Fprintf(w, "%s %-44s %-8s %s%s\n", mark, name, number(c.Lambda), number(c.Score), spread)
	}
	fmt.Fprintf(w, "  %d settings, %s fits\n\n", len(r.choice.Cells), phrase.Thousands(r.choice.Fits))
}

// leaders are the best cells of each family of transforms, the best first.
func (r *nodesRun) leaders() []nodes.Cell {
	best := map[string]nodes.Cell{}
	var names []string
	for _, c := range r.choice.Cells {
		name := fmt.Sprint(c.Transform.Name(), c.Combinatorial)
		old, ok := best[name]
		if !ok {
			names = append(names, name)
		}
		if !ok || r.choice.Better(c, old) {
			best[name] = c
		}
	}
	var out []nodes.Cell
	for _, n := range names {
		out = append(out, best[n])
	}
	slices.SortStableFunc(out, func(a, b nodes.Cell) int {
		switch {
		case r.choice.Better(a, b):
			return -1
		case r.choice.Better(b, a):
			return 1
		}
		return 0
	})
	return out
}

// json is the result as data.
func (r *nodesRun) json(o *nodesOptions, warnings []string, took time.Duration) map[string]any {
	_, size := r.space.Components()
	report := r.final.Report()
	out := map[string]any{
		"data": r.g.Name, "nodes": r.g.Graph.Nodes, "edges": len(r.g.Graph.Edges), "read": r.g.Built, "components": len(size),
		"known":                     len(r.known.Nodes),
		"components_without_answer": r.lone, "nodes_without_answer": r.loneOf, "target": r.target.Name,
		"task": r.target.Task.String(), "classes": r.target.Classes,
		"kernel": r.setting.Kernel(), "lambda": r.setting.Lambda, "metric": r.metric(), "test": scoresJSON(r.scores),
		"test_nodes":  len(r.split.Test),
		"certificate": report.Certificate, "certified": report.Certified, "converged": report.Converged,
		"iterations": report.Iterations,
		"warnings":   warnings, "seed": o.Seed, "seconds": took.Seconds(), "output": o.Output, "model": o.Save,
		"report": o.reportPath(), "search": nil, "fits": 0,
	}
	if r.choice != nil {
		var list []map[string]any
		for _, c := range r.leaders() {
			list = append(list, map[string]any{"kernel": c.Kernel(), "lambda": c.Lambda, "score": c.Score,
				"error": orNull(c.Error), "loss": orNull(c.Loss), "converged": c.Converged})
		}
		out["search"], out["fits"] = list, r.choice.Fits
	}
	return out
}

// worse is an error where a model is worse than none, by more than chance.
func (r *nodesRun) worse(o *nodesOptions) error {
	if len(r.scores) == 0 || o.Save == "" {
		return nil
	}
	t := r.scores[0]
	if t.Against(t.Baseline, tune.Metrics(r.target.Task)[0]) != tune.Worse {
		return nil
	}
	return &worseError{fmt.Sprintf("%s is worse than no model: %s %s on the nodes held out, where the baseline has %s; "+
		"do not use it\n  the edges may say nothing about %q", o.Save, t.Metric, number(t.Value), number(t.Baseline),
		r.target.Name)}
}
