package cli

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// evalSeveral judges each target of a model of several: a line for each. What a model of one target
// has besides is there for who names one with --target.
func (a *App) evalSeveral(ctx context.Context, o *evalOptions, m *model.Model, d *data.Dataset) error {
	var all [][]tune.TestScore
	out := []any{}
	rows := 0
	for t, name := range m.Targets() {
		of, d := *o, *d
		d.Target, of.doubtsTold = name, t > 0
		one, err := m.Of(name)
		if err != nil {
			return err
		}
		j, err := a.judge(ctx, &of, one, &d)
		if err != nil {
			return err
		}
		all, rows = append(all, j.scores), max(rows, len(j.p.Truth))
		judged := of.evalJSON(j)
		judged["target"] = name
		out = append(out, judged)
	}
	if o.JSON {
		return writeJSON(a.Out, map[string]any{"model": o.Model, "data": o.Data, "targets": out})
	}
	fmt.Fprintf(a.Out, "%s on %s: %s rows\n", o.Model, o.Data, phrase.Thousands(rows))
	tellTargets(a.Out, m.Targets(), all)
	if o.Interval > 0 {
		for t, name := range m.Targets() {
			for _, s := range all[t] {
				if s.Metric == "coverage" || s.Metric == "interval width" {
					fmt.Fprintf(a.Out, "  %s of %s: %s\n", s.Metric, name, number(s.Value))
				}
			}
		}
	}
	fmt.Fprintf(a.Out, "tables of one: mercer eval %s %s --target %s\n", shellWord(o.Model), shellWord(o.Data),
		shellWord(m.Targets()[0]))
	return nil
}
