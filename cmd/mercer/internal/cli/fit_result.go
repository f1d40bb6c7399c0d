package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// newFittedModel is the model file of what the search chose.
func newFittedModel(d *data.Dataset, r *tune.AutoResult, o *fitOptions) (*model.Model, error) {
	info := model.Info{
		DataName: d.Name, DataHash: d.Hash, Seed: o.Seed, Version: Version, Notes: map[string]string{},
	}
	info.Yardstick = model.Yardstick{Positive: r.Positive, Groups: d.Groups, Baseline: r.Baseline}
	trained := r.Split.Train
	if r.Refitted > 0 {
		trained = slices.Concat(trained, r.Split.Test)
	}
	info.Trained = model.TrainedRows(r.Encoder, d, trained)
	if !o.NoBackground {
		info.Background = model.KeptBackground(r.Encoder, d, trained)
	}
	score, how := r.Chosen, ""
	if r.Inside.Scores != nil {
		score, how = r.Inside, ", each encoded by its own fitted rows"
	}
	info.Notes["search"] = fmt.Sprintf("%s %s%s%s; baseline %s", metricText(r.Metric.Name, r.Positive), number(score.Mean),
		spreadText(score.SE, len(score.Scores)), how, number(r.Chance.Mean))
	if r.StandIn != "" {
		info.Notes[standInNote] = r.StandIn
	}
	if r.Growth != nil {
		info.Notes["growth"] = growthNote(r)
	}
	if all := len(r.Split.Train) - r.Dropped; r.Rows() < all {
		info.Notes["rows"] = fittedOn(r) + ": there was no time for all of them"
	}
	for _, t := range r.Test {
		info.Notes["test "+t.Metric] = scoreText(t, testedRows(r)) + "; baseline " + number(t.Baseline)
	}
	for _, of := range r.Targets {
		for _, t := range of.Test {
			if t.Metric == "rmse" || t.Metric == "r2" {
				info.Notes["test "+t.Metric+" of "+of.Name] = number(t.Value) + "; baseline " + number(t.Baseline)
			}
		}
	}
	return r.Model(info)
}

// standInNote is the note of a model file that is of few centres in place of what was planned, for
// want of time. Learners that were named have no stand-in.
const standInNote = "stand-in"

// notAsAsked says what a short time took from the model: another learner than planned, or fewer
// rows than there are.
func notAsAsked(r *tune.AutoResult) (out []string) {
	if r.StandIn != "" {
		out = append(out, "stand-in: "+r.StandIn)
	}
	if all := max(r.Given, len(r.Split.Train)-r.Dropped); r.Refitted == 0 && r.Rows() < all {
		out = append(out, fmt.Sprintf("%s is fitted on %s: there was no time for all of them", r.Chosen.Learner, fittedOn(r)))
	}
	return out
}

// reportPath is where the page goes: beside the model, under its name, unless said otherwise. Two
// models of one folder have a page each.
func (o *fitOptions) reportPath() string { return pageOf(o.Report, o.Output) }

// pageOf is the page that was asked for, or the one that goes with the file of a model.
func pageOf(asked, output string) string {
	switch asked {
	case "none":
		return ""
	case "":
		return strings.TrimSuffix(output, filepath.Ext(output)) + ".report.html"
	}
	return asked
}

func writeFitJSON(
	w io.Writer, r *tune.AutoResult, nested *tune.NestedResult, m *model.Model, page string, o *fitOptions,
) error {
	return writeJSON(w, map[string]any{
		"nested": nestedJSON(nested), "refitted": r.Refitted, "notes": append([]string{}, m.Report().Notes...),
		"data": m.Info().DataName, "task": r.Task.String(), "metric": r.Metric.Name, "chosen": r.Chosen,
		"leaderboard": leaders(r),
		"positive":    r.Positive, "baseline": r.Chance, "inside": r.Inside,
		"learner": m.Learner(), "kernel": m.Kernel(), "support_vectors": m.Centers(), "rows": m.Info().Rows,
		"rows_given": len(r.Split.Train) - r.Dropped,
		"test":       scoresJSON(r.Test), "targets": targetsJSON(r), "test_rows": len(r.TestPredictions.Truth), "why": r.Why,
		"fits": r.Fits, "resumed": r.Resumed,
		"warnings": fitWarnings(r, m), "interrupted": r.Interrupted, "seconds": r.Elapsed.Seconds(), "model": o.Output,
		"report":    page,
		"threshold": r.Threshold, "by_groups": groupsJSON(r.ByGroups), "stand_in": r.StandIn,
		"transform": mapKind(r.TargetMap), "growth": growthJSON(r), "committee": committeeJSON(r.Committee),
		"journal_faults": append([]string{}, r.JournalFaults...),
	})
}

// nestedJSON is what outer folds say of the search; nil where there were none.
func nestedJSON(r *tune.NestedResult) any {
	if r == nil {
		return nil
	}
	return map[string]any{"metric": r.Metric.Name, "scores": r.Scores, "mean": orNull(r.Mean), "se": orNull(r.SE),
		"low": orNull(r.Low), "high": orNull(r.High), "chosen": r.Chosen, "fits": r.Fits, "partial": r.Partial}
}

// groupsJSON is what folds of whole groups say; nil where no column seems to name any.
func groupsJSON(g *tune.ByGroups) any {
	if g == nil {
		return nil
	}
	out := map[string]any{"column": g.Column, "groups": g.Groups, "scores": nil, "mean": nil, "se": nil, "why": g.Why}
	if g.Cell.Scores != nil {
		out["scores"], out["mean"], out["se"] = g.Cell.Scores, orNull(g.Cell.Mean), orNull(g.Cell.SE)
	}
	return out
}
