package cli

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/tune"
	"github.com/spf13/cobra"
)

// fitOptions is everything `mercer fit` can be told.
type fitOptions struct {
	Data    string
	Command string // how to run it again

	Target, Weights, Noise, Groups string
	OutputsKernel                  string
	Bags                           string
	Task                           taskOptions
	Input                          inputOptions
	Encoding                       encodingOptions

	Learners     []string
	Solver       string
	Centers      int
	CenterAt     string
	Temp         string
	Kernel       string
	Repair       string
	Grid         []string
	Strategy     string
	Metric       string
	Positive     string
	Folds        int
	Holdout      float64
	OneSE        bool
	Best         string
	NoProba      bool
	NoBackground bool
	Time         time.Duration
	Memory       string
	Seed         uint64
	Threads      int
	Device       deviceOption

	Output  string
	Report  string
	Journal string
	Quiet   bool
	JSON    bool
}

func newFit(a *App) *cobra.Command {
	o := &fitOptions{}
	cmd := &cobra.Command{
		Use:   "fit DATA",
		Short: "Find a good model for a data set, test it and save it",
		Long: `Read a data set, find out what there is to predict, hold out rows for a final
test, search for a good learner, kernel and parameters by cross-validation on
the rest, and save the model and a page that reports on it.

DATA is a file (see: mercer help formats), "-" for standard input, or the name
of a built-in set (see: mercer data).`,
		Example: `  mercer fit iris
  mercer fit houses.csv --target price --time 2m
  mercer fit sales.csv --missing mean --kernel 'gaussian() + linear()'
  mercer fit churn.csv --class-weight balanced --learner 'svm(nu=0.2), ridge'
  mercer fit train.csv --test test.csv --refit
  mercer fit a1a --format libsvm -o a1a.mercer --report none`,
		Args: dataArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Data, o.Command = args[0], "mercer "+strings.Join(a.Args, " ")
			if o.Task.Test != "" && cmd.Flags().Changed("holdout") {
				return usage("--holdout: the rows to test on are those of --test; leave one of the two out")
			}
			return a.fit(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Target, "target", "",
		"column to predict, or several of numbers as in a,b (see: mercer help learners); default: the last")
	f.StringVar(&o.OutputsKernel, "outputs-kernel", "",
		"of several targets, the matrix B of their kernel k·B in units of their deviations, as '1,0.8; 0.8,1': they are "+
			"one model then; default: found, where they are one (--learner 'gp(outputs=joint)', or the folds choose it)")
	f.StringVar(&o.Weights, "weights", "", "column of row weights")
	f.StringVar(&o.Noise, "noise", "",
		"column of the noise variance of each row's target, where it is known: for gp, which is then the learner")
	f.StringVar(&o.Groups, "groups", "", "column of groups that must not be on both sides of a split")
	f.StringVar(&o.Bags, "bags", "",
		"column that says which example a row is an instance of: rows of one value are one example")
	o.Task.flags(f)
	f.Var(learnerList{&o.Learners}, "learner",
		"learners to try, as svm,ridge or 'svm(nu=0.2), norma(loss=hinge, budget=100)'; one of them is fitted, with the "+
			"numbers written, or nothing is; there are "+learnerNames()+
			"; default: chosen by the data (see: mercer help learners)")
	f.StringVar(&o.Solver, "solver", "", "how the model is fitted in the end: "+strings.Join(tune.SolverNames(), ", ")+
		"; default: what rows, time and memory allow")
	f.IntVar(&o.Centers, "centers", 0, "points that a model of many rows is made of; 0: as many as there is time for")
	f.StringVar(&o.CenterAt, "center-file", "",
		"file with the columns of DATA whose rows are the centres of --learner rbf; default: they are chosen")
	f.StringVar(&o.Kernel, "kernel", "",
		"kernel, as in 'gaussian(lengthscale=2) + linear()' or 'gaussian() on age,price + ssk() on title'; numbers stay as "+
			"written, other length-scales are varied")
	repairFlag(f, &o.Repair)
	f.StringArrayVar(&o.Grid, "grid", nil,
		"values to try for a parameter: NAME=1,2,4 or NAME=LOW:HIGH:COUNT (equal ratios); repeatable")
	f.StringVar(&o.Strategy, "strategy", "grid", "how to search: "+strings.Join(strategyNames(), ", "))
	f.StringVar(&o.Metric, "metric", "", "what to judge by; default: accuracy, or rmse")
	f.StringVar(&o.Positive, "positive", "", "class that f1 is of; default: the rarer of two")
	f.IntVar(&o.Folds, "folds", 0,
		"folds of the cross-validation; 0: 5, and where rows are few several times over with other folds")
	f.Float64Var(&o.Holdout, "holdout", 0.2, "share of rows kept for the final test; 0: none")
	f.BoolVar(&o.OneSE, "one-se", false, "choose the simplest model within one standard error of the best")
	f.StringVar(&o.Best, "best", "one",
		"what may be chosen: one model, or a committee of several where it is better by more than chance: one, committee")
	f.BoolVar(&o.NoProba, "no-proba", false, "do not calibrate class probabilities")
	f.BoolVar(&o.NoBackground, "no-background", false,
		"keep no rows in the model file that explanations compare with; centres of kernels are rows, too")
	f.DurationVar(&o.Time, "time", time.Minute, "time for the whole command, reading and report included, as in 90s or 5m")
	f.StringVar(&o.Memory, "memory", "",
		"memory for data and computation, as in 2GB, beside 64MB for the program itself; default: a quarter of the machine's")
	f.StringVar(&o.Temp, "tmp", "",
		"folder for the numbers of a text file that is larger than --memory, removed at the end; default: that of the journal")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of every random choice")
	f.IntVar(&o.Threads, "threads", 0,
		"threads; default: all cores. The result depends on it only where --time ends the search")
	o.Device.flag(f)
	f.StringVarP(&o.Output, "output", "o", "model.mercer", "model file to write")
	f.StringVar(&o.Report, "report", "",
		"report page to write; default: NAME.report.html beside NAME.mercer; none: no page")
	f.StringVar(&o.Journal, "journal", "",
		"file that makes the search resumable; default: the model's name with .journal, removed at the end")
	f.BoolVarP(&o.Quiet, "quiet", "q", false, "say nothing but errors, and what the time was too short for")
	f.BoolVar(&o.JSON, "json", false, "progress and result as JSON")
	o.Input.flags(f)
	o.Encoding.flags(f)
	return cmd
}

// learnerNames lists what --learner takes.
func learnerNames() string {
	return strings.Join(all.Names(), ", ")
}

// dataArgs checks the number of arguments with an error that says what to give.
func dataArgs(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usage("usage: mercer %s\n  (see: mercer %s --help)", cmd.UseLine()[len("mercer "):],
				strings.TrimPrefix(cmd.CommandPath(), "mercer "))
		case most >= 0 && len(args) > most:
			return usage("%q is one argument too many; usage: %s", args[most], cmd.UseLine())
		}
		return nil
	}
}

// auto turns the flags into the options of the search.
func (o *fitOptions) auto(d *data.Dataset) (tune.AutoOptions, error) {
	out := tune.AutoOptions{
		NoProbabilities: o.NoProba, Positive: o.Positive,
		Folds: o.Folds, OneSE: o.OneSE, Seed: o.Seed, Threads: o.Threads, Journal: o.Journal, Holdout: o.Holdout,
		Solver: o.Solver, Centers: o.Centers,
	}
	if o.Solver != "" && !slices.Contains(tune.SolverNames(), o.Solver) {
		return out, usage("--solver: unknown solver %q%s; give %s", o.Solver, meant(o.Solver, tune.SolverNames()),
			strings.Join(tune.SolverNames(), ", "))
	}
	switch o.Best {
	case "", "one":
	case "committee":
		out.Best = tune.BestCommittee
	default:
		return out, usage("--best: %q%s; give one or committee", o.Best, meant(o.Best, words("one, committee")))
	}
	if o.Centers < 0 {
		return out, usage("--centers: %d; give a positive number, or 0 for as many as there is time for", o.Centers)
	}
	switch {
	case o.Holdout == 0:
		out.Holdout = -1
	case !(o.Holdout > 0 && o.Holdout < 1):
		return out, usage("--holdout: %g; give a share between 0 and 1", o.Holdout)
	}
	if o.Folds != 0 && o.Folds < 2 {
		return out, usage("--folds: %d; give 2 or more, or 0 for 5", o.Folds)
	}
	if o.Threads < 0 {
		return out, usage("--threads: %d; give a positive number, or 0 for all cores", o.Threads)
	}
	var err error
	if out.Encoder, err = o.Encoding.options(); err != nil {
		return out, err
	}
	if o.Encoding.Text == "auto" {
		out.Encoder.Text = "" // the search decides, and says so
	}
	out.Learners = o.Learners
	if out.Outputs, err = o.outputsKernel(d); err != nil {
		return out, err
	}
	if err := o.kernel(&out, d); err != nil {
		return out, err
	}
	if out.Repair, err = parseRepair(o.Repair); err != nil {
		return out, err
	}
	if out.Strategy, err = strategy(o.Strategy); err != nil {
		return out, err
	}
	if err := o.categoryKernel(&out, d); err != nil {
		return out, err
	}
	if err := o.grid(&out); err != nil {
		return out, err
	}
	return out, o.metric(&out, d)
}

func meant(name string, candidates []string) string {
	if near, ok := phrase.Nearest(name, candidates); ok {
		return " (did you mean " + strconv.Quote(near) + "?)"
	}
	return ""
}

// metric sets what models are judged by, where that is said; else the search
// decides.
func (o *fitOptions) metric(out *tune.AutoOptions, d *data.Dataset) error {
	if err := o.checkSeveral(d); err != nil {
		return err
	}
	task, err := o.Task.settle(out, d)
	if err != nil {
		return err
	}
	if err := o.checkLearners(task); err != nil {
		return err
	}
	if err := o.checkNoise(d, task); err != nil {
		return err
	}
	if err := o.checkPositive(d, task); err != nil {
		return err
	}
	if o.Metric == "evidence" {
		for _, name := range (learnerList{&o.Learners}).names() {
			if l, ok := all.Described(name); ok && !l.Evidence {
				return usage("--metric evidence: %s has no marginal likelihood; give --learner gp, or another metric", name)
			}
		}
		out.Evidence = true
		return nil
	}
	if o.Metric != "" {
		if out.Metric, err = tune.MetricByName(o.Metric, task); err != nil {
			return metricError(err)
		}
	}
	return nil
}

// metricError names the metric that may be meant.
func metricError(err error) error {
	var bad *tune.MetricError
	if errors.As(err, &bad) {
		return usage("--metric: %w%s", bad, meant(bad.Name, bad.Known))
	}
	return usage("--metric: %w", err)
}
