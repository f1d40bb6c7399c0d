package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/tune"
	"github.com/spf13/pflag"
)

// taskOptions says what there is to learn, and how it is judged, where that is not left to the
// data.
type taskOptions struct {
	Task        string
	ClassWeight string
	Costs       string
	Threshold   string
	Order       string
	Forecast    int
	Season      int
	Ahead       string
	Repeats     int
	Nested      int
	Test        string
	Refit       bool
	Transform   string
	Nu          float64
}

func taskNames() []string { return []string{"classify", "ordinal", "regress", "rank", "novelty"} }

func (o *taskOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.Task, "task", "", "what to learn: "+strings.Join(taskNames(), ", ")+
		"; default: as the target says (see: mercer help tasks)")
	f.StringVar(&o.ClassWeight, "class-weight", "",
		"how dear a mistake is, by class: balanced, or NAME=WEIGHT,…; scores do not know it")
	f.StringVar(&o.Costs, "costs", "",
		"what a row costs that is taken for the other of two classes, NAME=COST,…: the model names a class from the "+
			"probability of least cost on (see: mercer help tasks)")
	f.StringVar(&o.Threshold, "threshold", "",
		"probability from which on a class is named: 0.2 of the rarer, or NAME=0.2; default: the likelier class, and where "+
			"one of two is rare the threshold of the best f1")
	f.IntVar(&o.Forecast, "forecast", 0,
		"steps to forecast of a series in time, whose times are --order: trend, season and lags, judged from rolling origins")
	f.IntVar(&o.Season, "season", 0, "forecast: steps of a season, as 12 for months; 0: found from the series, -1: none")
	f.StringVar(&o.Ahead, "ahead", "",
		"forecast: columns NAME,… that are known ahead, and come with the rows to forecast; those that DATA has after the "+
			"end of the series are; others are looked at as far back as the horizon")
	f.StringVar(&o.Order, "order", "",
		"column of numbers or dates: the latest rows are held out, and folds judge later rows by earlier ones; it is "+
			"learnt from, too, unless --ignore names it")
	f.StringVar(&o.Test, "test", "", "file with the rows for the final test, in place of --holdout")
	f.BoolVar(&o.Refit, "refit", false, "after the test fit the choice once more, on all rows")
	f.StringVar(&o.Transform, "transform", "none",
		"what a model of numbers is fitted to, predictions being mapped back: "+strings.Join(tune.Transforms(), ", ")+
			" (see: mercer help tasks)")
	f.IntVar(&o.Repeats, "repeats", 0, "times the folds are drawn anew; 0: once, where rows are few three times")
	f.IntVar(&o.Nested, "nested", 0,
		"also say what the whole search is worth: outer folds that each have a search of their own; 0: none")
	f.Float64Var(&o.Nu, "nu", 0.05, "novelty: the share of rows that may lie outside")
}

// untold says whether all is left as it is by default, but for the share of novelties.
func (o *taskOptions) untold() bool {
	var d taskOptions
	d.flags(pflag.NewFlagSet("", pflag.ContinueOnError))
	d.Nu = o.Nu
	return *o == d
}

// settle puts the flags into the options of the search, once it is known what the target is.
func (o *taskOptions) settle(out *tune.AutoOptions, d *data.Dataset) (task data.Task, err error) {
	if o.Task != "" && !slices.Contains(taskNames(), o.Task) {
		return 0, usage("--task: %q%s; give %s", o.Task, meant(o.Task, taskNames()), strings.Join(taskNames(), ", "))
	}
	target, err := d.Column(d.Target)
	if err != nil {
		return 0, inputError(err)
	}
	switch o.Task {
	case "":
		if len(d.More) > 0 {
			task = data.Regression
		} else if task, _, err = data.InferTask(target); err != nil {
			return 0, inputError(data.PlaceError(d.Name, 0, err))
		}
	case "classify":
		if task, err = data.ClassTask(target); err != nil {
			return 0, inputError(data.PlaceError(d.Name, 0, err))
		}
		out.Task = task
	case "ordinal":
		if target.Kind != data.Numeric {
			return 0, usage("--task ordinal: target %q is %s, whose values have no order; write the grades as numbers, as in "+
				"1 to 5, or take them as classes with --task classify", target.Name, target.Kind)
		}
		if task, err = data.ClassTask(target); err != nil {
			return 0, inputError(data.PlaceError(d.Name, 0, err))
		}
		if out.Task = task; out.Learners == nil {
			out.Learners = []string{"ordinal"}
		}
		out.Metric = tune.GradeError()
	default:
		if target.Kind != data.Numeric {
			return 0, usage("--task %s: target %q is %s, and there numbers are learnt; choose another with --target", o.Task,
				target.Name, target.Kind)
		}
		task, out.Task = data.Regression, data.Regression
		if o.Task == "rank" {
			if d.Groups == "" {
				return 0, usage("--task rank: rows are ranked among those of one query; name the column that says which " +
					"with --groups")
			}
			if out.Metric, err = tune.MetricByName("ndcg", task); err != nil {
				return 0, metricError(err)
			}
		}
	}
	if err := o.transform(out, d, task); err != nil {
		return 0, err
	}
	out.Time, out.Refit, out.Repeats = o.Order, o.Refit, o.Repeats
	switch {
	case o.Repeats < 0:
		return 0, usage("--repeats: %d; give a positive number, or 0", o.Repeats)
	case o.Repeats > 1 && o.Order != "":
		return 0, usage("--repeats: folds in the order of %q have no chance in them; leave one of the two out", o.Order)
	case o.Nested < 0 || o.Nested == 1:
		return 0, usage("--nested: %d; give 2 or more outer folds, or 0 for none", o.Nested)
	}
	if o.Order != "" {
		c, err := d.Column(o.Order)
		switch {
		case err != nil:
			return 0, inputError(err)
		case c.Kind != data.Numeric && c.Kind != data.Time:
			return 0, usage("--order: column %q is %s; give one of numbers or dates", o.Order, c.Kind)
		case slices.Contains(d.Targets(), o.Order):
			return 0, usage("--order: %q is the target", o.Order)
		}
	}
	if err := o.decide(out, target, task); err != nil {
		return 0, err
	}
	return task, o.weigh(out, target, task)
}

// weigh reads --class-weight.
func (o *taskOptions) weigh(out *tune.AutoOptions, target *data.Column, task data.Task) error {
	switch {
	case o.ClassWeight == "":
		return nil
	case !task.Classification():
		return usage("--class-weight: there are no classes, but a quantity to predict")
	case o.ClassWeight == "balanced":
		out.Balance = learn.Balanced
		return nil
	}
	classes, err := target.As(data.Categorical)
	if err != nil {
		return inputError(err)
	}
	out.ClassWeights = map[string]float64{}
	for _, part := range strings.Split(o.ClassWeight, ",") {
		name, text, ok := cutLast(part, "=")
		w, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		name = strings.TrimSpace(name)
		switch {
		case !ok || err != nil || !(w > 0) || w > 1e300:
			return usage("--class-weight: %q; write balanced, or NAME=WEIGHT with a positive number, as in yes=5,no=1", part)
		case !slices.Contains(classes.Levels, name):
			return usage("--class-weight: no class %q%s; there are %s", name, meant(name, classes.Levels),
				joinSome(classes.Levels))
		}
		out.ClassWeights[name] = w
	}
	return nil
}

// checkLearners reads --learner, of which there may be several with parameters.
func (o *fitOptions) checkLearners(task data.Task) error {
	err := tune.CheckLearners(o.Learners, task)
	if err == nil {
		return nil
	}
	// Counts of few different values are taken for classes, and a likelihood of counts is not.
	if bad, ok := asSpec(err); ok && task.Classification() && (learnerList{&o.Learners}).ofNumbers(task) {
		return usage("--learner: that parameter is of a learner of numbers, and the target is taken for classes; give "+
			"--task regress\n%s", indent(bad.Point()))
	}
	return kernelError("--learner", err)
}

// learnerList is the value of --learner: texts of learners, which have commas of their own inside
// parentheses.
type learnerList struct{ texts *[]string }

func (l learnerList) String() string {
	if l.texts == nil {
		return ""
	}
	return strings.Join(*l.texts, ",")
}

func (l learnerList) Type() string { return "learners" }

// Set adds to what was given before.
func (l learnerList) Set(text string) error {
	*l.texts = append(*l.texts, text)
	return nil
}

// ofNumbers says that a parameter is given that its learner has of numbers and not for a task.
func (l learnerList) ofNumbers(task data.Task) bool {
	for _, text := range *l.texts {
		learners, _ := spec.ParseLearners(text)
		for _, one := range learners {
			entry, _ := all.Described(one.Name)
			has := func(task data.Task, name string) bool {
				return slices.ContainsFunc(entry.ParamsFor(task), func(p learn.Param) bool { return p.Name == name })
			}
			for _, s := range one.Settings {
				if !has(task, s.Name) && has(data.Regression, s.Name) {
					return true
				}
			}
		}
	}
	return false
}

// names are those of the learners that were asked for, without their parameters; what cannot be
// read is said elsewhere.
func (l learnerList) names() []string {
	var out []string
	for _, text := range *l.texts {
		learners, err := spec.ParseLearners(text)
		if err != nil {
			return nil
		}
		for _, one := range learners {
			out = append(out, one.Name)
		}
	}
	return out
}

// readTest takes in the rows of --test after those that are fitted on; they are read as the others
// were.
func (f *fitting) readTest(ctx context.Context) error {
	if f.o.Task.Test == "" {
		return nil
	}
	if f.o.Bags != "" {
		return usage("--test: with --bags rows are put together; put both files into one, and hold out with --holdout")
	}
	in, err := f.o.Input.options(f.App)
	if err != nil {
		return err
	}
	in.Target, in.NoTarget, in.Weights, in.Noise, in.Groups, in.Order, in.Seed = f.data.Target, f.data.Target == "",
		f.data.Weights, f.data.Noise, f.data.Groups, f.data.Order, f.o.Seed
	if e, err := data.FitEncoder(f.data, data.EncoderOptions{Missing: "mean"}); err == nil {
		in.Readings = e.Readings()
	}
	test, err := f.App.read(ctx, f.o.Task.Test, in)
	if err != nil {
		return err
	}
	if test.Hash != "" && test.Hash == f.data.Hash {
		return usage("--test: %s is the file that is fitted on", f.o.Task.Test)
	}
	same := *test
	same.Columns = nil
	for i := range f.data.Columns {
		c, err := test.Column(f.data.Columns[i].Name)
		if err != nil {
			return inputError(err)
		}
		same.Columns = append(same.Columns, *c)
	}
	n, m := f.data.Len(), test.Len()
	if f.data.Sparse != nil && test.Sparse == nil || f.data.Sparse == nil && test.Sparse != nil {
		return usage("--test: %s has features of another form than %s", f.o.Task.Test, f.data.Name)
	}
	both, err := data.Concat([]*data.Dataset{f.data, &same})
	if err != nil {
		return inputError(err)
	}
	f.data = both
	f.told = &data.Fold{}
	for i := range n + m {
		if i < n {
			f.told.Train = append(f.told.Train, i)
		} else {
			f.told.Test = append(f.told.Test, i)
		}
	}
	return nil
}

// inTestFile gives a fault of a row of --test, which stands after those of the other file, the
// place that it has in its own.
func (f *fitting) inTestFile(err error) error {
	var wrong *data.Error
	if f.told == nil || !errors.As(err, &wrong) || wrong.Row <= len(f.told.Train) {
		return err
	}
	placed := *wrong
	placed.File, placed.Row = filepath.Base(f.o.Task.Test), wrong.Row-len(f.told.Train)
	return &placed
}

// nest judges the whole search on outer folds, in its share of the time.
func (f *fitting) nest(ctx context.Context) error {
	if f.o.Task.Nested == 0 || f.found.Interrupted {
		return nil
	}
	o := f.options
	o.Trace, o.Split = nil, nil
	o.Budget *= nestedShare - 1
	done := f.busy(f.style, fmt.Sprintf("judging the search on %d outer folds", f.o.Task.Nested))
	r, err := o.Nested(ctx, f.data, f.o.Task.Nested)
	done()
	switch {
	case err != nil && ctx.Err() != nil:
		return nil // the model is there
	case err != nil:
		return fitError(err)
	}
	f.nested = r
	return nil
}

// nestedShare is the part of the time, one in so many, that the search itself has where outer folds
// have the rest.
const nestedShare = 4

// tellNested prints what outer folds say.
func (f *fitting) tellNested() {
	r := f.nested
	if r == nil {
		return
	}
	partial := ""
	if r.Partial {
		partial = ", stopped before the last"
	}
	fmt.Fprintf(f.say, "nested   %s %s ± %s over %d outer folds, each with a search of its own%s\n",
		metricText(r.Metric.Name, f.found.Positive), number(r.Mean), number(r.SE), len(r.Scores), partial)
}
