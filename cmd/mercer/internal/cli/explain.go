package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
	"github.com/spf13/cobra"
)

type explainOptions struct {
	Model, Data, Target string
	Metric              string
	plotOptions
	Columns       []string
	Row, Nearest  int
	Contributions bool
	Background    string
	Draws         int
	Repeats, Rows int
	Seed          uint64
	Input         inputOptions
	Policy        policyOptions
	JSON, Quiet   bool
}

func newExplain(a *App) *cobra.Command {
	o := &explainOptions{}
	cmd := &cobra.Command{
		Use:   "explain MODEL DATA",
		Short: "What a model goes by: columns, dependence, centres",
		Long: `Importance is how much worse the model gets on the rows of DATA when the values
of one column change places between rows, and needs their answers. Dependence is
the mean prediction as one column takes one value after the other and all else
stays as it is. Of columns that say the same, each looks dispensable.

With --row the prediction of one row is taken apart twice. What each column adds
to it are Shapley values: they start from the mean prediction and add up to that
of the row. A column that is not known takes its values from rows that the model
was fitted on, or from --background. They are exact for kernels that are sums of
products over columns, and of few columns; else sampled, with standard errors.
And a kernel machine is a sum over centres (support vectors): those nearest to
the row are listed with their weights and what each adds to the sum.

--contributions tells what columns add for all rows, a line each; as columns of
a file: mercer predict --contributions.`,
		Example: `  mercer explain model.mercer test.csv
  mercer explain model.mercer test.csv --columns petal_width --plot width.png
  mercer explain model.mercer test.csv --row 17 --plot row17.svg
  mercer explain model.mercer test.csv --contributions`,
		Args: dataArgs(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Model, o.Data = args[0], args[1]
			return a.explain(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.Row, "row", 0, "take the prediction of this row apart, from 1")
	f.BoolVar(&o.Contributions, "contributions", false, "tell what each column adds to the prediction of each row")
	f.StringVar(&o.Background, "background", "",
		"row, contributions: file whose rows stand for columns that are not known; default: rows kept in the model")
	f.IntVar(&o.Draws, "draws", 256, "row, contributions: orders of columns drawn where the values are sampled")
	f.IntVar(&o.Nearest, "nearest", 10, "row: how many centres to list")
	f.StringSliceVar(&o.Columns, "columns", nil, "columns whose dependence is told; default: the four most important")
	f.StringVar(&o.Metric, "metric", "", "what importance is counted in; default: the first of the task (accuracy, rmse)")
	f.StringVar(&o.Target, "target", "", "column with the answers; default: the model's own target")
	f.IntVar(&o.Repeats, "repeats", 10, "shuffles of each column")
	f.IntVar(&o.Rows, "rows", 500, "at most so many rows are looked at, drawn at random; of --background the most rows")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of the rows and the shuffles")
	o.plotFlags(f, "the importance, or with one of --columns of the dependence on it, or with --row of what columns add")
	f.BoolVar(&o.JSON, "json", false, "write JSON")
	f.BoolVarP(&o.Quiet, "quiet", "q", false, "no progress, and nothing of how the file was read")
	o.Input.flags(f)
	o.Policy.flags(f)
	return cmd
}

func (a *App) explain(ctx context.Context, o *explainOptions) error {
	m, d, err := a.explainInput(ctx, o)
	if err != nil {
		return err
	}
	switch {
	case o.Row != 0 && o.Contributions:
		return usage("--contributions is of all rows, and --row of one; give one of the two")
	case o.Row != 0:
		return a.explainRow(ctx, o, m, d)
	case o.Contributions:
		return a.explainContributions(ctx, o, m, d)
	case o.Background != "":
		return usage("--background: it is for --row and --contributions; give one of them")
	}
	settings := tune.ExplainOptions{Repeats: o.Repeats, Rows: o.Rows, Seed: o.Seed}
	if o.Metric != "" {
		if settings.Metric, err = tune.MetricByName(o.Metric, m.Task()); err != nil {
			return usage("--metric: %w", err)
		}
	}
	if d.Sparse != nil {
		return usage("%s: a LIBSVM file has no columns to look at one by one; --row takes a prediction apart", d.Name)
	}
	looked, err := tune.Explained(m, d, settings)
	if err != nil {
		return inputErrorFor(err, true)
	}
	if err := a.tellExplained(o, m, d, looked); err != nil {
		return err
	}
	done := a.busy(&exploreOptions{Quiet: o.Quiet, JSON: o.JSON}, "shuffling columns")
	e, err := explanationOf(ctx, m, looked, o.Columns, settings)
	done()
	if err != nil {
		return inputErrorFor(err, true)
	}
	e.of = d.Len()
	if o.Plot != "" {
		f, err := e.figure(m, o.Columns)
		if err != nil {
			return err
		}
		if err := a.writePlot(f, &o.plotOptions, e.pictureTitle(m, o.Columns)); err != nil {
			return err
		}
	}
	if o.JSON {
		return a.outcome(e.json(o, m))
	}
	e.tell(a.Out, o, m)
	return nil
}

// tellExplained says what is to be known of the rows, and of those among them that are looked at.
func (a *App) tellExplained(o *explainOptions, m *model.Model, d, looked *data.Dataset) error {
	if o.Quiet {
		return nil
	}
	if rows, _ := m.TrainedOn(d); d.Target != "" && len(rows) > 0 {
		fmt.Fprintf(a.Err,
			"%s: %s of %s are ones that the model was fitted on: columns that it knows by heart look more important "+
				"than they are\n", o.Data, phrase.Thousands(len(rows)), plural(d.Len(), "row"))
	}
	if looked.Len() == 0 {
		return nil
	}
	x, err := m.Encode(looked)
	if err != nil {
		return inputErrorFor(err, true)
	}
	tellPolicies(a.Err, o.Data, &model.Doubtful{Empty: looked.Len() - x.Len(), Filled: x.Filled, UnseenRows: x.UnseenRows,
		Unseen: x.Unseen, FarRows: x.FarRows})
	return nil
}

// explainInput reads the model and the rows.
func (a *App) explainInput(ctx context.Context, o *explainOptions) (*model.Model, *data.Dataset, error) {
	if err := o.checkPlot(jsonOutput(o.JSON)); err != nil {
		return nil, nil, err
	}
	if o.Row < 0 || o.Nearest < 1 || o.Repeats < 1 || o.Draws < 1 || o.Rows < 2 {
		return nil, nil, usage("--row, --nearest, --repeats and --draws: give 1 or more; --rows: 2 or more")
	}
	m, err := loadPredictor(o.Model)
	if err != nil {
		return nil, nil, err
	}
	if m, err = o.Policy.apply(m); err != nil {
		return nil, nil, err
	}
	in, err := o.Input.options(a)
	if err != nil {
		return nil, nil, err
	}
	if m, err = ofTarget(m, o.Model, o.Target); err != nil {
		return nil, nil, err
	}
	in.NoTarget = true
	if enc := m.Info().Encoder; enc != nil {
		in.Readings = enc.Readings()
	}
	d, err := a.read(ctx, o.Data, in)
	if err != nil {
		return nil, nil, err
	}
	if o.Target == "" {
		o.Target = m.Target()
	}
	takeRoles(m, d)
	if _, err := d.Column(o.Target); err == nil {
		d.Target = o.Target
	} else if o.Target != m.Target() {
		return nil, nil, usage("--target: %w", err)
	}
	for _, name := range o.Columns {
		if _, err := d.Column(name); err != nil {
			return nil, nil, usage("--columns: %w", err)
		}
		if name == d.Target {
			return nil, nil, usage("--columns: %q is what the model predicts; name columns that it predicts from", name)
		}
	}
	return m, d, nil
}

// explanation is what a model goes by.
type explanation struct {
	metric     string
	maximize   bool
	score      float64
	rows, of   int               // how many are looked at, and out of how many
	importance []tune.Importance // nil without answers
	dependence []tune.Dependence
}

// shownDependence is how many columns are told of where none are named.
const shownDependence = 4

// explanationOf looks at the rows of d, all of which tune.Explained has chosen.
func explanationOf(
	ctx context.Context, m *model.Model, d *data.Dataset, columns []string, o tune.ExplainOptions,
) (*explanation, error) {
	e := &explanation{rows: d.Len(), of: d.Len()}
	if o.Metric.Name == "" {
		task := m.Task()
		if task == data.Unsupervised {
			task = data.Binary
		}
		o.Metric = tune.Metrics(task)[0]
	}
	e.metric, e.maximize = o.Metric.Name, o.Metric.Maximize
	if d.Target != "" {
		var err error
		if e.score, e.importance, err = tune.PermutationImportance(ctx, m, d, o); err != nil {
			return nil, err
		}
	}
	if len(columns) == 0 {
		for _, i := range e.importance[:min(shownDependence, len(e.importance))] {
			columns = append(columns, i.Column)
		}
		if enc := m.Info().Encoder; e.importance == nil && enc != nil {
			for _, c := range enc.Columns[:min(shownDependence, len(enc.Columns))] {
				columns = append(columns, c.Name)
			}
		}
	}
	for _, name := range columns {
		dep, ok, err := tune.PartialDependence(ctx, m, d, name, o)
		if err != nil {
			return nil, err
		}
		if ok {
			e.dependence = append(e.dependence, dep)
		}
	}
	return e, nil
}

// figure is the importance of all columns, or the dependence on one.
func (e *explanation) figure(m *model.Model, columns []string) (*plot.Figure, error) {
	if len(columns) == 1 && len(e.dependence) == 1 {
		return dependenceFigure(e.dependence[0], m)
	}
	if e.importance == nil {
		return nil, usage("--plot: the rows have no answers to count importance by; name one column with --columns")
	}
	return importanceFigure(e)
}

// pictureTitle is what figure shows.
func (e *explanation) pictureTitle(m *model.Model, columns []string) string {
	if len(columns) == 1 && len(e.dependence) == 1 {
		return "How " + plot.AxisName(m.Target()) + " is predicted by " + plot.AxisName(columns[0])
	}
	return "What " + plot.AxisName(m.Target()) + " is predicted by"
}

// loss is what a shuffled column costs: a score falls, an error rises.
func (e *explanation) loss() string {
	if e.maximize {
		return "loss of " + e.metric
	}
	return "rise of " + e.metric
}

func importanceFigure(e *explanation) (*plot.Figure, error) {
	var bars []plot.Bar
	for _, i := range e.importance[:min(20, len(e.importance))] {
		bars = append(bars, plot.Bar{Name: i.Column, Value: i.Loss, Error: i.SD})
	}
	return plot.Bars(e.loss()+" when shuffled", "importance of columns: "+e.loss()+" when a column is shuffled", bars)
}

// dependenceFigure draws the mean prediction over a column.
func dependenceFigure(d tune.Dependence, m *model.Model) (*plot.Figure, error) {
	label := "mean prediction"
	if t := m.Target(); t != "" && len(m.Classes()) == 0 {
		label = "mean " + plot.AxisName(t)
	} else if len(m.Classes()) > 0 {
		label = "mean probability"
		if !m.HasProba() {
			label = "share predicted"
		}
	}
	classes := shownClasses(d, m)
	if d.X == nil {
		var bars []plot.Bar
		for i, level := range d.Levels {
			bars = append(bars, plot.Bar{Name: level, Value: d.Mean[classes[len(classes)-1]][i]})
		}
		if len(m.Classes()) > 0 {
			label += " of " + m.Classes()[classes[len(classes)-1]]
		}
		return plot.Bars(label, label+" by "+d.Column, bars)
	}
	var series []plot.Series
	for _, k := range classes {
		s := plot.Series{X: d.X, Y: d.Mean[k]}
		if len(m.Classes()) > 0 {
			s.Name = m.Classes()[k]
		}
		series = append(series, s)
	}
	f, err := plot.Lines(d.Column, label, label+" over "+d.Column, false, series...)
	if err == nil {
		f.LegendTitle(m.Target())
	}
	return f, err
}

// moves is how far the mean prediction goes over the values of the column that moves it most.
func moves(deps []tune.Dependence) float64 {
	most := 0.0
	for _, d := range deps {
		for _, mean := range d.Mean {
			if len(mean) > 0 {
				most = max(most, slices.Max(mean)-slices.Min(mean))
			}
		}
	}
	return most
}

// shownClasses is the classes whose curves are drawn: the second of two, and of many the eight that
// move most.
func shownClasses(d tune.Dependence, m *model.Model) []int {
	k := len(d.Mean)
	if k == 1 || len(m.Classes()) == 2 {
		return []int{k - 1}
	}
	return mostMoving(d.Mean, plot.MostGroups)
}

func (e *explanation) tell(w io.Writer, o *explainOptions, m *model.Model) {
	rows := plural(e.rows, "row")
	if e.rows < e.of {
		rows = fmt.Sprintf("%s of %s rows (--rows)", phrase.Thousands(e.rows), phrase.Thousands(e.of))
	}
	fmt.Fprintf(w, "%s on %s: %s", o.Model, o.Data, rows)
	if e.importance != nil {
		fmt.Fprintf(w, ", %s %s\n\nimportance: %s when the values of a column change places\n",
			e.metric, number(e.score), e.loss())
		most, width, digits := 0.0, 0, 8
		for _, i := range e.importance {
			most, width, digits = max(most, i.Loss), max(width, len([]rune(clipped(i.Column)))), max(digits, len(number(i.Loss)))
		}
		for _, i := range e.importance {
			bar := ""
			if most > 0 && i.Loss > 0 {
				bar = strings.Repeat("█", int(20*i.Loss/most+0.5))
			}
			fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("  %-*s %*s ± %-7s %s", width, clipped(i.Column), digits,
				number(i.Loss), number(i.SD), bar), " "))
		}
	} else {
		fmt.Fprintf(w, "\nno column of answers: there is no importance, only dependence\n")
	}
	for _, d := range e.dependence {
		fmt.Fprintln(w)
		tellDependence(w, d, m)
	}
}

// tellDependence prints a column's values, five of many, with the mean predictions beneath.
func tellDependence(w io.Writer, d tune.Dependence, m *model.Model) {
	var at []int
	n := max(len(d.X), len(d.Levels))
	for i := range min(5, n) {
		at = append(at, i*(n-1)/max(min(5, n)-1, 1))
	}
	line := func(name string, text func(i int) string) {
		fmt.Fprintf(w, "  %-20s", clipTo(name, 20))
		for _, i := range at {
			fmt.Fprintf(w, " %10s", clipTo(text(i), 10))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "dependence on %s:\n", d.Column)
	line(d.Column, func(i int) string {
		if d.X == nil {
			return d.Levels[i]
		}
		return fourDigits(d.X[i])
	})
	for _, k := range shownClasses(d, m) {
		name := "mean prediction"
		if len(m.Classes()) > 0 {
			name = m.Classes()[k]
		}
		line(name, func(i int) string { return number(d.Mean[k][i]) })
	}
}

func clipTo(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

func (e *explanation) json(o *explainOptions, m *model.Model) map[string]any {
	importance, dependence := []map[string]any{}, []map[string]any{}
	for _, i := range e.importance {
		importance = append(importance, map[string]any{"column": i.Column, "loss": i.Loss, "sd": i.SD})
	}
	for _, d := range e.dependence {
		one := map[string]any{"column": d.Column, "mean": d.Mean}
		if one["values"] = d.Levels; d.X != nil {
			one["values"] = d.X
		}
		dependence = append(dependence, one)
	}
	out := map[string]any{"model": o.Model, "data": o.Data, "rows": e.rows, "rows_in_all": e.of, "metric": e.metric,
		"score": nil, "importance": importance, "dependence": dependence}
	if e.importance != nil {
		out["score"] = e.score
	}
	if c := m.Classes(); c != nil {
		out["classes"] = c
	}
	return out
}
