package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// forecastLevel is the share of observations that intervals of a forecast hold where nothing is
// said.
const forecastLevel = 0.9

// fitForecast is mercer fit --forecast: read, fit, judge from rolling origins, save, report.
func (f *fitting) fitForecast(ctx context.Context) error {
	o := f.o
	if err := o.checkForecast(); err != nil {
		return err
	}
	if err := f.checkPagePlaces(); err != nil {
		return err
	}
	o.Input.Memory = o.Memory
	in, err := o.Input.options(f.App)
	if err != nil {
		return err
	}
	in.Target, in.Seed = o.Target, o.Seed
	if f.data, err = f.App.read(ctx, o.Data, in); err != nil {
		return err
	}
	if f.data.Target == "" || f.data.Target == o.Task.Order {
		return usage("--forecast: no column is the series; name it with --target (found: %s)", f.data.Names())
	}
	fmt.Fprintln(f.say, f.data.Summary())
	done := f.busy(f.style, "forecasting from rolling origins")
	r, err := tune.Forecast(ctx, f.data, tune.ForecastOptions{Order: o.Task.Order, Target: f.data.Target, Horizon: o.Task.Forecast, Season: o.Task.Season, Threads: o.Threads})
	done()
	if err != nil {
		return fitError(err)
	}
	info := model.Info{DataName: f.data.Name, DataHash: f.data.Hash, Seed: o.Seed, Version: Version, Notes: map[string]string{
		"forecast":                fmt.Sprintf("%d steps of %s by %s", r.Lags.Horizon, r.Lags.Target, r.Lags.Order),
		"rolling origins rmse":    number(r.Score.RMSE) + "; seasonal naive " + number(r.Naive.RMSE),
		"rolling origins scaled":  number(r.Score.Scaled) + " mean absolute scaled error; seasonal naive " + number(r.Naive.Scaled),
		"rolling origins by step": fmt.Sprintf("rmse %s one step ahead, %s at %d", number(r.Score.ByStep[0]), number(r.Score.ByStep[len(r.Score.ByStep)-1]), r.Lags.Horizon),
	}}
	if f.model, err = r.Model(info); err != nil {
		return err
	}
	next, said, err := forecastOf(ctx, f.model, r.Lags.Horizon, model.Want{Interval: f.forecastLevel()})
	if err != nil {
		return err
	}
	if err := f.model.Save(o.Output); err != nil {
		return err
	}
	if f.page = o.reportPath(); f.page != "" {
		if err := f.forecastReport(r, next, said); err != nil {
			return err
		}
	}
	return f.tellForecast(r, next, said)
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
	case len(o.Learners) > 0 || o.Kernel != "" || len(o.Grid) > 0 || o.Metric != "" || o.Solver != "" || o.Best == "committee":
		return usage("--forecast: kernels of trend, season and lags are fitted by their evidence and chosen from rolling origins; leave --learner, --kernel, --grid, --metric, --solver and --best out (without --forecast, --order judges any of them by later rows)")
	case t.Test != "" || t.Nested > 0 || t.Refit || t.ClassWeight != "" || o.Weights != "" || o.Noise != "" || o.Groups != "" || o.Bags != "":
		return usage("--forecast: a series is a column of times and one of numbers; leave --test, --nested, --refit, --class-weight, --weights, --noise, --groups and --bags out")
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

func (f *fitting) tellForecast(r *tune.ForecastResult, next *data.Dataset, p *model.Prediction) error {
	o := f.o
	if o.JSON {
		tries, rows := []map[string]any{}, []map[string]any{}
		for _, t := range r.Tries {
			tries = append(tries, map[string]any{"kernel": t.Name, "log": t.Log, "rmse": orNull(t.RMSE)})
		}
		for i := range p.Len() {
			row := map[string]any{r.Lags.Order: next.Columns[0].String(i), "prediction": p.Values[i]}
			if p.Low != nil {
				row["low"], row["high"] = p.Low[i], p.High[i]
			}
			rows = append(rows, row)
		}
		score := func(s tune.ForecastScore) map[string]any {
			return map[string]any{"rmse": s.RMSE, "mae": s.MAE, "scaled": orNull(s.Scaled), "rmse_by_step": s.ByStep}
		}
		enc := json.NewEncoder(f.Out)
		enc.SetIndent("", " ")
		return enc.Encode(map[string]any{"data": f.data.Name, "task": "forecast", "order": r.Lags.Order, "target": r.Lags.Target, "horizon": r.Lags.Horizon, "season": r.Season, "season_why": r.Why,
			"filled": r.Filled, "left_out": r.Left, "tried": tries, "chosen": r.Chosen, "kernel": r.Kernel, "origins_choice": r.Choice, "origins_test": r.Tested, "score": score(r.Score), "naive": score(r.Naive),
			"forecast": rows, "model": o.Output, "report": f.page})
	}
	w := f.say
	if fmt.Fprint(w, r.Why); r.Season == 0 && o.Task.Season == 0 {
		fmt.Fprint(w, " (tell one: --season 12)")
	}
	fmt.Fprintln(w)
	if r.Filled > 0 {
		fmt.Fprintf(w, "%s had no value: they are on a line between their neighbours\n", plural(r.Filled, "step"))
	}
	if r.Left > 0 {
		fmt.Fprintf(w, "the first %s are left out: a model is fitted to the last %d\n", plural(r.Left, "step"), len(r.Lags.Values))
	}
	fmt.Fprintf(w, "\n  %-40s %s\n", "kernel", "rmse")
	for i, t := range r.Tries {
		mark := " "
		if i == r.Chosen {
			mark = "▸"
		}
		fmt.Fprintf(w, "%s %-40s %s\n", mark, t, number(t.RMSE))
	}
	fmt.Fprintf(w, "\nchosen   %s, from %s\n", r.Tries[r.Chosen], plural(r.Choice, "origin"))
	fmt.Fprintf(w, "test     rmse %s, %s steps ahead from %s\n", number(r.Score.RMSE), data.Thousands(r.Lags.Horizon), r.TestOrigins())
	fmt.Fprintf(w, "baseline rmse %s (%s)\n", number(r.Naive.RMSE), naiveText(r))
	fmt.Fprintf(w, "wrote    %s\n", joinFiles(o.Output, f.page))
	fmt.Fprintf(w, "\n%s\n", forecastHead(r, p))
	for i := range p.Len() {
		line := fmt.Sprintf("%-20s %10s", next.Columns[0].String(i), number(p.Values[i]))
		if p.Low != nil {
			line += fmt.Sprintf(" %10s %10s", number(p.Low[i]), number(p.High[i]))
		}
		fmt.Fprintln(w, line)
	}
	_, err := fmt.Fprintf(w, "\npredict  mercer predict %s --forecast %d --interval 0.9\n", shellWord(o.Output), r.Lags.Horizon)
	return err
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
func (f *fitting) forecastReport(r *tune.ForecastResult, next *data.Dataset, p *model.Prediction) error {
	page := &reportPage{Title: filepath.Base(f.data.Name), Summary: f.data.Summary(), Metric: "rmse", Model: describeModel(f.model), target: r.Lags.Target, ModelFile: f.o.Output, Version: Version, Command: f.o.Command}
	page.Answer = fmt.Sprintf("Forecasts %s %d steps ahead with an rmse of %s.", r.Lags.Target, r.Lags.Horizon, number(r.Score.RMSE))
	page.Headline = "gp, " + r.Tries[r.Chosen].String()
	page.HeadlineNote = fmt.Sprintf("Over %s at which nothing later was known. Baseline: %s (%s).", r.TestOrigins(), number(r.Naive.RMSE), naiveText(r))
	page.Fitted = fmt.Sprintf("Fitted on %s.", plural(len(r.Lags.Values), "step"))
	page.Why = []string{r.Why, "kernels are fitted by their evidence to what lies before the first origin, and chosen by forecasts from " + plural(r.Choice, "origin")}
	for i, t := range r.Tries {
		page.Leaders = append(page.Leaders, reportRow{Learner: "gp", Setting: t.String(), Score: number(t.RMSE), Chosen: i == r.Chosen})
	}
	page.Columns, page.MoreColumns, page.MoreTitle = columnLines(f.data, pageColumns)
	page.Next = []reportNext{
		{"Forecast from the end of the series, with intervals:", fmt.Sprintf("mercer predict %s --forecast %d --interval 0.9", shellWord(f.o.Output), r.Lags.Horizon)},
		{"Fit again as the series grows: a forecast starts from its last step.", ""},
	}
	file := shellWord(f.o.Output)
	page.Commands = []string{fmt.Sprintf("mercer predict %s --forecast %d", file, r.Lags.Horizon), "mercer inspect " + file}
	if err := page.forecastFigures(r, p); err != nil {
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
	ahead := plot.Series{Name: "forecast", Y: said.Values, Low: said.Low, High: said.High, Band: fmt.Sprintf("%.0f %% of observations", 100*forecastLevel)}
	for i := range said.Values {
		ahead.X = append(ahead.X, place(len(values)+i))
	}
	fig, err := plot.Lines(r.Lags.Order, r.Lags.Target, "the series and its forecast", false, past, ahead)
	if err == nil && times.Kind == data.Time {
		fig.NameX(timeTicks(times, first))
	}
	if err := p.add("The forecast", fmt.Sprintf("The last %d steps of the series and the %d after them.", shown, r.Lags.Horizon), fig, err); err != nil {
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
	return p.add("Errors by steps ahead", "The root of the mean squared error of forecasts so many steps ahead, over the test origins.", fig, err)
}
