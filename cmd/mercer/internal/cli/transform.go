package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/progress"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/files"
	"github.com/mercer-ml/mercer/internal/format/csvio"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/model"
	"github.com/spf13/cobra"
)

type transformOptions struct {
	Model, Data, Output string
	Input               inputOptions
	Policy              policyOptions
	Keep, Quiet         bool
	Level, Anomalies    float64
}

func newTransform(a *App) *cobra.Command {
	o := &transformOptions{}
	cmd := &cobra.Command{
		Use:   "transform MODEL DATA",
		Short: "Apply saved components, clusters, densities, smoothers",
		Long: `Write a CSV file with a row for each row of DATA and the columns that the saved
thing gives. Files come from the --save of these verbs:

  mercer pca      component_1, component_2, … and residual, the squared distance
                  in feature space from the plane of the components
  mercer cca      x_1, y_1, …: the correlated functions of each view
  mercer cluster  cluster and, by k-means, the distance from its mean
  mercer density  density, log_density, rarity and, of a mixture, component
  mercer smooth   smooth, low and high: the curve and its band
  mercer features feature_1, feature_2, …: their inner products are the kernel

rarity is the share of rows as rare as this one or rarer, among rows judged by a
fit to others; --anomalies 0.01 adds a column anomaly that says yes where it is
at most that: of rows like those fitted on, one in a hundred. mercer fit and
predict are for models that predict a column.`,
		Example: `  mercer pca iris --save pca.mercer
  mercer transform pca.mercer new.csv > scores.csv
  mercer density faithful --save density.mercer
  mercer transform density.mercer new.csv --anomalies 0.01 --keep -o marked.csv
  zcat new.csv.gz | mercer transform pca.mercer -`,
		Args: dataArgs(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Model, o.Data = args[0], args[1]
			return a.transform(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.Keep, "keep", false, "write the columns of DATA, too")
	f.Float64Var(&o.Anomalies, "anomalies", 0,
		"density: add a column anomaly, yes for rows rarer than this share, as 0.01")
	f.Float64Var(&o.Level, "level", 0, "smoother: level of the band; default: 0.95")
	outputFlag(f, &o.Output)
	f.BoolVarP(&o.Quiet, "quiet", "q", false, "say nothing but errors")
	o.Input.flags(f)
	o.Policy.flags(f)
	return cmd
}

func (a *App) transform(ctx context.Context, o *transformOptions) error {
	m, err := loadModel(o.Model)
	if err != nil {
		return err
	}
	if err := o.checkTransform(m); err != nil {
		return err
	}
	if m, err = o.Policy.apply(m); err != nil {
		return err
	}
	in, err := o.Input.options(a)
	if err != nil {
		return err
	}
	in.NoTarget = true
	enc := m.Info().Encoder
	if enc != nil {
		in.Readings = enc.Readings()
	}
	rows, err := load.Open(ctx, o.Data, in)
	if err != nil {
		return inputError(err)
	}
	s := &heard{Stream: rows}
	meter := a.show(progress.StyleFor(a.Err, o.Quiet || o.Output == "" && progress.IsTerminal(a.Out), false),
		"transforming")
	defer meter.Clear()
	var doubtful model.Doubtful
	encoded := encodedRows(&plainRows{m: m, Stream: s})
	if enc != nil {
		encoded = enc.Stream(s)
	}
	write := func(w io.Writer) error { return o.write(ctx, w, m, encoded, &doubtful, meter) }
	if o.Output == "" {
		err = write(a.Out)
	} else {
		err = files.WriteUntil(ctx, o.Output, write)
	}
	meter.Clear()
	a.tellReading(&s.said)
	if err == nil && !o.Quiet {
		tellPolicies(a.Err, o.Data, &doubtful)
	}
	return err
}

// checkTransform refuses, before any row is read, what the file has not got.
func (o *transformOptions) checkTransform(m *model.Model) error {
	switch {
	case m.Role() == "predictor":
		return usage("%s predicts; use: mercer predict %s %s", o.Model, shellWord(o.Model), shellWord(o.Data))
	case !(o.Level >= 0 && o.Level < 1):
		return usage("--level: %g; give a share between 0 and 1", o.Level)
	case o.Level > 0 && m.Role() != "smoother":
		return usage("--level: %s is a %s and has no band", o.Model, m.Role())
	case !(o.Anomalies >= 0 && o.Anomalies < 1):
		return usage("--anomalies: %g; give a share between 0 and 1, as 0.01", o.Anomalies)
	case o.Anomalies > 0:
		if err := m.CheckAnomalies(o.Anomalies); err != nil {
			return usage("--anomalies: %s: %w", o.Model, err)
		}
	}
	return nil
}

// write copies a stream to CSV, whole lines at a time.
func (o *transformOptions) write(
	ctx context.Context, w io.Writer, m *model.Model, s encodedRows, doubtful *model.Doubtful, meter *progress.Meter,
) error {
	defer s.Close()
	buffered := bufio.NewWriterSize(w, 1<<16)
	out := csvio.NewWriter(buffered, ',')
	start := time.Now()
	for done := 0; ; {
		rows, x, err := s.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return inputErrorFor(err, true)
		}
		t, err := m.TransformEncoded(ctx, x, model.TransformOptions{Level: o.Level, Anomalies: o.Anomalies})
		if err != nil {
			return inputErrorFor(err, true)
		}
		if err := cmp.Or(out.Write(t.Table(rows, o.Keep)), out.Flush(), buffered.Flush()); err != nil {
			return err
		}
		doubtful.Add(rows.Len(), &model.Prediction{Rows: t.Rows, Filled: t.Filled, UnseenRows: t.UnseenRows,
			Unseen: t.Unseen})
		done += rows.Len()
		if elapsed := time.Since(start); elapsed > time.Second {
			meter.Update(progress.State{Done: done, Elapsed: elapsed})
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("stopped after %s rows: %w", phrase.Thousands(done), err)
		}
	}
}

// encodedRows is chunks of rows as read, and as the model takes them.
type encodedRows interface {
	Next() (*data.Dataset, *data.Encoded, error)
	Close() error
}

// plainRows is the rows of a model without an encoding of columns, which a Go or a Python program
// saved: its features are the columns in their order.
type plainRows struct {
	data.Stream
	m    *model.Model
	rows int // given so far
}

// Next is the next chunk; a fault counts rows from the start of the stream.
func (p *plainRows) Next() (*data.Dataset, *data.Encoded, error) {
	d, err := p.Stream.Next()
	if err != nil {
		return nil, nil, err
	}
	x, err := p.m.Encode(d)
	if at, ok := errors.AsType[*data.Error](err); ok && at.Row > 0 {
		placed := *at
		placed.Row += p.rows
		err = &placed
	}
	p.rows += d.Len()
	return d, x, err
}
