package cli

import (
	"context"
	"flag"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/beam/internal/jobs"
	"github.com/mercer-ml/mercer/beam/internal/store"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/stat"
)

type statsFlags struct {
	against           texts
	x, y              list
	missing           string
	by                string
	frequencies       int
	block             int
	draws             int
	alpha             float64
	seed              uint64
	shards            []string
	layout            load.Layout
	job               *jobs.Job
	input             jobs.Input
	threads           int
	text              []string // columns that are left out
	encoding          data.EncoderOptions
	secondSampleFirst int // number of the first shard of the other sample
}

var statsVerb = verb{"stats", "stats columns | two-sample | independence SHARDS...",
	func(a *app, f *flag.FlagSet) func(context.Context, []string) error {
		o := &statsFlags{}
		f.Var(&o.against, "against", "two-sample: shards of the other sample")
		f.Var(&o.x, "x", "independence: columns of one variable")
		f.Var(&o.y, "y", "independence: columns of the other")
		f.StringVar(&o.missing, "missing", "error", "tests: missing values: error, drop or mean")
		f.StringVar(&o.by, "by", "features",
			"tests: features (random ones, of all rows together), or blocks (the kernel itself, within blocks of rows "+
				"as they lie)")
		f.IntVar(&o.block, "block", 0,
			"tests by blocks: rows of a block, of each sample; 0: the root of the number of rows, 16 to 1000")
		f.IntVar(&o.frequencies, "frequencies", 64, "tests: random frequencies of the Gaussian kernel's features")
		f.IntVar(&o.draws, "draws", 2000, "tests: draws from the distribution of the statistic under the hypothesis")
		f.Float64Var(&o.alpha, "alpha", 0.05, "tests: level")
		f.Uint64Var(&o.seed, "seed", 1, "of features and draws")
		return func(ctx context.Context, args []string) error { return a.stats(ctx, o, args) }
	}}

func (a *app) stats(ctx context.Context, o *statsFlags, args []string) (err error) {
	if len(args) < 2 || args[0] != "columns" && args[0] != "two-sample" && args[0] != "independence" {
		return usage("stats: give what and shards: mercer-beam stats columns | two-sample | independence SHARDS...")
	}
	switch kind := args[0]; {
	case kind == "two-sample" && len(o.against) == 0:
		return usage("two-sample: name the shards of the other sample with --against")
	case kind == "independence" && (len(o.x) == 0 || len(o.y) == 0):
		return usage("independence: name the columns of both variables with --x and --y")
	case o.by != "features" && o.by != "blocks":
		return usage("--by: %q; give features or blocks", o.by)
	case o.block != 0 && o.block < 4:
		return usage("--block: %d; give 4 or more, or 0 for the root of the number of rows", o.block)
	case o.frequencies < 1:
		return usage("--frequencies: %d; give 1 or more", o.frequencies)
	}
	if o.shards, err = store.Glob(ctx, args[1:]); err != nil {
		return err
	}
	o.secondSampleFirst = len(o.shards)
	if args[0] == "two-sample" {
		other, err := store.Glob(ctx, o.against)
		if err != nil {
			return err
		}
		o.shards = append(o.shards, other...)
	}
	if o.input, err = a.input.input(); err != nil {
		return err
	}
	if args[0] == "columns" {
		o.missing = string("mean")
	}
	o.encoding = data.EncoderOptions{Missing: data.MissingPolicy(o.missing), Unseen: "zero"}
	if _, err := data.NewEncoderFit(o.encoding); err != nil {
		return usage("--missing: %w", err)
	}
	in := o.input.Options(0)
	in.NoTarget = true
	if o.layout, err = a.layout(ctx, o.shards[0], in, func(head *data.Dataset) error {
		for _, c := range head.Columns {
			if c.Kind != data.Numeric && c.Kind != data.Categorical && c.Kind != data.Boolean && c.Kind != data.Time {
				o.text = append(o.text, c.Name)
			}
		}
		return nil
	}); err != nil {
		return err
	}
	if args[0] == "columns" && len(o.text) > 0 { // told of, and not looked through
		o.input.Ignore = append(o.input.Ignore, o.text...)
		kept := o.layout.Columns[:0]
		for _, c := range o.layout.Columns {
			if !strings.Contains("\x00"+strings.Join(o.text, "\x00")+"\x00", "\x00"+c.Name+"\x00") {
				kept = append(kept, c)
			}
		}
		o.layout.Columns = kept
	}
	if o.job, err = a.job("stats", "."); err != nil {
		return err
	}
	if o.job.Folder, err = absolute(o.job.Folder); err != nil {
		return err
	}
	defer func() { _ = o.job.Remove() }()
	o.threads = a.workerThreads(o.job.Engine)
	first := *o.job
	first.Folder, first.Name = o.job.Folder+"-survey", o.job.Name+"-survey"
	defer func() { _ = first.Remove() }()
	seen, err := first.SurveyShards(ctx, &jobs.Plan{Shards: o.shards, Input: o.input, Threads: o.threads,
		Survey: &jobs.Survey{Layout: o.layout, Encoder: o.encoding, Sample: 500, Seed: o.seed}})
	if err != nil {
		return err
	}
	if args[0] == "columns" {
		return a.tellColumns(o, seen)
	}
	return a.test(ctx, o, seen, args[0])
}

// test sums features of all shards up and draws the conclusion.
func (a *app) test(ctx context.Context, o *statsFlags, seen *jobs.Surveyed, kind string) error {
	points, err := seen.Encode()
	if err != nil {
		return err
	}
	columns := [][]string{nil}
	if kind == "independence" {
		columns = [][]string{o.x, o.y}
	}
	var variables []jobs.Variable
	var kernels []string
	for _, c := range columns {
		v, err := o.variable(seen.Encoder, c, points)
		if err != nil {
			return err
		}
		variables, kernels = append(variables, v), append(kernels, v.Kernel)
	}
	settings := stat.TestSettings{Permutations: o.draws, Alpha: o.alpha, Seed: o.seed}
	if o.by == "blocks" {
		return a.testBlocks(ctx, o, seen, kind, variables, settings)
	}
	plan := &jobs.Plan{Shards: o.shards, Input: o.input, Threads: o.threads,
		Moments: &jobs.Moments{Layout: o.layout, Encoder: seen.Encoder, Variables: variables, Seed: o.seed,
			Samples: make([]int, len(o.shards))}}
	samples := 1
	if kind == "two-sample" {
		samples = 2
		for i := o.secondSampleFirst; i < len(o.shards); i++ {
			plan.Moments.Samples[i] = 1
		}
	}
	sums, err := o.job.SumMoments(ctx, plan, samples)
	if err != nil {
		return err
	}
	var r *stat.TestResult
	if kind == "two-sample" {
		r, err = stat.MMDByFeatures(ctx, sums[0], sums[1], settings)
	} else {
		r, err = stat.HSICByFeatures(ctx, sums[0], plan.Moments.Dim(1), settings)
	}
	if err != nil {
		return usageError{err}
	}
	r.Kernels = kernels
	_, err = fmt.Fprintf(a.out, "%s\nby %d random frequencies a variable\n", r, o.frequencies)
	return err
}

// variable is some columns with a Gaussian as wide as rows are apart in them; no columns mean all.
func (o *statsFlags) variable(
	e *data.Encoder, columns []string, points data.Points[kernel.Vec],
) (jobs.Variable, error) {
	v := jobs.Variable{Frequencies: o.frequencies}
	for _, name := range columns {
		found := false
		for _, c := range e.Columns {
			found = found || c.Name == name
		}
		if !found {
			return v, &data.Error{File: o.layout.File, Column: name, Kind: data.ErrNoColumn,
				Reason: fmt.Sprintf("no column %q", name)}
		}
	}
	for _, c := range e.Columns {
		for _, name := range columns {
			if c.Name == name {
				v.Add(c)
			}
		}
		if columns == nil {
			v.Add(c)
		}
	}
	part := make(data.Slice[kernel.Vec], points.Len())
	for i := range part {
		for _, j := range v.Features {
			part[i] = append(part[i], points.At(i)[j])
		}
	}
	var err error
	v.Kernel, err = spec.FormatKernel(kernel.Gaussian{Lengthscale: jobs.MedianDistance(part)})
	return v, err
}

// tellColumns says what each column holds, as mercer data does.
func (a *app) tellColumns(o *statsFlags, seen *jobs.Surveyed) error {
	fmt.Fprintf(a.out, "%d shards: %s rows\n", len(o.shards), phrase.Thousands(seen.Rows))
	for _, c := range seen.Columns {
		values := ""
		switch {
		case c.Missing == c.Rows:
			values = "no values"
		case c.Kind == data.Numeric:
			values = fmt.Sprintf("%s to %s, mean %s", number(c.Low), number(c.High), number(c.Mean))
		case c.Kind == data.Time:
			values = fmt.Sprintf("%s to %s", time.UnixMicro(int64(c.Low)).UTC().Format(time.DateTime),
				time.UnixMicro(int64(c.High)).UTC().Format(time.DateTime))
		default:
			values = fmt.Sprintf("%d levels: %s", len(c.Levels), strings.Join(c.Levels[:min(6, len(c.Levels))], ", "))
		}
		if c.Missing > 0 && c.Missing < c.Rows {
			values += fmt.Sprintf(", %s missing", phrase.Thousands(c.Missing))
		}
		fmt.Fprintf(a.out, "  %-20s %-22s %s\n", c.Name, c.Kind, values)
	}
	for _, name := range o.text {
		fmt.Fprintf(a.out, "  %-20s %s\n", name, "text, or another kind that is no number, category or instant")
	}
	return nil
}

// number is four digits of a number, as mercer prints them.
func number(v float64) string {
	switch a := math.Abs(v); {
	case a == 0:
		return "0"
	case a < 1 && a >= 1e-3:
		return fmt.Sprintf("%.3f", v)
	case a >= 1e7 || a < 1e-3:
		return fmt.Sprintf("%.3e", v)
	default:
		return fmt.Sprintf("%.*f", max(0, 3-int(math.Floor(math.Log10(a)))), v)
	}
}
