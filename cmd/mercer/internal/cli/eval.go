package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
	"github.com/spf13/cobra"
)

type evalOptions struct {
	Model, Data, Target string
	Weights, Groups     string
	Positive            string
	Input               inputOptions
	Policy              policyOptions
	JSON                bool
	plotOptions
	Interval float64
	NewRows  bool

	trained      int // rows that the model was fitted on
	trainedKnown bool
	doubtsTold   bool // of rows that are not what they say
}

func newEval(a *App) *cobra.Command {
	o := &evalOptions{}
	cmd := &cobra.Command{
		Use:     "eval MODEL DATA",
		Short:   "Judge a saved model on rows whose answer is known",
		Example: "  mercer eval model.mercer test.csv\n  mercer eval model.mercer test.csv --plot confusion.svg",
		Args:    dataArgs(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Model, o.Data = args[0], args[1]
			return a.eval(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Target, "target", "",
		"column with the answers, or of several targets the one to judge; default: the model's own")
	f.StringVar(&o.Weights, "weights", "", "column of row weights; default: the model's own, where it is here")
	f.StringVar(&o.Groups, "groups", "",
		"column of the queries that ranking is judged in; default: the model's own, where it is here")
	f.StringVar(&o.Positive, "positive", "", "class that f1 is of; default: as when the model was fitted")
	f.BoolVar(&o.JSON, "json", false, "write JSON")
	o.plotFlags(f, "predicted against true values, or the confusion matrix")
	f.Float64Var(&o.Interval, "interval", 0, "also say what share of the rows the intervals of this level hold, as 0.9")
	f.BoolVar(&o.NewRows, "new-rows", false, "judge only by rows that the model was not fitted on")
	o.Input.flags(f)
	o.Policy.flags(f)
	return cmd
}

func (a *App) eval(ctx context.Context, o *evalOptions) error {
	if err := o.checkPlot(jsonOutput(o.JSON)); err != nil {
		return err
	}
	m, err := loadPredictor(o.Model)
	if err != nil {
		return err
	}
	if err := checkInterval(m, o.Model, o.Interval, "observation"); err != nil {
		return err
	}
	if m, err = o.Policy.apply(m); err != nil {
		return err
	}
	in, err := o.Input.options(a)
	if err != nil {
		return err
	}
	if len(m.Targets()) > 1 && o.Target != "" {
		if m, err = ofTarget(m, o.Model, o.Target); err != nil {
			return err
		}
	}
	in.Target = o.Target
	if in.Target == "" {
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
	if d, err = a.withoutTrained(o, m, d); err != nil {
		return err
	}
	if len(m.Targets()) > 1 {
		if o.Plot != "" {
			return usage("--plot: it is of one target, and %s predicts %s; name one with --target", o.Model,
				strings.Join(m.Targets(), ", "))
		}
		return a.evalSeveral(ctx, o, m, d)
	}
	j, err := a.judge(ctx, o, m, d)
	if err != nil {
		return err
	}
	if o.Plot != "" {
		if err := a.evalPlot(m, j.p, o); err != nil {
			return err
		}
	}
	if o.JSON {
		return writeJSON(a.Out, o.evalJSON(j))
	}
	tellEval(a.Out, o, j, d.Len())
	return nil
}

// judgement is what the rows of known answers say of a model.
type judgement struct {
	m       *model.Model
	p       learn.Predictions
	base    learn.Baseline
	scores  []tune.TestScore
	weights string // the column of weights; empty: rows count alike
}

// judge has a model judged by the rows of a data set.
func (a *App) judge(ctx context.Context, o *evalOptions, m *model.Model, d *data.Dataset) (*judgement, error) {
	takeRoles(m, d)
	p, base, err := m.Judged(ctx, d)
	if err != nil {
		return nil, inputErrorFor(err, true)
	}
	if len(p.Truth) == 0 {
		return nil, usage("%s: no rows to judge by", o.Data)
	}
	if !o.doubtsTold {
		if err := a.tellDoubtful(m, d, p.Rows, o.Data); err != nil {
			return nil, err
		}
	}
	if o.Positive != "" {
		if p.Positive, err = positiveCode(o.Positive, m.Classes()); err != nil {
			return nil, err
		}
	}
	task := m.Task()
	if task == data.Unsupervised { // of one class: the rows are told apart by it
		task = data.Binary
	}
	scores := tune.Judge(p, base, measuresOf(m, task)...)
	if o.Interval > 0 {
		held, err := coverageOf(ctx, m, d, p, o.Interval)
		if err != nil {
			return nil, inputErrorFor(err, true)
		}
		scores = append(scores, held.scores()...)
	}
	return &judgement{m, p, base, scores, d.Weights}, nil
}

// measuresOf is what a model is judged by: the measures of the task, those of one class where it
// has a threshold, and those of grades where it knows their order.
func measuresOf(m *model.Model, task data.Task) []tune.Metric {
	out := tune.Metrics(task)
	switch {
	case m.Info().Threshold != nil:
		out = append(out, tune.AveragePrecision(), tune.Recall(), tune.Precision())
	case m.Learner() == "ordinal":
		out = append(out, tune.GradeError(), tune.Kappa(), tune.RankedProbability())
	}
	return out
}

// withoutTrained says which rows the model was fitted on, and leaves them out where only others are
// to judge it.
func (a *App) withoutTrained(o *evalOptions, m *model.Model, d *data.Dataset) (*data.Dataset, error) {
	rows, known := m.TrainedOn(d)
	o.trained, o.trainedKnown = len(rows), known
	if !known {
		if o.NewRows {
			return nil, usage("--new-rows: %s does not say which rows it was fitted on, or %s has not all its columns", o.Model,
				o.Data)
		}
		if d.Hash != "" && d.Hash == m.Info().DataHash {
			fmt.Fprintf(a.Err, "%s: this is the file that the model was fitted on: new rows will not be as kind\n", d.Name)
		}
		return d, nil
	}
	if !o.NewRows {
		if len(rows) > 0 {
			fmt.Fprintf(a.Err,
				"%s: %s of %s rows are ones that the model was fitted on: new rows will not be as kind (--new-rows leaves "+
					"them out)\n", d.Name, phrase.Thousands(len(rows)), phrase.Thousands(d.Len()))
		}
		return d, nil
	}
	fitted := map[int]bool{}
	for _, r := range rows {
		fitted[r] = true
	}
	var rest []int
	for i := range d.Len() {
		if !fitted[i] {
			rest = append(rest, i)
		}
	}
	if len(rest) == 0 {
		return nil, usage("--new-rows: the model was fitted on all %s rows of %s", phrase.Thousands(d.Len()), o.Data)
	}
	o.trained = 0
	return d.Gather(rest), nil
}

// takeRoles takes weights and groups from the columns that the model was fitted with, where they
// are here and nothing else was said.
func takeRoles(m *model.Model, d *data.Dataset) {
	take := func(name string, to *string) {
		if _, err := d.Column(name); *to == "" && name != "" && err == nil {
			*to = name
		}
	}
	if enc := m.Info().Encoder; enc != nil {
		take(enc.Weights, &d.Weights)
	}
	take(m.Info().Yardstick.Groups, &d.Groups)
}

// positiveName is the class that measures of one class are of; empty: none.
func positiveName(p learn.Predictions, m *model.Model) string {
	if p.Positive >= 0 && p.Positive < len(m.Classes()) {
		return m.Classes()[p.Positive]
	}
	return ""
}

// evalJSON is a judgement as data.
func (o *evalOptions) evalJSON(j *judgement) map[string]any {
	p, m := j.p, j.m
	values, baseline := map[string]float64{}, map[string]*float64{}
	for _, s := range j.scores {
		values[s.Metric], baseline[s.Metric] = s.Value, orNull(s.Baseline)
	}
	out := map[string]any{"model": o.Model, "data": o.Data, "rows": len(p.Truth), "weights": j.weights, "scores": values,
		"baseline": baseline, "rows_fitted_on": nil}
	if o.trainedKnown {
		out["rows_fitted_on"] = o.trained
	}
	if p.Value != nil {
		out["residuals"] = residualTable(p)
	} else {
		out["labels"], out["confusion"], out["classes"] = m.Classes(), confusionOf(p), classTable(p, m.Classes())
		if rows, off := calibrationTable(p); rows != nil {
			out["calibration"], out["calibration_error"] = rows, off
		}
	}
	if name := positiveName(p, m); name != "" {
		out["positive"] = name
	}
	return out
}

// weighing says what rows count, where that is not one each or not what it was in the fit.
func (j *judgement) weighing() string {
	if j.weights != "" {
		return fmt.Sprintf("scores count rows by %q; tables count each once", j.weights)
	}
	if enc := j.m.Info().Encoder; enc != nil && enc.Weights != "" {
		return fmt.Sprintf("the model was fitted with rows that count by %q, which is not here: each counts once",
			enc.Weights)
	}
	return ""
}

// tellEval prints a line for each metric, the baseline beside the model.
func tellEval(w io.Writer, o *evalOptions, j *judgement, rows int) {
	m, p := j.m, j.p
	fmt.Fprintf(w, "%s on %s: %s rows\n", o.Model, o.Data, phrase.Thousands(len(p.Truth)))
	if gone := rows - len(p.Truth); gone > 0 {
		fmt.Fprintf(w, "%s without an answer, or with missing values, left out\n", count(gone, "row", "rows"))
	}
	if text := j.weighing(); text != "" {
		fmt.Fprintln(w, text)
	}
	fmt.Fprintf(w, "  %-18s %-10s %s\n", "", "model", "baseline")
	for _, s := range j.scores {
		fmt.Fprintf(w, "  %-18s %-10s %s\n", s.Metric, number(s.Value), number(s.Baseline))
	}
	fmt.Fprintf(w, "baseline: %s", baselineText(j.base, m.Classes()))
	if m.Info().Yardstick.Baseline.Shares == nil && m.Info().Yardstick.Baseline.Deviation == 0 {
		fmt.Fprint(w, " of these rows")
	}
	fmt.Fprintln(w)
	if name := positiveName(p, m); name != "" {
		why := "(another: --positive CLASS)"
		if o.Positive == "" && m.Info().Yardstick.Positive == "" {
			why = "the rarer of these rows " + why
		}
		fmt.Fprintf(w, "f1 is of class %q %s\n", name, why)
	}
	tellTables(w, p, m.Classes())
}

func joinSome(names []string) string {
	text := ""
	for i, n := range names {
		if i == 10 {
			return text + fmt.Sprintf(" and %d more", len(names)-10)
		}
		if i > 0 {
			text += ", "
		}
		text += n
	}
	return text
}

func (a *App) evalPlot(m *model.Model, p learn.Predictions, o *evalOptions) error {
	var f *plot.Figure
	var err error
	if m.Task().Classification() {
		f, err = plot.Confusion(m.Classes(), confusionOf(p))
	} else {
		f, err = plot.Predicted(p.Truth, p.Value, m.Target())
	}
	if err != nil {
		return err
	}
	title := plot.AxisName(m.Target()) + ": predicted against true"
	if m.Task().Classification() {
		title = plot.AxisName(m.Target()) + ": rows by true and predicted class"
	}
	return a.writePlot(f, &o.plotOptions, title+" ("+titleName(o.Data)+")")
}

// confusionOf counts by true and predicted class.
func confusionOf(p learn.Predictions) [][]int {
	count := make([][]int, p.Classes)
	for c := range count {
		count[c] = make([]int, p.Classes)
	}
	for i, t := range p.Truth {
		count[int(t)][p.Class[i]]++
	}
	return count
}
