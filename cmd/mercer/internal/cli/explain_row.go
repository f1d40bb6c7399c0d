package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/model"
)

// mostMoving is the lists whose values differ most, at most so many, in their order.
func mostMoving(lists [][]float64, most int) []int {
	all := make([]int, len(lists))
	for k := range all {
		all[k] = k
	}
	spread := func(k int) float64 { return slices.Max(lists[k]) - slices.Min(lists[k]) }
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(spread(b), spread(a)) })
	all = all[:min(most, len(all))]
	slices.Sort(all)
	return all
}

// explainRow takes the prediction of one row apart.
func (a *App) explainRow(ctx context.Context, o *explainOptions, m *model.Model, d *data.Dataset) error {
	if o.Row > d.Len() {
		return usage("--row: %d, but %s has %s", o.Row, o.Data, plural(d.Len(), "row"))
	}
	one := d.Gather([]int{o.Row - 1})
	x, err := m.Encode(one)
	if err != nil {
		return inputErrorFor(err, true)
	}
	if x.Len() == 0 {
		return usage("--row: row %d has missing values, and the model leaves it out (others: --missing mean)", o.Row)
	}
	p, err := m.PredictEncoded(ctx, x, model.Want{Proba: m.HasProba()})
	if err != nil {
		return inputErrorFor(err, true)
	}
	c, err := a.contributionsOf(ctx, o, m, x)
	if errors.Is(err, model.ErrNoContributions) && o.Background == "" && o.Plot == "" {
		c, err = nil, nil // centres have no columns either
	}
	if err != nil {
		return err
	}
	if o.Plot != "" {
		title := fmt.Sprintf("What each column adds to the prediction of row %d", o.Row)
		f, err := contributionFigure(m, c, 0, title)
		if err != nil {
			return err
		}
		if err := a.writePlot(f, &o.plotOptions, title); err != nil {
			return err
		}
	}
	e, err := m.NearestCenters(ctx, x, 0, m.Centers())
	if errors.Is(err, model.ErrCommittee) {
		return a.explainCommitteeRow(o, m, d, c, p, err)
	}
	if err != nil {
		return inputErrorFor(err, true)
	}
	at := toldOutput(e, p)
	if e.Function { // those of weight 0 have no say in this output
		e.Centers = slices.DeleteFunc(e.Centers, func(c model.Center) bool { return c.Weights[at] == 0 })
	}
	e.Centers = e.Centers[:min(o.Nearest, len(e.Centers))]
	if o.JSON {
		return a.outcome(explainRowJSON(o, e, p, c))
	}
	w := a.Out
	fmt.Fprintf(w, "row %d of %s: %s predicts %s\n", o.Row, o.Data, o.Model, p.Text(0))
	if c != nil {
		tellContributions(w, m, d, o.Row-1, c)
		fmt.Fprintln(w, "\nwhat each centre adds")
	}
	if !e.Function {
		fmt.Fprintf(w, "the prediction is no sum over centres (%s); nearest of %s:\n", m.Learner(), phrase.Thousands(e.All))
	} else {
		fmt.Fprintf(w, "output %q: %s from %s, %s by itself\n", e.Outputs[at], number(e.Sum[at]), plural(e.All, "centre"),
			number(e.Bias[at]))
		if m.Info().TargetScale != nil {
			fmt.Fprintln(w, "in the units the model was fitted in, where the target is standardised")
		}
		if t := m.Info().TargetMap; t != nil {
			fmt.Fprintf(w, "in what the model was fitted in, the %s of the target (--transform %s)\n", mapWord(t.Kind), t.Kind)
		}
	}
	fmt.Fprintf(w, "%9s %9s %10s %10s  %s\n", "distance", "kernel", "weight", "adds", "centre")
	for _, c := range e.Centers {
		var values []string
		for _, v := range c.Values {
			values = append(values, v.Name+" "+v.Text)
		}
		text := strings.Join(values, ", ")
		if text == "" {
			text = fmt.Sprintf("number %d", c.Index+1)
		}
		fmt.Fprintf(w, "%9s %9s %10s %10s  %s\n", number(c.Distance), number(c.Kernel), number(c.Weights[at]),
			number(c.Shares[at]), clipTo(text, 120))
	}
	return nil
}

// explainCommitteeRow tells of a committee what its columns add; why it has no centres, the error
// says.
func (a *App) explainCommitteeRow(
	o *explainOptions, m *model.Model, d *data.Dataset, c *model.Contributions, p *model.Prediction, why error,
) error {
	if o.JSON {
		return a.outcome(explainRowJSON(o, &model.Explained{}, p, c))
	}
	fmt.Fprintf(a.Out, "row %d of %s: %s predicts %s\n", o.Row, o.Data, o.Model, p.Text(0))
	tellContributions(a.Out, m, d, o.Row-1, c)
	fmt.Fprintf(a.Out, "\nno centres are told: %v\n", why)
	return nil
}

// toldOutput is, of several, the one of the class that is predicted; of pairs the closest call of
// it.
func toldOutput(e *model.Explained, p *model.Prediction) int {
	if p.Codes == nil || len(e.Outputs) < 2 {
		return 0
	}
	if e.Pairs == nil {
		return min(p.Codes[0], len(e.Outputs)-1)
	}
	at := -1
	for j, pair := range e.Pairs {
		if slices.Contains(pair[:], p.Codes[0]) && (at < 0 || math.Abs(e.Sum[j]) < math.Abs(e.Sum[at])) {
			at = j
		}
	}
	return at
}

func explainRowJSON(o *explainOptions, e *model.Explained, p *model.Prediction, c *model.Contributions) map[string]any {
	centers := []map[string]any{}
	for _, c := range e.Centers {
		values := map[string]string{}
		for _, v := range c.Values {
			values[v.Name] = v.Text
		}
		centers = append(centers, map[string]any{"index": c.Index, "distance": c.Distance, "kernel": c.Kernel,
			"weights": c.Weights, "adds": c.Shares, "columns": values})
	}
	out := map[string]any{"model": o.Model, "data": o.Data, "row": o.Row, "prediction": p.Text(0), "outputs": e.Outputs,
		"sum": e.Sum, "bias": e.Bias,
		"is_sum": e.Function, "centers_in_all": e.All, "centers": centers}
	if c != nil {
		shared := contributionsJSON(c, 0)
		for name, v := range map[string]any{"unit": c.Unit, "outputs": c.Outputs, "columns": c.Columns, "base": c.Base,
			"how": c.How, "exact": c.Exact(), "background": c.From, "background_rows": c.Rows} {
			shared[name] = v
		}
		out["columns"] = shared
	}
	return out
}
