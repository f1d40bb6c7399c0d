package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
)

// toldContributions is how many columns a line of --contributions names.
const toldContributions = 4

// contributionsOf shares the predictions of encoded rows among their columns.
func (a *App) contributionsOf(
	ctx context.Context, o *explainOptions, m *model.Model, x *data.Encoded,
) (*model.Contributions, error) {
	settings := model.ContributionOptions{Draws: o.Draws, Seed: o.Seed}
	if o.Background != "" {
		in, err := o.Input.options(a)
		if err != nil {
			return nil, err
		}
		in.NoTarget, in.Readings = true, m.Readings()
		d, err := a.read(ctx, o.Background, in)
		if err != nil {
			return nil, err
		}
		if d.Len() > o.Rows {
			some := make([]int, o.Rows)
			for i := range some {
				some[i] = i * d.Len() / o.Rows
			}
			d = d.Gather(some)
		}
		if settings.Background, err = m.Encode(d); err != nil {
			return nil, inputErrorFor(err, true)
		}
		if settings.Background.Len() == 0 {
			return nil, usage("--background: %s has no rows without missing values; give others, or --missing mean",
				o.Background)
		}
	}
	c, err := m.Contributions(ctx, x, settings)
	if errors.Is(err, model.ErrNoContributions) {
		return nil, usage("%s: %w\n  (a table of a LIBSVM file: mercer data FILE --convert table.csv)", o.Model, err)
	}
	if err != nil {
		return nil, inputErrorFor(err, true)
	}
	if o.Background != "" {
		c.From = "rows of " + o.Background
	}
	return c, nil
}

// explainContributions takes the predictions of all rows apart, a line each.
func (a *App) explainContributions(ctx context.Context, o *explainOptions, m *model.Model, d *data.Dataset) error {
	if o.Plot != "" {
		return usage("--plot: a figure is of one row; name it with --row")
	}
	x, err := m.Encode(d)
	if err != nil {
		return inputErrorFor(err, true)
	}
	done := a.busy(&exploreOptions{Quiet: o.Quiet, JSON: o.JSON}, "sharing predictions")
	c, err := a.contributionsOf(ctx, o, m, x)
	done()
	if err != nil {
		return err
	}
	p, err := m.PredictEncoded(ctx, x, model.Want{})
	if err != nil {
		return inputErrorFor(err, true)
	}
	if !o.Quiet {
		tellPolicies(a.Err, o.Data, &model.Doubtful{Empty: d.Len() - x.Len(), Filled: x.Filled, UnseenRows: x.UnseenRows,
			Unseen: x.Unseen, FarRows: x.FarRows})
	}
	if o.JSON {
		rows := []map[string]any{}
		for i, row := range x.Kept {
			one := contributionsJSON(c, i)
			one["row"], one["prediction"] = row+1, p.Text(i)
			rows = append(rows, one)
		}
		return a.outcome(map[string]any{"model": o.Model, "data": o.Data, "unit": c.Unit, "outputs": c.Outputs,
			"columns": c.Columns, "base": orEmpty(c.Base),
			"how": c.How, "exact": c.Exact(), "background": c.From, "background_rows": c.Rows, "rows": rows})
	}
	fmt.Fprintf(a.Out, "%s on %s: what each column adds to %s (Shapley values)\n%s\n", o.Model, o.Data, unitText(m, c),
		contributionNote(c))
	for i, row := range x.Kept {
		fmt.Fprintf(a.Out, "row %d: %s%s\n", row+1, predictedText(m, p, i), contributionLine(c, i))
	}
	return nil
}

func orEmpty(v []float64) []float64 {
	if v == nil {
		return []float64{}
	}
	return v
}

// unitText is what is shared.
func unitText(m *model.Model, c *model.Contributions) string {
	if len(m.Classes()) == 0 {
		return c.Unit
	}
	if len(c.Outputs) == 1 {
		return fmt.Sprintf("the %s of %q", c.Unit, c.Outputs[0])
	}
	return "the " + c.Unit + " of the class that is predicted"
}

// contributionNote says how the numbers came about, and what they start from.
func contributionNote(c *model.Contributions) string {
	from := fmt.Sprintf("starting from the mean of %s (%s); ", plural(c.Rows, "prediction"), c.From)
	if c.Rows == 1 {
		from = "starting from one prediction (" + c.From + "); "
	}
	if c.Exact() {
		return from + "exact (" + c.How + ")"
	}
	return from + "sampled, with standard errors (smaller: --draws)"
}

// predictedText is a prediction with what is shared, where that is another number.
func predictedText(m *model.Model, p *model.Prediction, i int) string {
	if len(m.Classes()) > 0 || m.Info().TargetMap != nil {
		return clipTo(p.Text(i), 40) + ", "
	}
	return ""
}

// byContribution is the columns of a row in an output, the largest first.
func byContribution(c *model.Contributions, i, output int) []int {
	order := make([]int, len(c.Columns))
	for j := range order {
		order[j] = j
	}
	at := func(j int) float64 { return math.Abs(c.Share[output].At(i, j)) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(at(b), at(a)) })
	return order
}

// contributionLine is a row in one line: base, the largest shares and the rest.
func contributionLine(c *model.Contributions, i int) string {
	at := c.Told[i]
	var b strings.Builder
	if len(c.Outputs) > 1 {
		fmt.Fprintf(&b, "%s: ", c.Outputs[at])
	}
	fmt.Fprintf(&b, "%s = %s", number(c.Value.At(i, at)), number(c.Base[at]))
	order, rest := byContribution(c, i, at), 0.0
	for n, j := range order {
		v := c.Share[at].At(i, j)
		if n >= toldContributions && len(order) > toldContributions+1 {
			rest += v
			continue
		}
		fmt.Fprintf(&b, " %s %s", signed(v), clipTo(c.Columns[j], 24))
	}
	if len(order) > toldContributions+1 {
		fmt.Fprintf(&b, " %s in %d others", signed(rest), len(order)-toldContributions)
	}
	return b.String()
}

func signed(v float64) string {
	if v < 0 {
		return "− " + number(-v)
	}
	return "+ " + number(v)
}

// tellContributions is the table of one row.
func tellContributions(w io.Writer, m *model.Model, d *data.Dataset, row int, c *model.Contributions) {
	at := c.Told[0]
	of := unitText(m, c)
	if len(c.Outputs) > 1 {
		of = fmt.Sprintf("the %s of %q", c.Unit, c.Outputs[at])
	}
	fmt.Fprintf(w, "\nwhat each column adds to %s (Shapley values)\n%s\n", of, contributionNote(c))
	order := byContribution(c, 0, at)
	most, width, digits := 0.0, len("prediction"), 8
	for _, j := range order {
		v := c.Share[at].At(0, j)
		most, width, digits = max(most, math.Abs(v)), max(width, len([]rune(clipTo(c.Columns[j], 24)))),
			max(digits, len(number(v))+1)
	}
	digits = max(digits, len(number(c.Base[at])), len(number(c.Value.At(0, at))))
	line := func(name, value, amount, rest string) {
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("  %-*s %14s %*s %s", width, name, value, digits, amount, rest), " "))
	}
	line("base", "", number(c.Base[at]), "")
	for _, j := range order {
		v, value, rest := c.Share[at].At(0, j), "", ""
		if col, err := d.Column(c.Columns[j]); err == nil && !col.Kind.Object() {
			value = clipTo(shortValue(col, row), 14)
		}
		if c.Error != nil {
			rest = "± " + fmt.Sprintf("%-8s", number(c.Error[at].At(0, j)))
		}
		if most > 0 {
			rest += strings.Repeat("█", int(16*math.Abs(v)/most+0.5))
		}
		amount := number(v)
		if v > 0 {
			amount = "+" + amount
		}
		line(clipTo(c.Columns[j], 24), value, amount, rest)
	}
	line("prediction", "", number(c.Value.At(0, at)), "")
}

// contributionsJSON is one row for programs: a list for each output.
func contributionsJSON(c *model.Contributions, i int) map[string]any {
	var value []float64
	var share, se [][]float64
	for o := range c.Outputs {
		value, share = append(value, c.Value.At(i, o)), append(share, c.Share[o].RawRowView(i)[:len(c.Columns)])
		if c.Error != nil {
			se = append(se, c.Error[o].RawRowView(i)[:len(c.Columns)])
		}
	}
	out := map[string]any{"value": value, "contributions": share}
	if se != nil {
		out["standard_errors"] = se
	}
	return out
}

// contributionFigure draws the shares of a row, at most twenty.
func contributionFigure(m *model.Model, c *model.Contributions, i int, title string) (*plot.Figure, error) {
	at := c.Told[i]
	order := byContribution(c, i, at)
	var bars []plot.Bar
	const most = 20
	rest := 0.0
	for n, j := range order {
		v := c.Share[at].At(i, j)
		if n >= most-1 && len(order) > most {
			rest += v
			continue
		}
		bar := plot.Bar{Name: c.Columns[j], Value: v}
		if c.Error != nil {
			bar.Error = c.Error[at].At(i, j)
		}
		bars = append(bars, bar)
	}
	if len(order) > most {
		bars = append(bars, plot.Bar{Name: fmt.Sprintf("%d others", len(order)-most+1), Value: rest})
	}
	label := "adds to " + c.Unit
	if len(m.Classes()) > 0 {
		label = fmt.Sprintf("adds to the %s of %s", c.Unit, c.Outputs[at])
	}
	return plot.Bars(label, title, bars)
}
