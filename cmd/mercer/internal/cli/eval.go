package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
	"github.com/spf13/cobra"
)

type evalOptions struct {
	Model, Data, Target string
	Input               inputOptions
	JSON                bool
	Plot                string
	Interval            float64
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
	f.StringVar(&o.Target, "target", "", "column with the answers; default: the model's own target")
	f.BoolVar(&o.JSON, "json", false, "write JSON")
	f.StringVar(&o.Plot, "plot", "", "file (.svg or .png) for predicted against true values, or the confusion matrix")
	f.Float64Var(&o.Interval, "interval", 0, "also say what share of the rows the intervals of this level hold, as 0.9")
	o.Input.flags(f)
	return cmd
}

func (a *App) eval(ctx context.Context, o *evalOptions) error {
	if err := checkPlotName(o.Plot); err != nil {
		return err
	}
	m, err := loadModel(o.Model)
	if err != nil {
		return err
	}
	if err := checkInterval(m, o.Model, o.Interval, "observation"); err != nil {
		return err
	}
	in, err := o.Input.options(a)
	if err != nil {
		return err
	}
	in.Target = o.Target
	if in.Target == "" {
		in.Target = m.Target()
	}
	if enc := m.Info().Encoder; enc != nil {
		in.Hints = enc.Kinds()
	}
	d, err := a.read(ctx, o.Data, in)
	if err != nil {
		return err
	}
	p, covered, err := predictions(ctx, m, d, o.Interval)
	if err != nil {
		return inputErrorFor(err, true)
	}
	if len(p.Truth) == 0 {
		return usage("%s: no rows to judge by", o.Data)
	}
	scores := map[string]float64{}
	var names []string
	for _, metric := range tune.Metrics(m.Task()) {
		if metric.NeedsProb && p.Prob == nil {
			continue
		}
		if v := metric.Score(p); v == v {
			scores[metric.Name] = v
			names = append(names, metric.Name)
		}
	}
	if o.Interval > 0 {
		scores["coverage"], scores["interval width"] = covered.share(), covered.meanWidth()
		names = append(names, "coverage", "interval width")
	}
	if o.Plot != "" {
		if err := a.evalPlot(m, p, o.Plot); err != nil {
			return err
		}
	}
	if o.JSON {
		enc := json.NewEncoder(a.Out)
		enc.SetIndent("", " ")
		return enc.Encode(map[string]any{"model": o.Model, "data": o.Data, "rows": len(p.Truth), "scores": scores})
	}
	fmt.Fprintf(a.Out, "%s on %s: %s rows\n", o.Model, o.Data, data.Thousands(len(p.Truth)))
	for _, n := range names {
		fmt.Fprintf(a.Out, "  %-18s %s\n", n, number(scores[n]))
	}
	return nil
}

// predictions asks the model about rows with known answers, and how many of those its intervals hold.
func predictions(ctx context.Context, m *model.Model, d *data.Dataset, level float64) (out learn.Predictions, held coverage, err error) {
	p, err := m.Predict(ctx, d, model.Want{Proba: m.HasProba(), Scores: true, Interval: level})
	if err != nil {
		return out, held, err
	}
	target, err := d.Column(d.Target)
	if err != nil {
		return out, held, err
	}
	if !m.Task().Classification() {
		answers, err := target.As(data.Numeric)
		if err != nil {
			return out, held, err
		}
		for i, row := range p.Rows {
			if answers.IsMissing(row) {
				continue
			}
			out.Truth, out.Value = append(out.Truth, answers.Numbers[row]), append(out.Value, p.Values[i])
			if level > 0 {
				held.add(answers.Numbers[row], p.Low[i], p.High[i])
			}
		}
		return out, held, nil
	}
	classes := m.Classes()
	code := map[string]int{}
	for c, name := range classes {
		code[name] = c
	}
	out.Classes = len(classes)
	for i, row := range p.Rows {
		if target.IsMissing(row) {
			continue
		}
		c, known := code[target.String(row)]
		if !known {
			return out, held, usage("%s: row %d: class %q was not there when the model was fitted (its classes: %s)", d.Name, row+1, target.String(row), joinSome(classes))
		}
		out.Truth, out.Class = append(out.Truth, float64(c)), append(out.Class, p.Codes[i])
		if p.Proba != nil {
			out.Prob = append(out.Prob, p.Proba.RawRowView(i)...)
			out.Score = append(out.Score, p.Proba.RawRowView(i)...)
		} else if len(classes) == 2 && p.Scores != nil {
			out.Score = append(out.Score, -p.Scores.At(i, 0), p.Scores.At(i, 0))
		}
	}
	return out, held, nil
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

func (a *App) evalPlot(m *model.Model, p learn.Predictions, path string) error {
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
	return writePlot(f, path)
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

// writePlot writes a figure, all or nothing; the name says the format.
func writePlot(f *plot.Figure, path string) error {
	if err := checkPlotName(path); err != nil {
		return err
	}
	return model.WriteFileAtomic(path, func(w io.Writer) error { return f.Write(w, path) })
}
