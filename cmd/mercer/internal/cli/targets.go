package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// targets are the columns that --target names: several with commas between them.
func (o *fitOptions) targets() []string {
	if !strings.Contains(o.Target, ",") {
		return []string{o.Target}
	}
	var names []string
	for _, name := range strings.Split(o.Target, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// setTargets gives the columns of --target their part, where they are several. A column whose own
// name has a comma is one.
func (o *fitOptions) setTargets(d *data.Dataset) error {
	names := o.targets()
	if _, err := d.Column(o.Target); err == nil {
		names = []string{o.Target}
	}
	return inputError(d.SetTargets(names...))
}

// checkSeveral refuses, before a search, what goes with one target only.
func (o *fitOptions) checkSeveral(d *data.Dataset) error {
	if len(d.More) == 0 {
		return nil
	}
	switch {
	case o.Task.Task == "classify" || o.Task.Task == "rank":
		return usage("--task %s: it has one target, and --target names %d", o.Task.Task, len(d.More)+1)
	case o.Bags != "":
		return usage("--bags: it goes with one target, and --target names %d", len(d.More)+1)
	case o.Centers > 0:
		return usage("--centers: models on few centres learn one target, and --target names %d", len(d.More)+1)
	}
	for _, name := range (learnerList{&o.Learners}).names() {
		if l, ok := all.Described(name); ok && !l.Several {
			return usage("--learner: %w", &tune.SeveralError{Learner: name, Targets: len(d.More) + 1,
				Can: tune.SeveralLearners()})
		}
	}
	return nil
}

// ofTarget is a model that predicts one thing: the target that is named, where it has several.
func ofTarget(m *model.Model, path, target string) (*model.Model, error) {
	names := m.Targets()
	if len(names) < 2 {
		return m, nil
	}
	if target == "" {
		return nil, usage("%s predicts %s; name one with --target", path, strings.Join(names, ", "))
	}
	one, err := m.Of(target)
	if err != nil {
		return nil, usage("--target: %s does not predict %q%s; it predicts %s", path, target, meant(target, names),
			strings.Join(names, ", "))
	}
	return one, nil
}

// tellTargets prints a line of scores for each target.
func tellTargets(w io.Writer, names []string, scores [][]tune.TestScore) {
	shown := []string{"rmse", "mae", "r2"}
	width := len("target")
	for _, n := range names {
		width = max(width, len([]rune(clipName(n))))
	}
	fmt.Fprintf(w, "  %-*s", width, "target")
	for _, m := range shown {
		fmt.Fprintf(w, "  %-9s", m)
	}
	fmt.Fprintln(w, "  baseline rmse")
	for t, name := range names {
		of := map[string]tune.TestScore{}
		for _, s := range scores[t] {
			of[s.Metric] = s
		}
		fmt.Fprintf(w, "  %-*s", width, clipName(name))
		for _, m := range shown {
			text := "–"
			if s, ok := of[m]; ok {
				text = number(s.Value)
			}
			fmt.Fprintf(w, "  %-9s", text)
		}
		fmt.Fprintf(w, "  %s\n", number(of["rmse"].Baseline))
	}
}

// targetScores is the names and scores of the targets of a search.
func targetScores(r *tune.AutoResult) (names []string, scores [][]tune.TestScore) {
	for _, t := range r.Targets {
		names, scores = append(names, t.Name), append(scores, t.Test)
	}
	return names, scores
}

// targetsJSON is what a search says of each target; empty where there is one.
func targetsJSON(r *tune.AutoResult) []any {
	out := []any{}
	for _, t := range r.Targets {
		out = append(out, map[string]any{"target": t.Name, "mean": orNull(t.Baseline.Mean),
			"deviation": orNull(t.Baseline.Deviation), "test": scoresJSON(t.Test)})
	}
	return out
}

// scoreJSON is a score as data.
type scoreJSON struct {
	Metric   string   `json:"metric"`
	Value    float64  `json:"value"`
	Low      *float64 `json:"low"`
	High     *float64 `json:"high"`
	Baseline *float64 `json:"baseline"`
}

func scoresJSON(scores []tune.TestScore) []scoreJSON {
	out := []scoreJSON{}
	for _, t := range scores {
		out = append(out, scoreJSON{t.Metric, t.Value, orNull(t.Low), orNull(t.High), orNull(t.Baseline)})
	}
	return out
}

// writeJSON writes a value as indented JSON.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(v)
}
