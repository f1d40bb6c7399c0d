package cli

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/stat"
	"github.com/spf13/cobra"
)

type compareOptions struct {
	Models       [2]string
	Data, Target string
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
the median. The interval is of the mean difference, by the normal distribution.`,
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
	f.Float64Var(&o.Alpha, "alpha", 0.05, "level of the tests")
	f.IntVar(&o.Permutations, "permutations", 9999, "draws of signs that a p-value is counted over")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of the draws")
	f.BoolVar(&o.JSON, "json", false, "write JSON")
	o.Input.flags(f)
	o.Policy.flags(f)
	return cmd
}

// comparison is one measure of two models, and the test of its difference. Numbers that there are none of are NaN.
type comparison struct {
	Measure            string
	First, Second      float64
	Low, High          float64 // 95 % interval of the mean of first − second
	P                  float64
	Test               string
	OnlyFirst, Only2nd int // rows that one alone gets right
	counts             bool
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
	var models [2]*model.Model
	for i, path := range o.Models {
		m, err := loadPredictor(path)
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
		d, err := a.read(ctx, o.Data, in)
		if err != nil {
			return err
		}
		if rows, _ := m.TrainedOn(d); len(rows) > 0 {
			fmt.Fprintf(a.Err, "%s: %s was fitted on %s of these %s rows, which it knows better than new ones\n", o.Data, o.Models[i], data.Thousands(len(rows)), data.Thousands(d.Len()))
		}
		if judged[i], _, err = m.Judged(ctx, d); err != nil {
			return inputErrorFor(err, true)
		}
	}
	judged[0], judged[1] = inCommon(judged[0], judged[1])
	if len(judged[0].Truth) < 2 {
		return usage("%s: %d rows that both models predict; give two or more with answers", o.Data, len(judged[0].Truth))
	}
	all, err := o.comparisons(ctx, models, judged)
	if err != nil {
		return err
	}
	if o.JSON {
		return a.outcome(o.outcomeOf(all, len(judged[0].Truth)))
	}
	o.tell(a, all, len(judged[0].Truth))
	return nil
}

// alike refuses models of different tasks, or of different classes.
func (o *compareOptions) alike(m [2]*model.Model) error {
	a, b := slices.Sorted(slices.Values(m[0].Classes())), slices.Sorted(slices.Values(m[1].Classes()))
	switch {
	case len(a) == 0 != (len(b) == 0):
		return usage("%s predicts %s and %s %s; they cannot be compared", o.Models[0], m[0].Task(), o.Models[1], m[1].Task())
	case !slices.Equal(a, b):
		return usage("%s has the classes %s, and %s has %s; they cannot be compared", o.Models[0], joinSome(a), o.Models[1], joinSome(b))
	case o.Target == "" && m[0].Target() != m[1].Target():
		return usage("%s predicts %q and %s predicts %q; name the column with --target", o.Models[0], m[0].Target(), o.Models[1], m[1].Target())
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

// comparisons is every measure that both models have.
func (o *compareOptions) comparisons(ctx context.Context, m [2]*model.Model, p [2]learn.Predictions) ([]comparison, error) {
	if p[0].Value != nil {
		var square, size [2][]float64
		for i := range p {
			for j, y := range p[i].Truth {
				d := p[i].Value[j] - y
				square[i], size[i] = append(square[i], d*d), append(size[i], math.Abs(d))
			}
		}
		rmse, err := o.losses(ctx, "mean squared error", square)
		if err != nil {
			return nil, err
		}
		mae, err := o.losses(ctx, "mean absolute error", size)
		return []comparison{rmse, mae}, err
	}
	right := [2][]bool{}
	for i := range p {
		for j, y := range p[i].Truth {
			right[i] = append(right[i], p[i].Class[j] == int(y))
		}
	}
	c, err := accuracies(right)
	if err != nil || p[0].Prob == nil || p[1].Prob == nil {
		return []comparison{c}, err
	}
	var loss [2][]float64
	for i := range p {
		for j, y := range p[i].Truth {
			loss[i] = append(loss[i], -math.Log(math.Max(p[i].Prob[j*p[i].Classes+int(y)], 1e-15)))
		}
	}
	l, err := o.losses(ctx, "log loss", loss)
	return []comparison{c, l}, err
}

// accuracies compares shares of right rows.
func accuracies(right [2][]bool) (comparison, error) {
	c := comparison{Measure: "accuracy", Test: "McNemar, exact", counts: true}
	n := float64(len(right[0]))
	var d []float64
	for j, first := range right[0] {
		second := right[1][j]
		c.First, c.Second = c.First+truth(first)/n, c.Second+truth(second)/n
		if first && !second {
			c.OnlyFirst++
		} else if second && !first {
			c.Only2nd++
		}
		d = append(d, truth(first)-truth(second))
	}
	c.Low, c.High = meanInterval(d)
	var err error
	c.P, err = stat.McNemar(c.OnlyFirst, c.Only2nd)
	return c, err
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// losses compares means of losses of the same rows.
func (o *compareOptions) losses(ctx context.Context, name string, loss [2][]float64) (comparison, error) {
	c := comparison{Measure: name, Test: fmt.Sprintf("%s draws of signs", data.Thousands(o.Permutations)), smaller: true}
	n := float64(len(loss[0]))
	d := make([]float64, len(loss[0]))
	for j := range d {
		d[j] = loss[0][j] - loss[1][j]
		c.First, c.Second = c.First+loss[0][j]/n, c.Second+loss[1][j]/n
	}
	c.Low, c.High = meanInterval(d)
	r, err := stat.SignFlip{TestSettings: stat.TestSettings{Permutations: o.Permutations, Alpha: o.Alpha, Seed: o.Seed}}.Test(ctx, d)
	if err != nil {
		return c, err
	}
	c.P = r.P
	return c, nil
}

// meanInterval is mean ± 1.96 standard errors.
func meanInterval(d []float64) (low, high float64) {
	n, mean, square := float64(len(d)), 0.0, 0.0
	for _, v := range d {
		mean += v / n
	}
	for _, v := range d {
		square += (v - mean) * (v - mean) / (n - 1)
	}
	half := 1.959963984540054 * math.Sqrt(square/n)
	return mean - half, mean + half
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

func (o *compareOptions) tell(a *App, all []comparison, rows int) {
	w := a.Out
	fmt.Fprintf(w, "%s against %s on %s: %s rows, judged by both\n", o.Models[0], o.Models[1], o.Data, data.Thousands(rows))
	for _, c := range all {
		fmt.Fprintf(w, "%s: %s against %s, difference %s (95%% interval %s to %s)\n", c.Measure, number(c.First), number(c.Second), number(c.First-c.Second), number(c.Low), number(c.High))
		if c.counts {
			fmt.Fprintf(w, "  right alone: the first on %s, the second on %s\n", plural(c.OnlyFirst, "row"), plural(c.Only2nd, "row"))
		}
		fmt.Fprintf(w, "  p = %s (%s): %s at %g%%\n", pText(c.P), c.Test, o.verdict(c), 100*o.Alpha)
	}
}

func (o *compareOptions) outcomeOf(all []comparison, rows int) map[string]any {
	list := []map[string]any{}
	for _, c := range all {
		e := map[string]any{"measure": c.Measure, "first": c.First, "second": c.Second, "difference": c.First - c.Second, "low": c.Low, "high": c.High, "p": c.P, "reject": c.P <= o.Alpha}
		if e["test"] = "sign-flip"; c.counts {
			e["test"], e["only_first"], e["only_second"] = "mcnemar", c.OnlyFirst, c.Only2nd
		}
		list = append(list, e)
	}
	return map[string]any{"models": o.Models, "data": o.Data, "rows": rows, "alpha": o.Alpha, "seed": o.Seed, "comparisons": list}
}
