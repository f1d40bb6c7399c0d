package cli

import (
	"cmp"
	"context"
	"io"

	"github.com/mercer-ml/mercer/internal/files"
	"github.com/mercer-ml/mercer/internal/format/csvio"
	"github.com/mercer-ml/mercer/model"
)

// predictNext writes what a model of a series says of the steps after it.
func (a *App) predictNext(ctx context.Context, o *predictOptions) error {
	if o.Server != "" {
		return usage("--forecast: a server takes rows of times; send them as DATA")
	}
	m, err := loadPredictor(o.Model)
	if err != nil {
		return err
	}
	e := m.Info().Encoder
	switch {
	case e == nil || e.Lags == nil:
		return usage("--forecast: %s is not of a series in time; fit one with mercer fit DATA --forecast 12 --order TIME",
			o.Model)
	case o.Forecast < 1 || o.Forecast > e.Lags.Horizon:
		return usage("--forecast: %d; %s forecasts 1 to %d steps (more: mercer fit --forecast)", o.Forecast, o.Model,
			e.Lags.Horizon)
	case o.Proba:
		return usage("--proba: %s", noProbabilities(m, o.Model))
	case o.Std && !m.HasStd():
		return usage("--std: %s is of a logarithm, which has none; --interval 0.9 gives its uncertainty", o.Model)
	}
	if err := checkInterval(m, o.Model, o.Interval, o.Of); err != nil {
		return err
	}
	want := model.Want{Scores: o.Decision, Std: o.Std, Interval: o.Interval, OfMean: o.Of == "mean",
		Contributions: o.Contributions, Remarks: o.Remarks}
	next, p, err := forecastOf(ctx, m, o.Forecast, want)
	if err != nil {
		return inputErrorFor(err, true)
	}
	table, _ := m.Table(next, p, want, true)
	write := func(w io.Writer) error {
		out := csvio.NewWriter(w, ',')
		return cmp.Or(out.Write(table), out.Flush())
	}
	if o.Output == "" {
		return write(a.Out)
	}
	return files.WriteUntil(ctx, o.Output, write)
}
