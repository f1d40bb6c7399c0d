package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// forecastLevel is the share of observations that intervals of a forecast hold where nothing is
// said.
const forecastLevel = 0.9

// fitForecast is mercer fit --forecast: read, fit, judge from rolling origins, save, report. A file
// of several series, which --groups tells apart, becomes a model for each.
func (f *fitting) fitForecast(ctx context.Context) error {
	o := f.o
	if err := o.checkForecast(); err != nil {
		return err
	}
	if o.Groups == "" {
		if err := o.checkPagePlaces(); err != nil {
			return err
		}
	}
	o.Input.Memory = o.Memory
	in, err := o.Input.options(f.App)
	if err != nil {
		return err
	}
	in.Target, in.Groups, in.Seed = o.Target, o.Groups, o.Seed
	if f.data, err = f.App.read(ctx, o.Data, in); err != nil {
		return err
	}
	if f.data.Target == "" || f.data.Target == o.Task.Order {
		return usage("--forecast: no column is the series; name it with --target (found: %s)", f.data.Names())
	}
	fmt.Fprintln(f.say, f.data.Summary())
	if o.Groups != "" {
		return f.forecastEach(ctx)
	}
	budget, spent := f.time.search(time.Now())
	told, err := f.forecastOne(ctx, budget-spent)
	if err != nil {
		return err
	}
	if o.JSON {
		return writeJSON(f.Out, f.forecastJSON(told))
	}
	return f.tellForecast(told)
}

// forecastTold is a forecast and what its model says of the next steps: nothing where these take
// columns that only rows to forecast bring.
type forecastTold struct {
	*tune.ForecastResult
	next *data.Dataset
	said *model.Prediction
}

// brought names the columns known ahead that rows to forecast have to bring.
func (t *forecastTold) brought() (names []string) {
	for _, c := range t.Lags.Beside {
		if c.Ahead() && len(c.Values) < len(t.Lags.Values)+t.Lags.Horizon {
			names = append(names, c.Name)
		}
	}
	return names
}

// forecastOne fits the series of f.data, and writes the model and the page.
func (f *fitting) forecastOne(ctx context.Context, budget time.Duration) (*forecastTold, error) {
	o := f.o
	var ahead []string
	if o.Task.Ahead != "" {
		ahead = strings.Split(o.Task.Ahead, ",")
	}
	done := f.busy(f.style, "forecasting from rolling origins")
	r, err := tune.Forecast(ctx, f.data, tune.ForecastOptions{
		Order: o.Task.Order, Target: f.data.Target, Ahead: ahead,
		Horizon: o.Task.Forecast, Season: o.Task.Season,
		Threads: o.Threads, Budget: max(budget, 1),
	})
	done()
	if err != nil {
		return nil, fitError(err)
	}
	info := model.Info{DataName: f.data.Name, DataHash: f.data.Hash, Seed: o.Seed, Version: Version,
		Notes: map[string]string{
			"forecast":             fmt.Sprintf("%d steps of %s by %s", r.Lags.Horizon, r.Lags.Target, r.Lags.Order),
			"rolling origins rmse": number(r.Score.RMSE) + "; seasonal naive " + number(r.Naive.RMSE),
			"rolling origins scaled": number(r.Score.Scaled) + " mean absolute scaled error; seasonal naive " +
				number(r.Naive.Scaled),
			"rolling origins by step": fmt.Sprintf("rmse %s one step ahead, %s at %d", number(r.Score.ByStep[0]),
				number(r.Score.ByStep[len(r.Score.ByStep)-1]), r.Lags.Horizon),
		}}
	if f.model, err = r.Model(info); err != nil {
		return nil, err
	}
	told := &forecastTold{ForecastResult: r, said: &model.Prediction{}}
	if len(told.brought()) == 0 {
		if told.next, told.said, err = forecastOf(ctx, f.model, r.Lags.Horizon,
			model.Want{Interval: f.forecastLevel()}); err != nil {
			return nil, err
		}
	}
	if err := f.model.Save(o.Output); err != nil {
		return nil, err
	}
	if f.page = o.reportPath(); f.page != "" {
		err = f.forecastReport(told)
	}
	return told, err
}

// forecastLevel is what the errors are good for, where they are too few.
func (f *fitting) forecastLevel() float64 {
	if f.model.CheckInterval(forecastLevel) != nil {
		return 0
	}
	return forecastLevel
}

// checkForecast refuses what a forecast has no use for.
func (o *fitOptions) checkForecast() error {
	t := o.Task
	switch {
	case t.Order == "":
		return usage("--forecast: name the column of times with --order, as in --forecast 12 --order date")
	case t.Forecast < 1:
		return usage("--forecast: %d; give the steps ahead, 1 or more", t.Forecast)
	case len(o.Learners) > 0 || o.Kernel != "" || len(o.Grid) > 0 || o.Metric != "" || o.Solver != "" ||
		o.Best == "committee":
		return usage("--forecast: kernels of trend, season and lags are fitted by their evidence and chosen from rolling " +
			"origins; leave --learner, --kernel, --grid, --metric, --solver and --best out (without --forecast, --order " +
			"judges any of them by later rows)")
	case t.Test != "" || t.Nested > 0 || t.Refit || t.ClassWeight != "" || o.Weights != "" || o.Noise != "" ||
		o.Bags != "":
		return usage("--forecast: a series is a column of times and columns of numbers; leave --test, --nested, --refit, " +
			"--class-weight, --weights, --noise and --bags out")
	case len(o.targets()) > 1:
		return usage("--forecast: one series at a time; name one with --target")
	}
	return nil
}

// forecastOf is what a model says of the steps after its series.
func forecastOf(ctx context.Context, m *model.Model, n int, w model.Want) (*data.Dataset, *model.Prediction, error) {
	next := m.Info().Encoder.Lags.Next(n)
	p, err := m.Predict(ctx, next, w)
	return next, p, err
}

// forecastJSON is what --json says.
func (f *fitting) forecastJSON(r *forecastTold) map[string]any {
	tries, rows, columns := []map[string]any{}, []map[string]any{}, []map[string]any{}
	for _, t := range r.Tries {
		tries = append(tries, map[string]any{"kernel": t.Name, "log": t.Log, "rmse": orNull(t.RMSE),
			"typical": orNull(t.Typical)})
	}
	for i := range r.said.Len() {
		row := map[string]any{r.Lags.Order: r.next.Columns[0].String(i), "prediction": r.said.Values[i]}
		if r.said.Low != nil {
			row["low"], row["high"] = r.said.Low[i], r.said.High[i]
		}
		rows = append(rows, row)
	}
	for _, c := range r.Columns {
		columns = append(columns, map[string]any{"name": c.Name, "ahead": c.Ahead(), "lags": append([]int{}, c.Steps...)})
	}
	score := func(s tune.ForecastScore) map[string]any {
		return map[string]any{"rmse": s.RMSE, "mae": s.MAE, "scaled": orNull(s.Scaled), "rmse_by_step": s.ByStep}
	}
	return map[string]any{"data": f.data.Name, "task": "forecast", "order": r.Lags.Order, "target": r.Lags.Target,
		"horizon": r.Lags.Horizon, "season": r.Season, "season_why": r.Why,
		"filled": r.Filled, "left_out": r.Left, "tried": tries, "untried": r.Untried, "columns": columns, "chosen": r.Chosen,
		"kernel": r.Kernel, "origins_choice": r.Choice, "origins_test": r.Tested, "score": score(r.Score),
		"naive":    score(r.Naive),
		"forecast": rows, "model": f.o.Output, "report": f.page}
}

func (f *fitting) tellForecast(r *forecastTold) error {
	o, w := f.o, f.say
	if fmt.Fprint(w, r.Why); r.Season == 0 && o.Task.Season == 0 {
		fmt.Fprint(w, " (tell one: --season 12)")
	}
	fmt.Fprintln(w)
	if r.Filled > 0 {
		fmt.Fprintf(w, "%s had no value: they are on a line between their neighbours\n", plural(r.Filled, "step"))
	}
	if r.Left > 0 {
		fmt.Fprintf(w, "the first %s are left out: a model is fitted to the last %d\n", plural(r.Left, "step"),
			len(r.Lags.Values))
	}
	if text := besideText(r.ForecastResult, f.data); text != "" {
		fmt.Fprintln(w, text)
	}
	fmt.Fprintf(w, "\n  %-48s %-10s %s\n", "kernel", "rmse", "typical")
	for i, t := range r.Tries {
		mark := " "
		if i == r.Chosen {
			mark = "▸"
		}
		fmt.Fprintf(w, "%s %-48s %-10s %s\n", mark, t, number(t.RMSE), number(t.Typical))
	}
	if r.Untried > 0 {
		fmt.Fprintf(w, "  %s not tried for want of time (--time)\n", plural(r.Untried, "kernel"))
	}
	fmt.Fprintf(w, "\nchosen   %s, least off from a typical one of %s\n", r.Tries[r.Chosen], plural(r.Choice, "origin"))
	fmt.Fprintf(w, "test     rmse %s, %s steps ahead from %s\n", number(r.Score.RMSE), phrase.Thousands(r.Lags.Horizon),
		r.TestOrigins())
	fmt.Fprintf(w, "baseline rmse %s (%s)\n", number(r.Naive.RMSE), naiveText(r.ForecastResult))
	fmt.Fprintf(w, "wrote    %s\n", joinFiles(o.Output, f.page))
	if names := r.brought(); len(names) > 0 {
		_, err := fmt.Fprintf(w, "\npredict  mercer predict %s rows.csv --interval 0.9 (columns %s)\n", shellWord(o.Output),
			strings.Join(append([]string{r.Lags.Order}, names...), ", "))
		return err
	}
	fmt.Fprintf(w, "\n%s\n", forecastHead(r.ForecastResult, r.said))
	for i := range r.said.Len() {
		line := fmt.Sprintf("%-20s %10s", r.next.Columns[0].String(i), number(r.said.Values[i]))
		if r.said.Low != nil {
			line += fmt.Sprintf(" %10s %10s", number(r.said.Low[i]), number(r.said.High[i]))
		}
		fmt.Fprintln(w, line)
	}
	_, err := fmt.Fprintf(w, "\npredict  mercer predict %s --forecast %d --interval 0.9\n", shellWord(o.Output),
		r.Lags.Horizon)
	return err
}

// besideText says what is looked at beside the series, and what is not.
func besideText(r *tune.ForecastResult, d *data.Dataset) string {
	var ahead, before, not, lines []string
	used := map[string]bool{r.Lags.Order: true, r.Lags.Target: true, d.Groups: true}
	lag := 0
	for _, c := range r.Columns {
		if used[c.Name] = true; c.Ahead() {
			ahead = append(ahead, c.Name)
		} else {
			before, lag = append(before, c.Name), c.Steps[0]
		}
	}
	for _, name := range d.Names() {
		if !used[name] {
			not = append(not, name)
		}
	}
	if len(ahead) > 0 {
		lines = append(lines, "known ahead: "+joinSome(ahead))
	}
	if len(before) > 0 {
		lines = append(lines, fmt.Sprintf("looked at %s before and earlier: %s (known ahead? --ahead)", plural(lag, "step"),
			joinSome(before)))
	}
	if len(not) > 0 {
		lines = append(lines, "not looked at, as no numbers that change: "+joinSome(not))
	}
	return strings.Join(lines, "\n")
}

func joinFiles(model, page string) string {
	if page == "" {
		return model
	}
	return model + ", " + page
}

func forecastHead(r *tune.ForecastResult, p *model.Prediction) string {
	head := fmt.Sprintf("%-20s %10s", clipTo(r.Lags.Order, 20), "forecast")
	if p.Low != nil {
		head += fmt.Sprintf(" %10s %10s", fmt.Sprintf("%.0f%% from", 100*forecastLevel), "to")
	}
	return head
}

func naiveText(r *tune.ForecastResult) string {
	if r.Season > 0 {
		return "seasonal naive: as one season before"
	}
	return "naive: as the last value"
}

// forecastReport is the page: the series with its forecast, and how errors grow.
func (f *fitting) forecastReport(r *forecastTold) error {
	page := &reportPage{Title: filepath.Base(f.data.Name), Summary: f.data.Summary(), Metric: "rmse",
		Model: describeModel(f.model), target: r.Lags.Target, ModelFile: f.o.Output, Version: Version, Command: f.o.Command}
	page.Answer = fmt.Sprintf("Forecasts %s %d steps ahead with an rmse of %s.", r.Lags.Target, r.Lags.Horizon,
		number(r.Score.RMSE))
	page.Headline = "gp, " + r.Tries[r.Chosen].String()
	page.HeadlineNote = fmt.Sprintf("Over %s at which nothing later was known. Baseline: %s (%s).", r.TestOrigins(),
		number(r.Naive.RMSE), naiveText(r.ForecastResult))
	page.Fitted = fmt.Sprintf("Fitted on %s.", plural(len(r.Lags.Values), "step"))
	page.Why = []string{r.Why,
		"kernels are fitted by their evidence to what lies before the first origin, and chosen by forecasts from " +
			plural(r.Choice, "origin")}
	for i, t := range r.Tries {
		page.Leaders = append(page.Leaders, reportRow{Learner: "gp", Setting: t.String(), Score: number(t.RMSE),
			Chosen: i == r.Chosen})
	}
	page.Columns, page.MoreColumns, page.MoreTitle = columnLines(f.data, pageColumns)
	page.Next = []reportNext{
		{"Forecast from the end of the series, with intervals:",
			fmt.Sprintf("mercer predict %s --forecast %d --interval 0.9", shellWord(f.o.Output), r.Lags.Horizon)},
		{"Fit again as the series grows: a forecast starts from its last step.", ""},
	}
	if names := r.brought(); len(names) > 0 {
		page.Next[0] = reportNext{"Forecast rows of times with what is known ahead (" + joinSome(names) +
			"), with intervals:", fmt.Sprintf("mercer predict %s rows.csv --interval 0.9", shellWord(f.o.Output))}
	}
	file := shellWord(f.o.Output)
	page.Commands = []string{fmt.Sprintf("mercer predict %s --forecast %d", file, r.Lags.Horizon), "mercer inspect " +
		file}
	if len(r.brought()) > 0 {
		page.Commands[0] = fmt.Sprintf("mercer predict %s rows.csv", file)
	}
	if err := page.forecastFigures(r.ForecastResult, r.said); err != nil {
		return err
	}
	return page.write(f.App, f.model, f.page)
}

func (p *reportPage) forecastFigures(r *tune.ForecastResult, said *model.Prediction) error {
	values := r.Lags.Values
	shown := min(len(values), max(6*r.Lags.Horizon, 4*r.Season, 40))
	first := len(values) - shown
	times := timesAlong(r.Lags, first, len(values)+len(said.Values)-1)
	place := func(i int) float64 {
		if times.Kind == data.Numeric {
			return times.Numbers[i-first]
		}
		return float64(i)
	}
	past := plot.Series{Name: r.Lags.Target}
	for i := first; i < len(values); i++ {
		past.X, past.Y = append(past.X, place(i)), append(past.Y, values[i])
	}
	ahead := plot.Series{Name: "forecast", Y: said.Values, Low: said.Low, High: said.High,
		Band: fmt.Sprintf("%.0f %% of observations", 100*forecastLevel)}
	for i := range said.Values {
		ahead.X = append(ahead.X, place(len(values)+i))
	}
	if said.Len() == 0 {
		ahead = plot.Series{Name: "forecast"}
	}
	fig, err := plot.Lines(r.Lags.Order, r.Lags.Target, "the series and its forecast", false, past, ahead)
	if err == nil && times.Kind == data.Time {
		fig.NameX(timeTicks(times, first))
	}
	if err := p.add("The forecast", fmt.Sprintf("The last %d steps of the series and the %d after them.", shown,
		r.Lags.Horizon), fig, err); err != nil {
		return err
	}
	own, naive := plot.Series{Name: "model"}, plot.Series{Name: "naive"}
	if r.Season > 0 {
		naive.Name = "seasonal naive"
	}
	for h := range r.Score.ByStep {
		own.X, own.Y = append(own.X, float64(h+1)), append(own.Y, r.Score.ByStep[h])
		naive.X, naive.Y = append(naive.X, float64(h+1)), append(naive.Y, r.Naive.ByStep[h])
	}
	if len(own.X) < 2 {
		return nil
	}
	own.Marks, naive.Marks = len(own.X) <= 24, len(own.X) <= 24
	fig, err = plot.Lines("steps ahead", "rmse", "error by steps ahead", false, own, naive)
	if err == nil {
		fig.FromZero()
	}
	return p.add("Errors by steps ahead",
		"The root of the mean squared error of forecasts so many steps ahead, over the test origins.", fig, err)
}
