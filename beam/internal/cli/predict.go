package cli

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mercer-ml/mercer/beam/internal/jobs"
	"github.com/mercer-ml/mercer/beam/internal/store"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/model"
)

type predictFlags struct {
	output               string
	overwrite            bool
	proba, std, decision bool
	interval             float64
	of                   string
	keep                 bool
	missing, unseen      string
}

var predictVerb = verb{"predict", "predict MODEL SHARDS... --output FOLDER",
	func(a *app, f *flag.FlagSet) func(context.Context, []string) error {
		o := &predictFlags{}
		f.StringVar(&o.output, "output", "", "folder for a CSV file of each shard's name")
		f.BoolVar(&o.overwrite, "overwrite", false, "replace files that are there")
		f.BoolVar(&o.proba, "proba", false, "add a column with the probability of each class")
		f.BoolVar(&o.std, "std", false, "add columns with standard deviations")
		f.Float64Var(&o.interval, "interval", 0, "add columns low and high that hold this share of new observations, as 0.9")
		f.StringVar(&o.of, "of", "observation", "what intervals are of: observation, or mean")
		f.BoolVar(&o.decision, "decision", false, "add columns with the decision values")
		f.BoolVar(&o.keep, "keep", false, "write the columns of the shards, too")
		f.StringVar(&o.missing, "missing", "",
			"missing values: error, drop (no prediction for the row) or mean; default: as the model was fitted, and drop "+
				"where it refuses them")
		f.StringVar(&o.unseen, "unseen", "zero",
			"categories that the model never saw: zero (none of those it knows) or error")
		return func(ctx context.Context, args []string) error { return a.predict(ctx, o, args) }
	}}

func (a *app) predict(ctx context.Context, o *predictFlags, args []string) error {
	if len(args) < 2 {
		return usage("predict: give a model and shards: mercer-beam predict MODEL SHARDS... --output FOLDER")
	}
	if o.output == "" {
		return usage("--output: name the folder for the predictions")
	}
	bytes, err := store.Read(ctx, args[0])
	if err != nil {
		return usage("%s: %w", args[0], err)
	}
	if err := o.check(args[0], bytes); err != nil {
		return err
	}
	shards, err := store.Glob(ctx, args[1:])
	if err != nil {
		return err
	}
	folder, err := absolute(o.output)
	if err != nil {
		return err
	}
	outputs := outputsOf(folder, shards)
	if err := refuseExisting(ctx, outputs, o.overwrite); err != nil {
		return err
	}
	in, err := a.input.input()
	if err != nil {
		return err
	}
	job, err := a.job("predict", folder)
	if err != nil {
		return err
	}
	defer func() { _ = job.Remove() }()
	for _, to := range outputs {
		if store.Local(to) {
			if err := store.MakeFolder(filepath.Dir(to)); err != nil {
				return usage("--output: %w", err)
			}
		}
	}
	p := &jobs.Plan{Shards: shards, Input: in, Threads: a.workerThreads(job.Engine), Predict: &jobs.Predict{
		Outputs: outputs, Keep: o.keep, Missing: o.missing, Unseen: o.unseen,
		Want: model.Want{Scores: o.decision, Proba: o.proba, Std: o.std, Interval: o.interval, OfMean: o.of == "mean"}}}
	seen, err := job.PredictShards(ctx, p, bytes)
	if err != nil {
		return err
	}
	if a.quiet {
		return nil
	}
	fmt.Fprintf(a.err, "predicted %s rows of %d shards: %s\n", phrase.Thousands(seen.Rows), len(shards), o.output)
	for _, line := range []struct {
		rows int
		what string
	}{{seen.Empty, "rows have missing values and no prediction (others: --missing mean | error)"},
		{seen.Filled, "rows have missing values, filled in with means (others: --missing drop | error)"},
		{seen.Unseen,
			"rows have a category that the model never saw, taken for none of those it knows (--unseen error refuses it)"}} {
		if line.rows > 0 {
			fmt.Fprintf(a.err, "%s %s\n", phrase.Thousands(line.rows), line.what)
		}
	}
	return nil
}

// check refuses what the model cannot give before any work is done.
func (o *predictFlags) check(name string, bytes []byte) error {
	m, err := model.Decode(bytes)
	if err != nil {
		return usage("%s: %w", name, err)
	}
	if o.of != "observation" && o.of != "mean" {
		return usage("--of: %q; give observation or mean", o.of)
	}
	if unseen := data.UnseenPolicy(o.unseen); unseen != "zero" && unseen != "error" {
		return usage("--unseen: %q; give zero or error", o.unseen)
	}
	switch data.MissingPolicy(o.missing) {
	case "", "error", "drop", "mean":
	default:
		return usage("--missing: %q; give error, drop or mean", o.missing)
	}
	switch {
	case o.proba && !m.HasProba():
		return usage("--proba: %s gives no probabilities", name)
	case o.std && !m.HasStd():
		return usage("--std: %s gives no standard deviations", name)
	case o.interval != 0 && !m.HasStd() && !m.HasIntervals():
		return usage("--interval: %s gives no intervals", name)
	case o.interval != 0 && !(o.interval > 0 && o.interval < 1):
		return usage("--interval: %g; give a share between 0 and 1", o.interval)
	}
	_, err = m.ForNewRows(data.MissingPolicy(o.missing), data.UnseenPolicy(o.unseen))
	return err
}

// outputsOf names a file for each shard: its own name as CSV, below the folder that all have in
// common. Where two would be one, all keep their endings.
func outputsOf(folder string, shards []string) []string {
	common := commonFolder(shards)
	name := func(shard string, ending bool) string {
		rest := strings.TrimPrefix(shard, common)
		if !ending {
			for _, z := range []string{".gz", ".zst", ".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".arrow", ".arrows",
				".feather", ".npy"} {
				rest = strings.TrimSuffix(rest, z)
			}
		}
		return store.Join(folder, rest+".csv")
	}
	for _, ending := range []bool{false, true} {
		out, seen := make([]string, len(shards)), map[string]bool{}
		for i, s := range shards {
			out[i] = name(s, ending)
			seen[out[i]] = true
		}
		if len(seen) == len(shards) || ending {
			return out
		}
	}
	return nil
}

// commonFolder is the folder, with its last slash, that all paths lie in.
func commonFolder(paths []string) string {
	common := paths[0][:strings.LastIndex(filepath.ToSlash(paths[0]), "/")+1]
	for _, p := range paths {
		for !strings.HasPrefix(p, common) {
			common = common[:strings.LastIndex(strings.TrimSuffix(filepath.ToSlash(common), "/"), "/")+1]
		}
	}
	return common
}

// refuseExisting refuses to write over files.
func refuseExisting(ctx context.Context, files []string, overwrite bool) error {
	there, first := 0, ""
	for _, f := range files {
		found, err := store.Exists(ctx, f)
		if err != nil {
			return err
		}
		if found {
			if there++; first == "" {
				first = f
			}
		}
	}
	if there > 0 && !overwrite {
		return &data.Error{File: first, Kind: fs.ErrExist,
			Reason: fmt.Sprintf("it is there already, with %d more of %d outputs", there-1, len(files)),
			Advice: "choose another --output, or say --overwrite"}
	}
	return nil
}

func absolute(path string) (string, error) {
	if !store.Local(path) {
		return path, nil
	}
	return filepath.Abs(path)
}

// job is a new one, with a folder of its own in --scratch or beside the output.
func (a *app) job(what, beside string) (*jobs.Job, error) {
	id := "mercer-beam-" + what + "-" + store.JobID()
	folder := beside
	if a.scratch != "" {
		var err error
		if folder, err = absolute(a.scratch); err != nil {
			return nil, err
		}
	}
	if store.Local(folder) {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return nil, usage("%w", err)
		}
	}
	return &jobs.Job{Engine: a.engine(), Folder: store.Join(folder, "."+id), Name: id}, nil
}
