package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/mercer-ml/mercer/beam/internal/fit"
	"github.com/mercer-ml/mercer/beam/internal/store"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/spec"
)

type fitFlags struct {
	output, report string
	taughtFlags
	categories     string
	kernels        texts
	lambdas        list
	centres, folds int
	learner, draw  string
	frequencies    int
	independent    bool
	seed           uint64
	noIntercept    bool
}

var fitVerb = verb{"fit", "fit SHARDS... --target COLUMN --output MODEL",
	func(a *app, f *flag.FlagSet) func(context.Context, []string) error {
		o := &fitFlags{}
		f.StringVar(&o.output, "output", "model.mercer", "model file to write")
		f.StringVar(&o.report, "report", "", "JSON file for what every kernel and λ was worth; default: none")
		o.declare(f, "the target in the first shard", "standardize, minmax, maxabs or none")
		f.StringVar(&o.categories, "categories", "onehot", "categories: onehot, or code (for categorical kernels)")
		f.Var(&o.kernels, "kernel",
			"kernel, as in mercer fit --kernel; give several to choose among; default: Gaussians half, once and twice as wide "+
				"as rows are apart")
		f.StringVar(&o.learner, "learner", string(fit.Nystrom),
			"squares on centres (nystrom) or on random Fourier features (features), in one pass; for probabilities of classes "+
				"the logistic loss, nystrom-logistic or features-logistic, a job for each step of Newton's method")
		f.Var(&o.lambdas, "lambda",
			"penalty λ of ‖f‖² (logistic: ½‖f‖²), a row; several, with commas, to choose among; default: 15 from 1e-9 to "+
				"1e-2, logistic 4 from 1e-8 to 1e-2")
		f.IntVar(&o.centres, "centres", 1000, "rows that the function is made of")
		f.StringVar(&o.draw, "draw", "uniform",
			"how centres are drawn: uniform, or leverage (by leverage scores, for each kernel; one more job)")
		f.IntVar(&o.frequencies, "frequencies", 500, "random frequencies of features, two of these each")
		f.BoolVar(&o.independent, "independent", false, "draw frequencies independently, not in orthogonal blocks")
		f.IntVar(&o.folds, "folds", 5,
			"folds of the cross-validation that chooses (logistic: one of so many is held out); 1: none, with one "+
				"kernel and one λ")
		f.Uint64Var(&o.seed, "seed", 1, "of the draw of centres, frequencies and folds")
		f.BoolVar(&o.noIntercept, "no-intercept", false, "no constant beside f")
		return func(ctx context.Context, args []string) error { return a.fit(ctx, o, args) }
	}}

func (a *app) fit(ctx context.Context, o *fitFlags, args []string) error {
	if len(args) == 0 {
		return usage("fit: give shards: mercer-beam fit SHARDS... --target COLUMN --output MODEL")
	}
	shards, err := store.Glob(ctx, args)
	if err != nil {
		return err
	}
	to, err := absolute(o.output)
	if err != nil {
		return err
	}
	outputs := []string{to}
	if o.report != "" {
		outputs = append(outputs, o.report)
	}
	if err := refuseExisting(ctx, outputs, o.overwrite); err != nil {
		return err
	}
	in, err := a.input.input()
	if err != nil {
		return err
	}
	task, err := o.settings()
	if err != nil {
		return err
	}
	task.Shards, task.Input = shards, in
	if task.Layout, task.Encoder.Task, err = a.look(ctx, o, shards[0], in.Options(0)); err != nil {
		return err
	}
	if task.Learner.Logistic() && !task.Encoder.Task.Classification() {
		return usage("--learner %s: tells classes apart, and the target is numbers; take nystrom or features, or say "+
			"--task classification", o.learner)
	}
	job, err := a.job("fit", filepathDir(to))
	if err != nil {
		return err
	}
	defer func() { _ = job.Remove() }()
	task.Threads = a.workerThreads(job.Engine)
	result, err := task.Run(ctx, job)
	var unfit *fit.KernelError
	if errors.As(err, &unfit) && ctx.Err() == nil {
		return usage("--kernel %s: %w; choose another", unfit.Kernel, unfit.Err)
	}
	if err != nil {
		return err
	}
	result.Write(a.out)
	if err := store.Write(ctx, to, func(w io.Writer) error {
		_, err := result.Model.WriteTo(w)
		return err
	}); err != nil {
		return err
	}
	if o.report != "" {
		if err := store.Write(ctx, o.report, result.WriteJSON); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.out, "wrote    %s\n", o.output)
	return nil
}

// settings turns the flags into those of a fit.
func (o *fitFlags) settings() (*fit.Fit, error) {
	f := &fit.Fit{Learner: fit.Learner(o.learner), Kernels: o.kernels, Centers: o.centres, Leverage: o.draw == "leverage",
		Frequencies: o.frequencies, Independent: o.independent, Folds: o.folds, Seed: o.seed, Intercept: !o.noIntercept,
		Encoder: data.EncoderOptions{
			Missing: data.MissingPolicy(o.missing), Unseen: data.UnseenPolicy(o.unseen), Scaling: data.Scaling(o.scaling),
			Categories: data.CategoryPolicy(o.categories)}}
	if _, err := data.NewEncoderFit(f.Encoder); err != nil {
		return nil, usage("%w", err)
	}
	if o.centres < 1 {
		return nil, usage("--centres: %d; give 1 or more", o.centres)
	}
	if !slices.Contains(fit.Learners, f.Learner) {
		return nil, usage("--learner: %q; give one of %v", o.learner, fit.Learners)
	}
	if o.draw != "uniform" && o.draw != "leverage" {
		return nil, usage("--draw: %q; give uniform or leverage", o.draw)
	}
	if f.Leverage && f.Learner.Waves() {
		return nil, usage("--draw leverage: draws centres, and %s has none", o.learner)
	}
	if o.frequencies < 1 {
		return nil, usage("--frequencies: %d; give 1 or more", o.frequencies)
	}
	if o.folds < 1 {
		return nil, usage("--folds: %d; give 2 or more, or 1 for none", o.folds)
	}
	for _, text := range o.kernels {
		if _, err := spec.ParseKernel(text); err != nil {
			return nil, usage("--kernel: %w", err)
		}
	}
	for _, text := range o.lambdas {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v > 0) || math.IsInf(v, 0) {
			return nil, usage("--lambda: %q; give positive numbers, as in --lambda 1e-6,1e-4", text)
		}
		f.Lambdas = append(f.Lambdas, v)
	}
	if o.folds == 1 && (len(o.kernels) != 1 || len(f.Lambdas) != 1) {
		return nil, usage("--folds 1: nothing chooses then; give one --kernel and one --lambda")
	}
	return f, nil
}

// layout reads the first rows of the first shard: what its columns are holds for all. told hears of
// the rows, and may give columns their parts.
func (a *app) layout(
	ctx context.Context, shard string, in load.Options, told func(head *data.Dataset) error,
) (load.Layout, error) {
	file := shard
	if !store.Local(shard) {
		b, err := store.Read(ctx, shard)
		if err != nil {
			return load.Layout{}, err
		}
		folder, err := os.MkdirTemp("", "mercer-beam-")
		if err != nil {
			return load.Layout{}, err
		}
		defer os.RemoveAll(folder)
		file = filepath.Join(folder, store.Base(shard))
		if err := os.WriteFile(file, b, 0o600); err != nil {
			return load.Layout{}, err
		}
	}
	table, err := load.OpenTable(ctx, file, in, os.TempDir())
	if err != nil {
		return load.Layout{}, err
	}
	defer table.Close()
	if err := told(table.Head()); err != nil {
		return load.Layout{}, err
	}
	if !a.quiet {
		fmt.Fprintf(a.err, "%s\n", table.Head().Summary())
	}
	l := table.Layout()
	l.File = shard
	return l, nil
}

// look is the layout and the task of a fit.
func (a *app) look(ctx context.Context, o *fitFlags, shard string, in load.Options) (load.Layout, data.Task, error) {
	targets := o.targets()
	in.Target, in.Weights = targets[0], o.weights
	var head *data.Dataset
	l, err := a.layout(ctx, shard, in, func(d *data.Dataset) error {
		if head = d; len(targets) == 1 {
			return nil
		}
		return d.SetTargets(targets...)
	})
	if err != nil {
		return l, 0, err
	}
	for _, c := range head.Features() {
		if c.Kind != data.Numeric && c.Kind != data.Categorical && c.Kind != data.Boolean && c.Kind != data.Time {
			return l, 0, &data.Error{File: shard, Column: c.Name, Kind: data.ErrValue, Remedy: mend.Text,
				Reason: fmt.Sprintf("column %q is %s, and what lies in many shards is learnt from as numbers, categories "+
					"and instants", c.Name, c.Kind)}
		}
	}
	several := len(targets) > 1
	switch {
	case several && o.task == "classification":
		return l, 0, usage("--task classification: it has one target, and --target names %d", len(targets))
	case o.task == "regression", several && o.task == "":
		return l, data.Regression, nil
	case o.task == "classification":
		return l, data.Multiclass, nil
	case o.task == "":
		target, err := head.Column(head.Target)
		if err != nil {
			return l, 0, err
		}
		task, why, err := data.InferTask(target)
		if err == nil && !a.quiet {
			fmt.Fprintf(a.err, "%s of %q: %s\n", task, head.Target, why)
		}
		return l, task, err
	}
	return l, 0, usage("--task: %q; give regression or classification", o.task)
}

// filepathDir is the folder of a file.
func filepathDir(file string) string {
	if store.Local(file) {
		return filepath.Dir(file)
	}
	return file[:len(file)-len(store.Base(file))-1]
}
