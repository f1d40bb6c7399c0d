package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/progress"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
	"github.com/spf13/cobra"
)

type compareOptions struct {
	Models       [2]string
	Data, Target string
	Weights      string
	Groups       string
	Input        inputOptions
	Policy       policyOptions
	Permutations int
	Alpha        float64
	Seed         uint64
	JSON         bool
}

func newCompare(a *App) *cobra.Command {
	o := &compareOptions{}
	cmd := &cobra.Command{
		Use:   "compare MODEL MODEL DATA",
		Short: "Test whether one of two models is better on the same rows",
		Long: `Judge two models by rows that neither was fitted on, and say whether the
difference is more than chance. Every row is judged by both, so the tests are
paired:

  classes     McNemar's exact test on the rows that one of the two gets right
              and the other wrong; with probabilities also the log loss
  quantities  squared and absolute errors

Losses are compared by drawing the signs of their differences anew: where models
are equally good, a difference is as likely to have the other sign. That keeps
its level at any number of rows; a t-test needs many, Wilcoxon's test asks about
the median. The interval is of the mean difference, by the normal distribution.

Rows of one patient, or one query, are no evidence each of its own: with
--groups the signs of whole groups are drawn, of accuracies too, and quantities
are also compared by how they rank the rows of a group (ndcg).`,
		Example: `  mercer fit train.csv --learner svm -o svm.mercer
  mercer fit train.csv --learner gp -o gp.mercer
  mercer compare svm.mercer gp.mercer test.csv`,
		Args: dataArgs(3, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Models, o.Data = [2]string{args[0], args[1]}, args[2]
			return a.compare(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Target, "target", "", "column with the answers; default: the models' own target")
	f.StringVar(&o.Weights, "weights", "", "column of row weights; default: the models' own, where it is here")
	f.StringVar(&o.Groups, "groups", "",
		"column that says which rows are of one thing, and count as one; default: the models' own, where it is here")
	f.Float64Var(&o.Alpha, "alpha", 0.05, "level of the tests")
	f.IntVar(&o.Permutations, "permutations", 9999, "draws of signs that a p-value is counted over")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of the draws")
	f.BoolVar(&o.JSON, "json", false, "write JSON")
	o.Input.flags(f)
	o.Policy.flags(f)
	return cmd
}

// comparison is one measure of two models, and the test of its difference. Numbers that there are
// none of are NaN.
type comparison struct {
	Measure            string
	First, Second      float64
	Low, High          float64 // 95 % interval of the mean of first − second
	P                  float64
	Test               string
	OnlyFirst, Only2nd int // rows that one alone gets right
	Units              int // groups, where rows are not by themselves
	counts             bool
	mcnemar            bool
	smaller            bool // is better
}

func (a *App) compare(ctx context.Context, o *compareOptions) error {
	if !(o.Alpha > 0 && o.Alpha < 1) {
		return usage("--alpha: %g; give a level between 0 and 1, as in 0.05", o.Alpha)
	}
	if o.Permutations < 19 || o.Permutations > 10_000_000 {
		return usage("--permutations: %d; give a number from 19 to 10,000,000", o.Permutations)
	}
	var judged [2]learn.Predictions
	var all *data.Dataset
	var models [2]*model.Model
	for i, path := range o.Models {
		m, err := a.memory.predictor(path)
		if err != nil {
			return err
		}
		if m, err = ofTarget(m, path, o.Target); err != nil {
			return err
		}
		if models[i], err = o.Policy.apply(m); err != nil {
			return err
		}
	}
	if err := o.alike(models); err != nil {
		return err
	}
	for i, m := range models {
		in, err := o.Input.options(a)
		if err != nil {
			return err
		}
		if in.Target = o.Target; in.Target == "" {
			in.Target = m.Target()
		}
		if enc := m.Info().Encoder; enc != nil {
			in.Readings = enc.Readings()
		}
		in.Weights, in.Groups = o.Weights, o.Groups
		d, err := a.read(ctx, o.Data, in)
		if err != nil {
			return err
		}
		all = d
		// both predictions are judged by the same roles: the first model's, then what the second
		// has beside them
		for _, m := range models {
			takeRoles(m, d)
		}
		if rows, _ := m.TrainedOn(d); len(rows) > 0 {
			fmt.Fprintf(a.Err, "%s: %s was fitted on %s of these %s rows, which it knows better than new ones\n", o.Data,
				o.Models[i], phrase.Thousands(len(rows)), phrase.Thousands(d.Len()))
		}
		if judged[i], _, err = m.Judged(ctx, d); err != nil {
			return inputErrorFor(err, true)
		}
		if err := a.tellDoubtful(m, d, judged[i].Rows, o.Data+", for "+o.Models[i]); err != nil {
			return err
		}
	}
	judged[0], judged[1] = inCommon(judged[0], judged[1])
	if gone := all.Len() - len(judged[0].Truth); gone > 0 && !o.JSON {
		fmt.Fprintf(a.Err, "%s: %s without an answer, or with values missing that one of the models needs, left out\n",
			o.Data, plural(gone, "row"))
	}
	if all.Groups == "" {
		a.tellAlike(all)
	}
	if len(judged[0].Truth) < 2 {
		return usage("%s: %d rows that both models predict; give two or more with answers", o.Data, len(judged[0].Truth))
	}
	measures, err := o.comparisons(ctx, judged)
	if err != nil {
		return err
	}
	if o.JSON {
		return a.outcome(o.outcomeOf(measures, judged[0], all))
	}
	o.tell(a, measures, judged[0])
	return nil
}

// tellAlike says of columns that name what several rows are of, or that the rows are in the order
// of, that a test which takes all rows for independent may be wrong.
func (a *App) tellAlike(d *data.Dataset) {
	var out []string
	for _, name := range d.Grouping() {
		out = append(out,
			fmt.Sprintf("column %q names what several rows are of: where those of one are alike, p-values that count each by "+
				"itself are too small (--groups %s)", name, shellWord(name)))
	}
	for _, e := range d.Doubts() {
		if e.Remedy == mend.Order {
			out = append(out,
				fmt.Sprintf("the rows are in the order of %q: where errors of neighbours in time are alike, p-values that count "+
					"each row by itself are too small (give --groups a column of weeks or months)", e.Column))
		}
	}
	tellWarnings(a.Err, progress.Width(a.Err), out)
}

// alike refuses models of different tasks, or of different classes.
func (o *compareOptions) alike(m [2]*model.Model) error {
	a, b := slices.Sorted(slices.Values(m[0].Classes())), slices.Sorted(slices.Values(m[1].Classes()))
	switch {
	case len(a) == 0 != (len(b) == 0):
		return usage("%s predicts %s and %s %s; they cannot be compared", o.Models[0], m[0].Task(), o.Models[1], m[1].Task())
	case !slices.Equal(a, b):
		return usage("%s has the classes %s, and %s has %s; they cannot be compared", o.Models[0], joinSome(a), o.Models[1],
			joinSome(b))
	case o.Target == "" && m[0].Target() != m[1].Target():
		return usage("%s predicts %q and %s predicts %q; name the column with --target", o.Models[0], m[0].Target(),
			o.Models[1], m[1].Target())
	}
	return nil
}

// inCommon is the rows that both models judge.
func inCommon(a, b learn.Predictions) (learn.Predictions, learn.Predictions) {
	at := map[int]int{}
	for j, row := range b.Rows {
		at[row] = j
	}
	var of, to []int
	for i, row := range a.Rows {
		if j, ok := at[row]; ok {
			of, to = append(of, i), append(to, j)
		}
	}
	return a.Gather(of), b.Gather(to)
}

// verdict says which of the two is better, if that can be said.
func (o *compareOptions) verdict(c comparison) string {
	if c.P > o.Alpha {
		return "no difference to be told from chance"
	}
	if (c.First < c.Second) == c.smaller {
		return filepath.Base(o.Models[0]) + " is better"
	}
	return filepath.Base(o.Models[1]) + " is better"
}

func (o *compareOptions) tell(a *App, all []comparison, p learn.Predictions) {
	w := a.Out
	fmt.Fprintf(w, "%s against %s on %s: %s, judged by both\n", o.Models[0], o.Models[1], o.Data, judgedRows(p))
	for _, c := range all {
		fmt.Fprintf(w, "%s: %s against %s, difference %s (95%% interval %s to %s)\n", c.Measure, number(c.First),
			number(c.Second), number(c.First-c.Second), number(c.Low), number(c.High))
		if c.counts {
			fmt.Fprintf(w, "  right alone: the first on %s, the second on %s\n", plural(c.OnlyFirst, "row"),
				plural(c.Only2nd, "row"))
		}
		if test := c.Test; c.Units > 0 {
			c.Test = fmt.Sprintf("%s, one for each of %s", test, plural(c.Units, "group"))
		}
		fmt.Fprintf(w, "  p = %s (%s): %s at %g%%\n", pText(c.P), c.Test, o.verdict(c), 100*o.Alpha)
	}
}

func (o *compareOptions) outcomeOf(all []comparison, p learn.Predictions, d *data.Dataset) map[string]any {
	list := []map[string]any{}
	for _, c := range all {
		e := map[string]any{"measure": c.Measure, "first": c.First, "second": c.Second, "difference": c.First - c.Second,
			"low": c.Low, "high": c.High, "p": c.P, "reject": c.P <= o.Alpha}
		if e["test"] = "sign-flip"; c.mcnemar {
			e["test"] = "mcnemar"
		}
		if c.counts {
			e["only_first"], e["only_second"] = c.OnlyFirst, c.Only2nd
		}
		if c.Units > 0 {
			e["groups"] = c.Units
		}
		list = append(list, e)
	}
	return map[string]any{"models": o.Models, "data": o.Data, "rows": len(p.Truth), "weights": d.Weights,
		"groups": d.Groups, "alpha": o.Alpha, "seed": o.Seed, "comparisons": list}
}
