package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/progress"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/files"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/model"
	"github.com/spf13/cobra"
)

type predictOptions struct {
	Model, Data          string
	Input                inputOptions
	Policy               policyOptions
	Proba, Std, Decision bool
	Interval             float64
	Of                   string
	Keep, Quiet          bool
	Contributions        bool
	Remarks              bool
	Forecast             int
	Device               deviceOption
	Output               string
	Server, TokenFile    string
}

func newPredict(a *App) *cobra.Command {
	o := &predictOptions{}
	cmd := &cobra.Command{
		Use:   "predict MODEL [DATA]",
		Short: "Predict the rows of a file with a saved model",
		Long: `Write a CSV file with a column "prediction", a row for each row of DATA. Columns
are found by name, in any order; columns the model does not know are ignored.
Rows are read, predicted and written a chunk at a time, so that the file may be
larger than memory. They are read as the file was that the model was fitted on:
its kinds of columns, order of dates and decimal marks hold here, too, unless
--type says otherwise.

--interval 0.9 adds columns "low" and "high" between which nine of ten new
observations are expected: as far off as the model was on rows that were held
out. A Gaussian process is surer in some places than in others, and can tell
where its curve is, too (--of mean).

--contributions adds a column "base" and a column "contribution(NAME)" for each
column of the model: what it adds to the prediction (of classes to the decision
value), as mercer explain --row tells it.

A model of mercer fit --forecast takes rows that are nothing but times; with
--forecast 12 it needs no DATA, and writes the next 12.

With --server a running mercer serve predicts: MODEL is then a name on it, or
NAME/VERSION, and the file goes there as it is.`,
		Example: `  mercer predict model.mercer new.csv > predictions.csv
  mercer predict model.mercer new.csv --proba --keep -o predictions.csv
  mercer predict model.mercer new.csv --interval 0.9
  zcat new.csv.gz | mercer predict model.mercer -
  mercer predict --server http://127.0.0.1:8080 model new.csv`,
		Args: dataArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Model = args[0]
			switch {
			case o.Forecast != 0 && len(args) == 2:
				return usage("--forecast: it is of the steps after the series in the model, and needs no DATA; leave one of " +
					"the two out")
			case o.Forecast != 0:
				return a.predictNext(cmd.Context(), o)
			case len(args) < 2:
				return usage("usage: mercer %s\n  (see: mercer predict --help)", "predict MODEL DATA")
			}
			o.Data = args[1]
			return a.predict(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.Proba, "proba", false, "add a column with the probability of each class")
	f.BoolVar(&o.Std, "std", false,
		"add columns with standard deviations: of the mean, and of a new observation with its noise")
	f.Float64Var(&o.Interval, "interval", 0, "add columns low and high that hold this share of new observations, as 0.9")
	f.StringVar(&o.Of, "of", "observation",
		"what intervals are of: observation, mean, or all: of several targets they hold all of a row together")
	f.BoolVar(&o.Decision, "decision", false, "add columns with the decision values")
	f.BoolVar(&o.Contributions, "contributions", false, "add columns with what each column adds to the prediction")
	f.BoolVar(&o.Remarks, "remarks", false,
		"add a column with what is doubtful about a row: unseen categories, numbers far outside, missing values")
	f.IntVar(&o.Forecast, "forecast", 0, "of a model of a series: write the next so many steps")
	f.BoolVar(&o.Keep, "keep", false, "write the columns of DATA, too")
	o.Device.flag(f)
	outputFlag(f, &o.Output)
	f.BoolVarP(&o.Quiet, "quiet", "q", false, "say nothing but errors")
	f.StringVar(&o.Server, "server", "", "let the server at this address predict; MODEL is a name there")
	f.StringVar(&o.TokenFile, "token-file", "", "file with the token that the server wants")
	o.Input.flags(f)
	o.Policy.flags(f)
	return cmd
}

func (a *App) predict(ctx context.Context, o *predictOptions) error {
	if o.Server != "" {
		return a.predictByServer(ctx, o)
	}
	if o.TokenFile != "" {
		return usage("--token-file: it is for a server; name that with --server")
	}
	m, err := loadPredictor(o.Model)
	if err != nil {
		return err
	}
	switch {
	case o.Proba && !m.HasProba():
		return usage("--proba: %s", noProbabilities(m, o.Model))
	case o.Contributions && len(m.Targets()) > 1:
		return usage("--contributions: %s predicts several targets; name one with mercer explain --contributions --target",
			o.Model)
	case o.Std && !m.HasStd():
		return usage("--std: %s gives no standard deviations; fit with --learner gp", o.Model)
	}
	if err := checkInterval(m, o.Model, o.Interval, o.Of); err != nil {
		return err
	}
	if m, err = o.Policy.apply(m); err != nil {
		return err
	}
	device, err := o.Device.open(20 * m.Centers()) // how many rows come is not known yet
	if err != nil {
		return err
	}
	defer func() { _ = device.Close() }()
	m.OnDevice(device)
	in, err := o.Input.options(a)
	if err != nil {
		return err
	}
	in.NoTarget, in.Readings = true, m.Readings()
	rows, err := load.Open(ctx, o.Data, in)
	if err != nil {
		return inputError(err)
	}
	s := &heard{Stream: rows}
	want := model.Want{Scores: o.Decision, Proba: o.Proba, Std: o.Std, Interval: o.Interval, OfMean: o.Of == "mean",
		OfAll: o.Of == "all", Contributions: o.Contributions, Remarks: o.Remarks}
	// No bar among predictions on a terminal.
	style := progress.StyleFor(a.Err, o.Quiet || o.Output == "" && progress.IsTerminal(a.Out), false)
	meter, start := a.show(style, "predicting"), time.Now()
	defer meter.Clear()
	var doubtful model.Doubtful
	noiseless := false
	seen := func(rows *data.Dataset, p *model.Prediction) {
		doubtful.Add(rows.Len(), p)
		noiseless = noiseless || noiseMissing(m, want, rows)
	}
	tell := func(rows int) {
		if elapsed := time.Since(start); elapsed > time.Second {
			meter.Update(progress.State{Done: rows, Elapsed: elapsed})
		}
	}
	if o.Output == "" {
		err = writePredictions(ctx, a.Out, m.Stream(s, want), o.Keep, seen, func(rows int) {
			a.keep("stopped after %s rows", phrase.Thousands(rows))
			tell(rows)
		})
	} else {
		err = files.WriteUntil(ctx, o.Output, func(w io.Writer) error {
			return writePredictions(ctx, w, m.Stream(s, want), o.Keep, seen, tell)
		})
	}
	meter.Clear()
	a.tellReading(&s.said)
	if err == nil && !o.Quiet {
		tellThreshold(a.Err, m)
		tellPolicies(a.Err, o.Data, &doubtful)
		if noiseless {
			fmt.Fprintf(a.Err,
				"%s has no column %q, the noise variance of each row that the model was fitted with: observations are taken to "+
					"have none but what it found\n", o.Data, m.Info().Encoder.Noise)
		}
	}
	return err
}

// noProbabilities says why a model has none, and how to get one that does.
func noProbabilities(m *model.Model, path string) string {
	switch {
	case !m.Task().Classification():
		return fmt.Sprintf("%s predicts a quantity, not classes; --interval 0.9 gives its uncertainty", path)
	}
	return fmt.Sprintf("%s was fitted without probabilities; fit again without --no-proba (over 10,000 rows, of a hard "+
		"margin, without a bias, or where there was no time to calibrate: --learner logistic)", path)
}

// writePredictions copies a stream of predictions to CSV.
func writePredictions(
	ctx context.Context, w io.Writer, s *model.Stream, keep bool, seen func(*data.Dataset, *model.Prediction),
	tell func(rows int),
) error {
	done := 0
	reading, writing := s.WriteCSV(ctx, w, keep, func(rows *data.Dataset, p *model.Prediction) {
		done += rows.Len()
		seen(rows, p)
		tell(done)
	})
	return cmp.Or(inputErrorFor(reading, true), writing)
}
