package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/progress"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
	"github.com/spf13/cobra"
)

type thresholdOptions struct {
	Model, Data, Target, Positive string
	Costs, At                     string
	None                          bool
	Input                         inputOptions
	Policy                        policyOptions
	Output                        string
	JSON                          bool
}

func newThreshold(a *App) *cobra.Command {
	o := &thresholdOptions{}
	cmd := &cobra.Command{
		Use:   "threshold MODEL [DATA]",
		Short: "Choose from which probability on a class is named",
		Long: `A model of two classes names the more probable one, or a class from a
probability on: its threshold, which is kept in the model file. predict, serve,
eval and the exports go by it.

DATA is rows of known answers; those that the model was fitted on are left out.
--costs yes=50 takes the threshold of least cost on them, where a "yes" that is
missed costs 50 times a "no" that is taken for one. Without --costs it is that
of the best f1. --threshold 0.2 sets it, and --none takes it away: both need no
DATA. The file is replaced, whole or not at all, unless -o names another.`,
		Example: `  mercer threshold model.mercer labelled.csv --costs yes=50
  mercer threshold model.mercer labelled.csv --costs yes=50,no=2 -o other.mercer
  mercer threshold model.mercer --threshold yes=0.2
  mercer threshold model.mercer --none`,
		Args: dataArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.Model = args[0]; len(args) > 1 {
				o.Data = args[1]
			}
			return a.threshold(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Costs, "costs", "",
		"what a row costs that is taken for the other class, NAME=COST,…; a class not named costs 1")
	f.StringVar(&o.At, "threshold", "", "the probability itself: 0.2, or NAME=0.2")
	f.BoolVar(&o.None, "none", false, "no threshold: the more probable class is named")
	f.StringVar(&o.Positive, "positive", "",
		"class that the threshold is of; default: as when the model was fitted, or the rarer")
	f.StringVar(&o.Target, "target", "", "column with the answers; default: the model's own")
	f.StringVarP(&o.Output, "output", "o", "", "model file to write; default: MODEL itself")
	f.BoolVar(&o.JSON, "json", false, "write JSON")
	o.Input.flags(f)
	o.Policy.flags(f)
	return cmd
}

func (a *App) threshold(ctx context.Context, o *thresholdOptions) error {
	m, err := o.model()
	if err != nil {
		return err
	}
	if o.Output == "" {
		o.Output = o.Model
	}
	var t *model.Threshold
	var p *learn.Predictions
	switch {
	case o.None:
	case o.At != "":
		if t, err = parseThreshold(o.At, o.positive(m), m.Classes()); err != nil {
			return err
		}
		t.Why = "as told"
	default:
		if p, err = a.thresholdRows(ctx, o, m); err != nil {
			return err
		}
		if t, err = o.choose(m, p); err != nil {
			return err
		}
	}
	next, err := m.WithThreshold(t)
	if err != nil {
		return &UsageError{err}
	}
	if err := next.Save(o.Output); err != nil {
		return err
	}
	if o.JSON {
		return writeJSON(a.Out, o.asJSON(m, t, p))
	}
	if p != nil {
		o.tell(a.Out, t, m, p)
	}
	said := "the more probable class is named"
	if t != nil {
		said = t.String()
	}
	tellLines(a.Out, "now", progress.Width(a.Out), []string{said})
	if before := m.Info().Threshold; before != nil {
		tellLines(a.Out, "before", progress.Width(a.Out), []string{before.String()})
	}
	_, err = fmt.Fprintf(a.Out, "wrote    %s\n", o.Output)
	return err
}

// model is the one that gets the threshold; what it cannot have is refused before anything is read.
func (o *thresholdOptions) model() (*model.Model, error) {
	m, err := loadPredictor(o.Model)
	if err != nil {
		return nil, err
	}
	told := 0
	for _, given := range []bool{o.Costs != "", o.At != "", o.None} {
		if given {
			told++
		}
	}
	switch {
	case told > 1:
		return nil, usage("--costs, --threshold and --none: each says what the threshold is to be; give one of them")
	case !m.Task().Classification():
		return nil, usage("%s predicts a quantity, not classes, and has no threshold", o.Model)
	case len(m.Classes()) != 2:
		return nil, usage("%s tells %d classes apart, and a threshold is between two; fit it with --class-weight to "+
			"make one dearer", o.Model, len(m.Classes()))
	case !m.HasProba():
		return nil, usage("a threshold is of a probability: %s", noProbabilities(m, o.Model))
	case o.Data == "" && o.At == "" && !o.None:
		return nil, usage("name a file of rows whose answers are known, by which the threshold is chosen, or give it: "+
			"mercer threshold %s --threshold 0.2", shellWord(o.Model))
	case o.Data != "" && (o.At != "" || o.None):
		return nil, usage("%s: no rows are needed where the threshold is given; leave the file out", o.Data)
	}
	if o.Positive != "" {
		if _, err := positiveCode(o.Positive, m.Classes()); err != nil {
			return nil, err
		}
	}
	return o.Policy.apply(m)
}

// positive is the class that the threshold is of, as said or as the model has it.
func (o *thresholdOptions) positive(m *model.Model) string {
	switch t := m.Info().Threshold; {
	case o.Positive != "":
		return o.Positive
	case t != nil:
		return t.Class
	case m.Info().Yardstick.Positive != "":
		return m.Info().Yardstick.Positive
	}
	return m.Classes()[1]
}

// thresholdRows is what the model says of the rows that it was not fitted on.
func (a *App) thresholdRows(ctx context.Context, o *thresholdOptions, m *model.Model) (*learn.Predictions, error) {
	in, err := o.Input.options(a)
	if err != nil {
		return nil, err
	}
	if in.Target = o.Target; in.Target == "" {
		in.Target = m.Target()
	}
	in.Readings = m.Readings()
	d, err := a.read(ctx, o.Data, in)
	if err != nil {
		return nil, err
	}
	if rows, known := m.TrainedOn(d); known && len(rows) > 0 {
		if len(rows) == d.Len() {
			return nil, usage("%s: the model was fitted on all %s rows, and is too sure of them; give rows that it has not seen",
				o.Data, phrase.Thousands(d.Len()))
		}
		fmt.Fprintf(a.Err, "%s: %s of %s rows are left out: the model was fitted on them\n", d.Name,
			phrase.Thousands(len(rows)), phrase.Thousands(d.Len()))
		var rest []int
		for i := range d.Len() {
			if _, fitted := slices.BinarySearch(rows, i); !fitted {
				rest = append(rest, i)
			}
		}
		d = d.Gather(rest)
	}
	takeRoles(m, d)
	p, _, err := m.Judged(ctx, d)
	if err != nil {
		return nil, inputErrorFor(err, true)
	}
	return &p, nil
}

// choose takes the threshold of least cost, or of the best f1.
func (o *thresholdOptions) choose(m *model.Model, p *learn.Predictions) (t *model.Threshold, err error) {
	var costs map[string]float64
	why := "the best f1"
	if o.Costs != "" {
		if costs, err = parseCosts(o.Costs, m.Classes()); err != nil {
			return nil, err
		}
		why = "the least cost, " + o.Costs + ","
	}
	if t, err = tune.ChooseThreshold(*p, m.Classes(), o.positive(m), costs); err != nil {
		return nil, usage("%s: %w; give rows of both classes", o.Data, err)
	}
	t.Why = fmt.Sprintf("%s on %s", why, plural(len(p.Truth), "row")+" of "+o.Data)
	return t, nil
}

// tell shows what thresholds find in the rows, the chosen one marked.
func (o *thresholdOptions) tell(w io.Writer, t *model.Threshold, m *model.Model, p *learn.Predictions) {
	class := slices.Index(m.Classes(), t.Class)
	fmt.Fprintf(w, "%s on %s: %s, %s %q\n", o.Model, o.Data, plural(len(p.Truth), "row"),
		phrase.Thousands(countOf(p.Truth, class)), t.Class)
	miss, alarm := costsOf(t)
	rows := thresholdTable(*p, class, t, m.Info().Threshold)
	name := "cost"
	if t.Costs == nil {
		name = "f1"
	}
	fmt.Fprintf(w, "  %-12s %8s %15s %12s %10s\n", "probability", "named", "found", "right", name)
	for _, r := range rows {
		mark, last := " ", phrase.Number(r.cost(miss, alarm))
		if r.chosen {
			mark = "▸"
		}
		if t.Costs == nil {
			last = number(r.f1())
		}
		fmt.Fprintf(w, "%s %-12s %8s %15s %12s %10s%s\n", mark, number(r.at), phrase.Thousands(r.named),
			fmt.Sprintf("%d of %d", r.right, r.all), percent(r.right, r.named), last, r.note)
	}
}

func (o *thresholdOptions) asJSON(m *model.Model, t *model.Threshold, p *learn.Predictions) map[string]any {
	out := map[string]any{"model": o.Output, "threshold": t, "before": m.Info().Threshold}
	if p == nil {
		return out
	}
	class := slices.Index(m.Classes(), t.Class)
	h := hitsAt(*p, class, t.At)
	out["data"], out["rows"], out["of_class"], out["named"], out["found"] = o.Data, len(p.Truth), h.all, h.named, h.right
	if t.Costs != nil {
		miss, alarm := costsOf(t)
		out["cost"] = h.cost(miss, alarm)
	}
	return out
}

// costsOf is what a row of the class costs that is missed, and one of the other that is named.
func costsOf(t *model.Threshold) (miss, alarm float64) {
	miss, alarm = 1, 1
	for class, c := range t.Costs {
		if class == t.Class {
			miss = c
		} else {
			alarm = c
		}
	}
	return miss, alarm
}

// tellThreshold says from when on a model names a class, where that is not the more probable one.
func tellThreshold(w io.Writer, m *model.Model) {
	if t := m.Info().Threshold; t != nil {
		fmt.Fprintln(w, strings.TrimSuffix(t.String(), "."))
	}
}
