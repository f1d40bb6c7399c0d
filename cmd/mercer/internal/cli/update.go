package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/progress"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/model"
	"github.com/spf13/cobra"
)

type updateOptions struct {
	Model, Data string
	Input       inputOptions
	Output      string
	Quiet, JSON bool
}

func newUpdate(a *App) *cobra.Command {
	o := &updateOptions{}
	cmd := &cobra.Command{
		Use:   "update MODEL DATA",
		Short: "Let a saved model go on learning from further rows",
		Long: `Read rows whose answer is known, and let the model learn from one after the
other; DATA may be standard input ("-"), of any length: the memory is that of a
chunk of rows and of the model. Each row is judged before it is learnt from, so
that the score that is printed is one of rows the model had not seen.

Models that learn online can do it: mercer fit DATA --learner norma, best with a
budget: 'norma(budget=500)', and the perceptrons, voted, plain and linear.
Columns are read and scaled as when the model was fitted; a class that it does
not know is refused. The file is replaced, whole or not at all, unless -o names
another. Ctrl-C keeps what was learnt by then.`,
		Example: `  mercer fit day1.csv --learner 'norma(budget=500, schedule=constant)'
  mercer update model.mercer day2.csv
  tail -f -n +1 stream.csv | mercer update model.mercer - -o newer.mercer`,
		Args: dataArgs(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Model, o.Data = args[0], args[1]
			return a.update(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.Output, "output", "o", "", "model file to write; default: MODEL itself")
	f.BoolVarP(&o.Quiet, "quiet", "q", false, "say nothing but errors")
	f.BoolVar(&o.JSON, "json", false, "write JSON")
	o.Input.flags(f)
	return cmd
}

func (a *App) update(ctx context.Context, o *updateOptions) error {
	m, err := loadModel(o.Model)
	if err != nil {
		return err
	}
	if !m.CanUpdate() {
		return usage("%s does not go on learning (it is of %s); fit one that does with --learner norma, perceptron or "+
			"linear-perceptron", o.Model, m.Learner())
	}
	if o.Output == "" {
		o.Output = o.Model
	}
	in, err := o.Input.options(a)
	if err != nil {
		return err
	}
	in.Target, in.Readings = m.Target(), m.Info().Encoder.Readings()
	rows, err := load.Open(ctx, o.Data, in)
	if err != nil {
		return inputError(err)
	}
	s := &heard{Stream: rows}
	defer s.Close()
	u := &updating{task: m.Task()}
	meter, start := a.show(progress.StyleFor(a.Err, o.Quiet || o.JSON, false), "learning"), time.Now()
	stopped := false
	next, err := u.learn(ctx, m, s, func(rows int) {
		if elapsed := time.Since(start); elapsed > time.Second {
			meter.Update(progress.State{Done: rows, Elapsed: elapsed})
		}
	})
	meter.Clear()
	a.tellReading(&s.said)
	switch {
	case err != nil && ctx.Err() != nil && u.rows > 0:
		stopped = true
	case err != nil:
		return inputErrorFor(err, true)
	case u.rows == 0:
		return usage("%s: no rows to learn from", o.Data)
	}
	if err := next.Save(o.Output); err != nil {
		return err
	}
	if err := a.tellUpdate(o, u, m, next, stopped); err != nil || !stopped {
		return err
	}
	a.keep("")
	return ctx.Err()
}

// updating is what is known of the rows learnt from so far.
type updating struct {
	task data.Task
	rows int
	sum  float64 // of correct rows, or of squares of errors
}

// learn takes in chunk after chunk. A chunk is learnt as a whole or not at all: what it returns is
// the model of the rows that are counted.
func (u *updating) learn(
	ctx context.Context, m *model.Model, s data.Stream, tell func(rows int),
) (*model.Model, error) {
	for read := 0; ; {
		d, err := s.Next()
		if errors.Is(err, io.EOF) {
			return m, nil
		}
		if err != nil {
			return m, err
		}
		next, learnt, err := m.Update(ctx, d)
		if err != nil {
			return m, data.PlaceError("", read, err)
		}
		m = next
		read += d.Len()
		for i, y := range learnt.Truth {
			if off := learnt.Before[i] - y; u.task == data.Regression {
				u.sum += off * off
			} else if off == 0 {
				u.sum++
			}
		}
		u.rows += len(learnt.Truth)
		tell(u.rows)
	}
}

// score is of the rows before they were learnt from.
func (u *updating) score() (metric string, value float64) {
	mean := u.sum / float64(u.rows)
	if u.task == data.Regression {
		return "rmse", math.Sqrt(mean)
	}
	return "accuracy", mean
}

func (a *App) tellUpdate(o *updateOptions, u *updating, before, after *model.Model, stopped bool) error {
	metric, value := u.score()
	if o.JSON {
		enc := json.NewEncoder(a.Out)
		enc.SetIndent("", " ")
		return enc.Encode(map[string]any{"model": o.Output, "rows": u.rows, "metric": metric, "value": value,
			"rows_in_all":    after.Info().Rows,
			"centres_before": before.Centers(), "centres": after.Centers(), "interrupted": stopped})
	}
	if o.Quiet {
		return nil
	}
	fmt.Fprintf(a.Out, "learnt   %s, %s in all\n", plural(u.rows, "row"), phrase.Thousands(after.Info().Rows))
	fmt.Fprintf(a.Out, "before   %s %s: each row judged before it was learnt from\n", metric, number(value))
	fmt.Fprintf(a.Out, "centres  %s, before %s\n", phrase.Thousands(after.Centers()), phrase.Thousands(before.Centers()))
	_, err := fmt.Fprintf(a.Out, "wrote    %s\n", o.Output)
	if stopped {
		fmt.Fprintln(a.Err, "stopped; the rows after these are not learnt from")
	}
	return err
}
