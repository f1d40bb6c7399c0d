package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// newFittedModel is the model file of what the search chose.
func newFittedModel(d *data.Dataset, r *tune.AutoResult, o *fitOptions) (*model.Model, error) {
	info := model.Info{
		Spec: r.Chosen.String(), Encoder: r.Encoder, DataName: d.Name, DataHash: d.Hash,
		Rows: r.Rows(), Seed: o.Seed, Version: Version, Notes: map[string]string{},
	}
	info.Notes["search"] = fmt.Sprintf("%s %s ± %s over %d folds", r.Metric.Name, number(r.Chosen.Mean), number(r.Chosen.SE), len(r.Chosen.Scores))
	for _, t := range r.Test {
		info.Notes["test "+t.Metric] = scoreText(t, data.Thousands(len(r.TestPredictions.Truth))+" rows")
	}
	return model.Of(r.Model(), info)
}

// reportPath is where the page goes: beside the model unless said otherwise.
func (o *fitOptions) reportPath() string {
	switch o.Report {
	case "none":
		return ""
	case "":
		return filepath.Join(filepath.Dir(o.Output), "report.html")
	}
	return o.Report
}

func writeFitJSON(w io.Writer, r *tune.AutoResult, m *model.Model, page string, o *fitOptions) error {
	type score struct {
		Metric string   `json:"metric"`
		Value  float64  `json:"value"`
		Low    *float64 `json:"low"`
		High   *float64 `json:"high"`
	}
	test := []score{}
	for _, t := range r.Test {
		test = append(test, score{t.Metric, t.Value, orNull(t.Low), orNull(t.High)})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(map[string]any{
		"data": m.Info().DataName, "task": r.Task.String(), "metric": r.Metric.Name, "chosen": r.Chosen, "leaderboard": leaders(r),
		"learner": m.Learner(), "kernel": m.Kernel(), "support_vectors": m.Centers(), "rows": m.Info().Rows,
		"test": test, "test_rows": len(r.TestPredictions.Truth), "why": r.Why, "fits": r.Fits, "resumed": r.Resumed,
		"interrupted": r.Interrupted, "seconds": r.Elapsed.Seconds(), "model": o.Output, "report": page,
		"journal_faults": append([]string{}, r.JournalFaults...),
	})
}
