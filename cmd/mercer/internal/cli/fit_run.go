package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/progress"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// fit reads, searches, tests, saves and reports.
func (a *App) fit(ctx context.Context, o *fitOptions) error {
	for _, path := range []string{o.Output, o.reportPath(), o.Journal} {
		if path == "" {
			continue
		}
		if err := model.CheckWritable(path); err != nil { // before a search of minutes, not after
			return err
		}
	}
	in, err := o.Input.options(a)
	if err != nil {
		return err
	}
	in.Target, in.Weights, in.Groups, in.Seed = o.Target, o.Weights, o.Groups, o.Seed
	style := &exploreOptions{Quiet: o.Quiet, JSON: o.JSON}
	read := a.busy(style, "reading")
	d, err := a.read(ctx, o.Data, in)
	read()
	if err != nil {
		return err
	}
	if d.Target == "" {
		return usage("%s: no column can be the target; choose one with --target (found: %s)", d.Name, strings.Join(d.Names(), ", "))
	}
	ownJournal := o.Journal == ""
	if ownJournal && replaceable(o.Output) {
		o.Journal = o.Output + ".journal"
	}
	options, err := o.auto(d)
	if err != nil {
		return err
	}
	if err := refuseMissing(d, options.Encoder); err != nil {
		return fitError(err)
	}
	say := a.Out
	if o.Quiet || o.JSON {
		say = io.Discard
	}
	fmt.Fprintln(say, d.Summary())
	tellPlan(say, d, options)
	a.keepBy(func() string { return stoppedSearch(o, ownJournal) })
	r, err := a.search(ctx, d, options, o, ownJournal)
	if err != nil {
		return fitError(err)
	}
	fitted, err := newFittedModel(d, r, o)
	if err != nil {
		return err
	}
	if r.Interrupted && len(r.Split.Test) == 0 {
		fmt.Fprintln(say)
	}
	a.tellSearch(say, d, r, o)
	if err := fitted.Save(o.Output); err != nil {
		if o.resumable() {
			err = fmt.Errorf("%w\n  the search is kept in %s: the same command again goes on", err, o.Journal)
		}
		return err
	}
	a.keep("stopped; %s is written, the report is not", o.Output)
	reported := a.busy(style, "drawing the report")
	page, err := a.report(ctx, d, r, fitted, o)
	reported()
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w\n  the model is in %s", err, o.Output)
		if o.resumable() {
			err = fmt.Errorf("%w; the same command again makes the report without another search (%s)", err, o.Journal)
		}
		return err
	}
	if err != nil {
		return err
	}
	a.keep("")
	a.tellFiles(say, page, r, fitted, o, ctx.Err() != nil)
	if ownJournal && !(r.Interrupted && ctx.Err() != nil && o.resumable()) {
		os.Remove(o.Journal)
	}
	if o.JSON {
		if err := writeFitJSON(a.Out, r, fitted, page, o); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// replaceable says whether a model is written to a file of its own, which a journal can lie
// beside; a device or a pipe has no place for one.
func replaceable(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular()
}

// refuseMissing counts the missing values of the whole file, before rows are
// held out, where the policy is to refuse them.
func refuseMissing(d *data.Dataset, o data.EncoderOptions) error {
	if o.Missing != data.MissingRefuse {
		return nil
	}
	for i := range d.Columns {
		if d.Columns[i].Missing() > 0 {
			_, err := data.FitEncoder(d, o)
			return err
		}
	}
	return nil
}

// search runs the search under the progress meter. A journal of our own that
// belongs to another search is started afresh.
func (a *App) search(ctx context.Context, d *data.Dataset, options tune.AutoOptions, o *fitOptions, ownJournal bool) (*tune.AutoResult, error) {
	style := progress.StyleFor(a.Err, o.Quiet, o.JSON)
	meter := a.show(style, "searching")
	var mu sync.Mutex
	start, last := time.Now(), progress.State{}
	options.Trace = func(e tune.Event) {
		best := ""
		if e.Best.Label != "" {
			best = number(e.Best.Mean)
		}
		mu.Lock()
		last = progress.State{Done: e.Done, Planned: e.Planned, Best: best, Elapsed: e.Elapsed, Left: e.Left}
		s := last
		mu.Unlock()
		meter.Update(s)
	}
	// A long fit, the last one above all, tells nothing itself: the clock goes on.
	clock := time.NewTicker(time.Second)
	ended := make(chan struct{})
	go func() {
		for {
			select {
			case <-clock.C:
				mu.Lock()
				s := last
				mu.Unlock()
				s.Left = max(s.Left-(time.Since(start)-s.Elapsed), 0)
				s.Elapsed = time.Since(start)
				if style != progress.JSON {
					meter.Update(s)
				}
			case <-ended:
				return
			}
		}
	}()
	defer meter.Clear()
	defer close(ended)
	defer clock.Stop()
	r, err := tune.Auto(ctx, d, options)
	if err != nil && ownJournal && errors.Is(err, tune.ErrOtherSearch) {
		if err := os.Remove(o.Journal); err != nil {
			return nil, err
		}
		r, err = tune.Auto(ctx, d, options)
	}
	if err != nil && ownJournal && !errors.Is(err, context.Canceled) {
		os.Remove(o.Journal) // the same command would fail again
	}
	return r, err
}

// resumable says whether the journal has judged settings, from which the same
// command goes on. Its first line says which search it is of.
func (o *fitOptions) resumable() bool {
	text, err := os.ReadFile(o.Journal)
	return err == nil && bytes.Count(text, []byte("\n")) > 1
}

// stoppedSearch says what a search leaves that did not live to write its model.
func stoppedSearch(o *fitOptions, ownJournal bool) string {
	if !o.resumable() {
		if ownJournal {
			os.Remove(o.Journal)
		}
		return "stopped before there was a model, which takes a second or two after the data are read; nothing is kept"
	}
	same := "the same command again"
	if o.Data == "-" {
		same = "the same command with the same input"
	}
	return fmt.Sprintf("stopped; the settings judged so far are in %s: %s goes on", o.Journal, same)
}

// fitError makes the search's complaints about the data the person's to mend.
func fitError(err error) error {
	var journal *fs.PathError
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &journal): // a search touches no other file
		return &model.WriteError{File: journal.Path, Err: journal.Err}
	}
	return &UsageError{inWords(err)}
}

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
	})
}
