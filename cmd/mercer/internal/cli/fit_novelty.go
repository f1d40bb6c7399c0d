package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// fitNovelty is mercer fit --task novelty: read, fit, judge, save, report. There is no search.
func (f *fitting) fitNovelty(ctx context.Context) error {
	o := f.o
	if err := o.checkNovelty(); err != nil {
		return err
	}
	if err := f.o.checkPagePlaces(); err != nil {
		return err
	}
	if err := f.readNovelty(ctx); err != nil {
		return err
	}
	options, err := f.noveltyOptions()
	if err != nil {
		return err
	}
	fmt.Fprintln(f.say, f.data.Summary())
	if f.label != "" {
		fmt.Fprintf(f.say, "%s (--target none to use it)\n", heldLabel(f.label))
	}
	done := f.busy(f.style, "learning where the rows lie")
	r, err := tune.Novelty(ctx, f.data, options)
	done()
	if _, bad := asSpec(err); bad {
		return kernelError("--kernel", err)
	}
	if err != nil {
		return fitError(f.memory.inMemory(f.data, err))
	}
	for _, n := range r.Notes {
		fmt.Fprintln(f.say, n)
	}
	info := model.Info{DataName: f.data.Name, DataHash: f.data.Hash, Seed: o.Seed, Version: Version,
		Notes: map[string]string{}}
	info.Spec = fmt.Sprintf("one-class, nu=%g", r.Nu)
	if r.Tested > 0 {
		info.Notes["test outside"] = fmt.Sprintf("%s of %s rows like those fitted on (95%% interval %s–%s)", number(r.Alarms),
			phrase.Thousands(r.Tested), number(r.AlarmsLow), number(r.AlarmsHigh))
	}
	m, err := r.Model(info)
	if err != nil {
		return err
	}
	if err := m.Save(o.Output); err != nil {
		return err
	}
	if f.page = o.reportPath(); f.page != "" {
		if err := f.noveltyReport(ctx, r, m); err != nil {
			return err
		}
	}
	return f.tellNovelty(r, m)
}

// checkNovelty refuses what a fit without a target has no use for.
func (o *fitOptions) checkNovelty() error {
	for _, name := range (learnerList{&o.Learners}).names() {
		if name != "one-class" {
			return usage("--task novelty: it is learnt by a one-class support vector machine; leave --learner out")
		}
	}
	switch {
	case len(o.Grid) > 0 || o.Metric != "" || o.Task.Nested > 0 || o.Task.Refit || o.Task.ClassWeight != "" ||
		o.Solver != "":
		return usage("--task novelty: there is no search without an answer to judge by; leave --grid, --metric, --nested, " +
			"--refit, --class-weight and --solver out, and say --kernel and --nu")
	case o.Noise != "":
		return usage("--noise: it is a variance of the target, and --task novelty has none; leave it out")
	case !(o.Task.Nu > 0 && o.Task.Nu <= 1):
		return usage("--nu: %g; give a share of rows between 0 and 1", o.Task.Nu)
	case o.Positive != "" && (o.Target == "" || o.Target == "none"):
		return usage("--positive: it names the class of the rows that are known to be novel; name its column with --target")
	case o.Target != "" && o.Target != "none" && o.Positive == "":
		return usage("--task novelty: of the classes of %q one is that of the novel rows; name it with --positive, or "+
			"leave the column out with --ignore %s", o.Target, shellWord(o.Target))
	}
	return nil
}

func (f *fitting) readNovelty(ctx context.Context) error {
	f.o.Input.Memory = f.o.Memory
	in, err := f.o.Input.options(f.App)
	if err != nil {
		return err
	}
	in.Weights, in.Seed, in.Target, in.NoTarget = f.o.Weights, f.o.Seed, f.o.Target, f.o.Target == "none"
	if in.NoTarget {
		in.Target, f.o.Target = "", ""
	}
	if f.data, err = f.App.read(ctx, f.o.Data, in); err != nil {
		return err
	}
	if f.o.Target == "" {
		if f.label, err = leaveOutClasses(f.data); err != nil {
			return err
		}
	}
	return f.readTest(ctx)
}

// leaveOutClasses takes out the column that would be the target if there were one, where it holds
// classes: a kernel between objects that takes their class for a part of them is not asked for. One
// of numbers is a feature like any other.
func leaveOutClasses(d *data.Dataset) (label string, err error) {
	name := d.Target
	if d.Target = ""; name == "" {
		return "", nil
	}
	c, err := d.Column(name)
	if err != nil {
		return "", inputError(err)
	}
	if task, _, err := data.InferTask(c); d.Sparse == nil && (err != nil || !task.Classification()) {
		return "", nil
	}
	d.Columns = slices.DeleteFunc(slices.Clone(d.Columns), func(c data.Column) bool { return c.Name == name })
	return name, nil
}

func (f *fitting) noveltyOptions() (tune.NoveltyOptions, error) {
	o := f.o
	out := tune.NoveltyOptions{Nu: o.Task.Nu, Target: o.Target, Novel: o.Positive, Seed: o.Seed, Threads: o.Threads,
		Split: f.told, Holdout: o.Holdout}
	switch {
	case o.Holdout == 0:
		out.Holdout = -1
	case !(o.Holdout > 0 && o.Holdout < 1):
		return out, usage("--holdout: %g; give a share between 0 and 1", o.Holdout)
	}
	var err error
	if out.Encoder, err = o.Encoding.options(); err != nil {
		return out, err
	}
	if out.Written = o.Kernel; o.Encoding.Text == "auto" {
		out.Encoder.Text = "" // as the texts are written
	}
	if o.Target != "" {
		c, err := f.data.Column(o.Target)
		if err != nil {
			return out, inputError(err)
		}
		classes, err := c.As(data.Categorical)
		if err != nil {
			return out, inputError(err)
		}
		if !slices.Contains(classes.Levels, o.Positive) {
			_, err := positiveCode(o.Positive, classes.Levels)
			return out, err
		}
	}
	out.Bytes, err = f.memory.left(f.data)
	return out, err
}

func (f *fitting) tellNovelty(r *tune.NoveltyResult, m *model.Model) error {
	rows := len(r.Split.Train) - r.Dropped
	if f.o.JSON {
		enc := json.NewEncoder(f.Out)
		enc.SetIndent("", " ")
		novel := map[string]any{"rows": r.Novel, "outside": orNull(r.Caught), "auc": orNull(r.AUC)}
		if r.Novel > 0 {
			novel["low"], novel["high"] = r.CaughtLow, r.CaughtHigh
		}
		usual := map[string]any{"rows": r.Tested, "outside": orNull(r.Alarms)}
		if r.Tested > 0 {
			usual["low"], usual["high"] = r.AlarmsLow, r.AlarmsHigh
		}
		return enc.Encode(map[string]any{"data": f.data.Name, "task": "novelty", "learner": m.Learner(), "kernel": m.Kernel(),
			"nu": r.Nu, "rows": rows, "support_vectors": r.Support,
			"label": f.label, "fitted_outside": r.Fitted, "test": usual, "novel": novel,
			"warnings": append([]string{}, modelWarnings(m)...), "model": f.o.Output, "report": f.page})
	}
	fmt.Fprintf(f.say, "\nchosen   one-class, %s, nu=%g: %s support vectors of %s\n", spec.Rounded(m.Kernel()), r.Nu,
		phrase.Thousands(r.Support), phrase.Thousands(rows))
	fmt.Fprintf(f.say, "fitted   on %s, of which %s lie outside\n", plural(rows, "row"), percentText(r.Fitted))
	tellWarnings(f.say, 80, modelWarnings(m))
	if r.Tested > 0 {
		fmt.Fprintf(f.say, "test     %s of %s held out lie outside (95%% interval %s–%s)\n", percentText(r.Alarms),
			plural(r.Tested, "row"), percentText(r.AlarmsLow), percentText(r.AlarmsHigh))
	}
	if r.Novel > 0 {
		fmt.Fprintf(f.say, "novel    %s of %s of class %q lie outside (95%% interval %s–%s), auc %s\n", percentText(r.Caught),
			plural(r.Novel, "row"), clipName(f.o.Positive), percentText(r.CaughtLow), percentText(r.CaughtHigh), number(r.AUC))
	}
	fmt.Fprintf(f.say, "wrote    %s\n", joinFiles(f.o.Output, f.page))
	_, err := fmt.Fprintf(f.say, "\npredict  mercer predict %s new.csv --decision\n", shellWord(f.o.Output))
	return err
}

// percentText is a share in percent, with two digits; near to all of it, where two would round to
// 1e+02, with three.
func percentText(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case 100*v >= 99.5:
		return fmt.Sprintf("%.3g%%", 100*v)
	}
	return fmt.Sprintf("%.2g%%", 100*v)
}
