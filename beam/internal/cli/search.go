package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/beam/internal/jobs"
	"github.com/mercer-ml/mercer/beam/internal/store"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

type searchFlags struct {
	output, journal string
	taughtFlags
	metric, text            string
	learners, kernels, grid texts
	folds                   int
	seed                    uint64
}

var searchVerb = verb{"search", "search FILE --target COLUMN --output MODEL",
	func(a *app, f *flag.FlagSet) func(context.Context, []string) error {
		o := &searchFlags{}
		f.StringVar(&o.output, "output", "model.mercer", "model file to write")
		f.StringVar(&o.journal, "journal", "", "file for the journal of the search; default: none is kept")
		o.declare(f, "the target", "standardize, minmax, robust, maxabs or none")
		f.StringVar(&o.metric, "metric", "", "what cells are judged by; default: the first of the task")
		f.StringVar(&o.text, "text", "tfidf", "text columns: tfidf or hash")
		f.Var(&o.learners, "learner",
			"learner, by its name in mercer fit --learner; give several to choose among; default: svm and ridge")
		f.Var(&o.kernels, "kernel", "kernel; give several to choose among; default: gaussian()")
		f.Var(&o.grid, "grid",
			"values of a parameter: NAME=1,2,4 or NAME=0.1:10:5; default: the learner's own, and five length-scales about the "+
				"distance of rows")
		f.IntVar(&o.folds, "folds", 5, "folds of the cross-validation")
		f.Uint64Var(&o.seed, "seed", 1, "of the folds")
		return func(ctx context.Context, args []string) error { return a.search(ctx, o, args) }
	}}

func (a *app) search(ctx context.Context, o *searchFlags, args []string) error {
	if len(args) != 1 {
		return usage("search: give one file that fits into a worker: mercer-beam search FILE --target COLUMN --output MODEL")
	}
	to, err := absolute(o.output)
	if err != nil {
		return err
	}
	outputs := []string{to}
	if o.journal != "" {
		outputs = append(outputs, o.journal)
	}
	if err := refuseExisting(ctx, outputs, o.overwrite); err != nil {
		return err
	}
	in, err := a.input.input()
	if err != nil {
		return err
	}
	plan, err := o.plan(args[0])
	if err != nil {
		return err
	}
	rows, err := store.Read(ctx, args[0])
	if err != nil {
		return usage("%w", err)
	}
	local, err := os.MkdirTemp("", "mercer-beam-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(local)
	file := filepath.Join(local, store.Base(args[0]))
	if err := os.WriteFile(file, rows, 0o600); err != nil {
		return err
	}
	ready, err := plan.Prepare(ctx, file, in.Options(0))
	if err != nil {
		return usageError{err}
	}
	if plan.Parts, err = ready.Search.Groups(); err != nil {
		return usageError{err}
	}
	job, err := a.job("search", filepathDir(to))
	if err != nil {
		return err
	}
	defer func() { _ = job.Remove() }()
	p := &jobs.Plan{Input: in, Threads: a.workerThreads(job.Engine), Search: plan}
	for i := range plan.Parts {
		p.Shards = append(p.Shards, fmt.Sprintf("%s, group %d of %d", args[0], i+1, plan.Parts))
	}
	journal := filepath.Join(local, "journal")
	if err := job.SearchParts(ctx, p, rows, journal); err != nil {
		return err
	}
	ready.Search.Journal = journal
	result, err := ready.Search.Run(ctx)
	if err != nil {
		return err
	}
	return a.found(ctx, o, to, journal, ready, result)
}

// found tells of the result and writes it.
func (a *app) found(
	ctx context.Context, o *searchFlags, to, journal string, ready *jobs.Prepared, r *tune.Result,
) error {
	for i, c := range r.Ranked() {
		if i == 10 {
			fmt.Fprintf(a.out, "  and %d more\n", len(r.Cells)-i)
			break
		}
		mark := " "
		if c.String() == r.Chosen.String() {
			mark = "▸"
		}
		fmt.Fprintf(a.out, "%s %-60s %s %.6g ± %.2g\n", mark, c, r.Metric.Name, c.Mean, c.SE)
	}
	saver, ok := r.Model.Model.(learn.Saver[any])
	if !ok {
		return fmt.Errorf("a model of %s cannot be saved", r.Model.Learner)
	}
	m, err := model.New(saver, model.Info{
		Spec: r.Chosen.String(), Encoder: ready.Encoder, DataName: ready.Rows.Name, DataHash: ready.Rows.Hash,
		Rows: r.Model.Rows, Seed: o.seed,
		Notes: map[string]string{"search": fmt.Sprintf("%s %.6g ± %.2g over %d folds", r.Metric.Name, r.Chosen.Mean,
			r.Chosen.SE, o.folds), "made by": "mercer-beam"},
		Yardstick: model.Yardstick{Baseline: learn.BaselineOf(ready.Search.Problem)},
	})
	if err != nil {
		return err
	}
	if err := store.Write(ctx, to, func(w io.Writer) error {
		_, err := m.WriteTo(w)
		return err
	}); err != nil {
		return err
	}
	if o.journal != "" {
		text, err := os.ReadFile(journal)
		if err != nil {
			return err
		}
		if err := store.WriteBytes(ctx, o.journal, text); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.out, "wrote    %s\n", o.output)
	return nil
}

// plan turns the flags into a search.
func (o *searchFlags) plan(file string) (*jobs.Search, error) {
	s := &jobs.Search{File: file, Target: o.target, Weights: o.weights, Learners: o.learners, Kernels: o.kernels,
		Folds: o.folds, Seed: o.seed, Metric: o.metric, Encoder: data.EncoderOptions{
			Missing: data.MissingPolicy(o.missing), Unseen: data.UnseenPolicy(o.unseen), Scaling: data.Scaling(o.scaling),
			Text: data.TextPolicy(o.text)}}
	if len(s.Learners) == 0 {
		s.Learners = []string{"svm", "ridge"}
	}
	if len(s.Kernels) == 0 {
		s.Kernels = []string{"gaussian()"}
	}
	if o.folds < 2 {
		return nil, usage("--folds: %d; give 2 or more", o.folds)
	}
	switch o.task {
	case "":
	case "regression":
		s.Encoder.Task = data.Regression
	case "classification":
		s.Encoder.Task = data.Multiclass
	default:
		return nil, usage("--task: %q; give regression or classification", o.task)
	}
	for _, g := range o.grid {
		name, text, ok := strings.Cut(g, "=")
		values, err := axis(text)
		if !ok || err != nil {
			return nil, usage("--grid: %q; write NAME=1,2,4 or NAME=0.1:10:5", g)
		}
		s.Axes = append(s.Axes, tune.Axis{Name: name, Values: values})
	}
	return s, nil
}

// axis reads 1,2,4 or LOW:HIGH:COUNT.
func axis(text string) ([]float64, error) {
	var numbers []float64
	ranged := strings.Count(text, ":") == 2
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ':' && ranged || r == ',' }) {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || v-v != 0 {
			return nil, fmt.Errorf("%q is no number", part)
		}
		numbers = append(numbers, v)
	}
	if len(numbers) == 0 {
		return nil, fmt.Errorf("no values")
	}
	if ranged {
		if len(numbers) != 3 || !(numbers[0] > 0 && numbers[1] >= numbers[0] && numbers[2] >= 1 && numbers[2] <= 1000) {
			return nil, fmt.Errorf("bounds must be positive and in order")
		}
		return learn.LogSpace(numbers[0], numbers[1], int(numbers[2])), nil
	}
	return numbers, nil
}
