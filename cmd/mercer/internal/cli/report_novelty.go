package cli

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// noveltyRows is the rows that a page of a detector judges, and how far inside each lies.
type noveltyRows struct {
	at         []int     // rows of the data set
	decision   []float64 // below 0: outside
	novel      []bool    // known to be novel
	heldOut    bool      // else they are the rows that the model was fitted on
	usual, odd []float64 // decisions of the rows that are not and that are known to be novel
}

// noveltyReport is the page: what share is told as new, the rows that lie furthest out and why, and
// what another threshold would do.
func (f *fitting) noveltyReport(ctx context.Context, r *tune.NoveltyResult, m *model.Model) error {
	rows, err := f.judgedNovelty(ctx, r, m)
	if err != nil {
		return err
	}
	fitted := len(r.Split.Train) - r.Dropped
	page := &reportPage{Title: filepath.Base(f.data.Name), Summary: f.data.Summary(), Model: describeModel(m),
		Warnings: modelWarnings(m), target: f.o.Target, ModelFile: f.o.Output, Version: Version, Command: f.o.Command,
		Why: r.Notes}
	page.Answer = noveltyAnswer(r, f.o.Positive)
	page.Headline = fmt.Sprintf("one-class, %s, nu=%g", spec.Rounded(m.Kernel()), r.Nu)
	page.HeadlineNote = fmt.Sprintf("Of the rows fitted on %s lie outside; at most %s may (ν).", percentText(r.Fitted),
		percentText(r.Nu))
	page.Fitted = fmt.Sprintf("Fitted on %s, of which %s are support vectors.", plural(fitted, "row"),
		phrase.Thousands(r.Support))
	page.noveltyScores(r, f.o.Positive)
	page.noveltyNext(f.o, r)
	page.Columns, page.MoreColumns, page.MoreTitle = columnLines(f.data, pageColumns)
	file := shellWord(f.o.Output)
	page.Commands = []string{"mercer predict " + file + " new.csv --decision"}
	if example := exampleRow(withoutTarget(f.data, f.o.Target)); example != "" {
		page.Commands = append(page.Commands, example+" | mercer predict "+file+" -")
	}
	page.Commands = append(page.Commands, "mercer explain "+file+" new.csv", "mercer inspect "+file)
	if err := page.noveltyFigures(ctx, f, r, m, rows); err != nil {
		return err
	}
	if err := page.mostUnusual(ctx, f, r, m); err != nil {
		return err
	}
	page.noveltyThresholds(rows, f.o.Positive)
	return page.write(f.App, m, f.page)
}

// judgedNovelty asks the model of the rows held out, or of its own where none are.
func (f *fitting) judgedNovelty(ctx context.Context, r *tune.NoveltyResult, m *model.Model) (*noveltyRows, error) {
	out := &noveltyRows{heldOut: len(r.Split.Test) > 0}
	asked := r.Split.Train
	if out.heldOut {
		asked = r.Split.Test
	}
	p, err := m.Predict(ctx, f.data.Gather(asked), model.Want{Scores: true})
	if err != nil {
		return nil, err
	}
	var known *data.Column
	if f.o.Target != "" {
		c, err := f.data.Column(f.o.Target)
		if err != nil {
			return nil, err
		}
		classes, err := c.As(data.Categorical)
		if err != nil {
			return nil, err
		}
		known = &classes
	}
	for i, row := range p.Rows {
		v := p.Scores.At(i, 0)
		if !out.heldOut {
			v = orBorder(v, m)
		}
		odd := known != nil && known.String(asked[row]) == f.o.Positive
		out.at, out.decision, out.novel = append(out.at, asked[row]), append(out.decision, v), append(out.novel, odd)
		if odd {
			out.odd = append(out.odd, v)
		} else {
			out.usual = append(out.usual, v)
		}
	}
	return out, nil
}

// orBorder is the decision of a row that was fitted on: 0 on the border, to what the solver left.
func orBorder(v float64, m *model.Model) float64 {
	if math.Abs(v) <= m.Report().Certificate {
		return 0
	}
	return v
}

// noveltyAnswer is the result in one sentence.
func noveltyAnswer(r *tune.NoveltyResult, class string) string {
	switch {
	case r.Novel > 0 && r.Tested > 0:
		return fmt.Sprintf("Tells %s of %s %q as new, and %s of %s like those that it learnt from.", percentText(r.Caught),
			plural(r.Novel, "row"), class, percentText(r.Alarms), plural(r.Tested, "row"))
	case r.Novel > 0:
		return fmt.Sprintf("Tells %s of %s %q as new; no rows like those that it learnt from were held out, so how many "+
			"false alarms to expect is not known.", percentText(r.Caught), plural(r.Novel, "row"), class)
	case r.Tested > 0:
		return fmt.Sprintf("Tells %s of %s that it never saw as new: so many false alarms are to be expected of "+
			"rows like them.", percentText(r.Alarms), plural(r.Tested, "row"))
	}
	return "Says of a row whether it is like those it learnt from; no rows were held out, so how many false alarms to " +
		"expect is not known."
}

// noveltyScores is what the rows held out say.
func (p *reportPage) noveltyScores(r *tune.NoveltyResult, class string) {
	between := func(low, high float64) string { return fmt.Sprintf(" (%s–%s)", percentText(low), percentText(high)) }
	if r.Tested > 0 {
		p.Test = append(p.Test, reportScore{"false alarms", percentText(r.Alarms) + between(r.AlarmsLow, r.AlarmsHigh),
			fmt.Sprintf("share told as new of %s like those fitted on", plural(r.Tested, "row"))})
	}
	if r.Novel > 0 {
		p.Test = append(p.Test, reportScore{"found", percentText(r.Caught) + between(r.CaughtLow, r.CaughtHigh),
			fmt.Sprintf("share told as new of %s %q", plural(r.Novel, "row"), class)})
	}
	if r.Novel > 0 && r.Tested > 0 {
		auc := tune.TestScore{Metric: "auc", Value: r.AUC, Baseline: 0.5, Low: math.NaN(), High: math.NaN()}
		p.Test = append(p.Test, reportScore{"auc", number(r.AUC) + ", baseline 0.500",
			fmt.Sprintf("how often a row %q lies further out than one like those fitted on; 0.5 is guessing", class)})
		p.Strip = scoreStrip(auc, "auc")
	}
	p.TestRows = plural(r.Tested+r.Novel, "row")
}

// noveltyNext is what the result asks for.
func (p *reportPage) noveltyNext(o *fitOptions, r *tune.NoveltyResult) {
	again := "mercer fit " + shellWord(o.Data) + " --task novelty"
	if o.Target != "" {
		again += " --target " + shellWord(o.Target) + " --positive " + shellWord(o.Positive)
	}
	add := func(text, command string) { p.Next = append(p.Next, reportNext{text, command}) }
	if r.Tested > 0 && r.AlarmsLow > r.Nu {
		wider := ""
		if g, ok := r.Kernel.(kernel.Gaussian); ok {
			wider = again + " --kernel " + shellWord(fmt.Sprintf("gaussian(lengthscale=%.3g)", 2*g.Lengthscale))
		}
		add(fmt.Sprintf("More rows lie outside than the %s of ν: the region follows the rows it learnt from too closely. A "+
			"wider kernel draws a smoother border.", percentText(r.Nu)), wider)
	}
	if o.Target == "" {
		add("Some rows that are known to be new tell how many are found. Where a column says which, name it and its class:",
			again+" --target COLUMN --positive CLASS")
	}
	add("ν is the share of rows that may lie outside: fewer false alarms with a smaller one, more found with a larger one.",
		again+fmt.Sprintf(" --nu %g", r.Nu/2))
	add("Ask of new rows. Those with a decision below 0 lie outside:", "mercer predict "+shellWord(o.Output)+
		" new.csv --decision")
}

// noveltyFigures draws how far inside rows lie, and where the border is.
func (p *reportPage) noveltyFigures(
	ctx context.Context, f *fitting, r *tune.NoveltyResult, m *model.Model, rows *noveltyRows,
) error {
	groups := []plot.Sample{{Name: "like those fitted on", Values: rows.usual}}
	says := "Decision values of the rows held out; left of the line they are told as new."
	if !rows.heldOut {
		groups[0].Name, says = "fitted on", "Decision values of the rows fitted on; left of the line they lie outside."
	}
	if len(rows.odd) > 0 {
		groups = append(groups, plot.Sample{Name: f.o.Positive, Values: rows.odd})
	}
	fig, err := plot.Histograms("decision", "rows", "how far inside or outside rows lie", "border", 0, groups...)
	if err := p.add("How far inside", says, fig, err); err != nil {
		return err
	}
	if len(rows.usual) > 1 && len(rows.odd) > 1 {
		score := make([]float64, len(rows.decision))
		for i, v := range rows.decision {
			score[i] = -v
		}
		s, area := roc(score, rows.novel)
		s.Name = fmt.Sprintf("%s (area %s)", f.o.Positive, number(area))
		fig, err := plot.ROC(s)
		if err := p.add("ROC", "Rows found against false alarms as the threshold moves, on the rows held out.", fig,
			err); err != nil {
			return err
		}
	}
	return p.noveltyRegion(ctx, f, m, rows)
}

// noveltyRegion draws the border where rows are points of a plane.
func (p *reportPage) noveltyRegion(ctx context.Context, f *fitting, m *model.Model, rows *noveltyRows) error {
	d := withoutTarget(f.data, f.o.Target)
	if len(d.Columns) != 2 || d.Sparse != nil {
		return nil
	}
	x, y := &d.Columns[0], &d.Columns[1]
	if x.Kind != data.Numeric || y.Kind != data.Numeric || x.Missing()+y.Missing() > 0 {
		return nil
	}
	xs, ys, pred, err := plane(ctx, d, x, y, m)
	if err != nil {
		return err
	}
	g := plot.Regions{XName: x.Name, YName: y.Name, Xs: xs, Ys: ys, Names: m.Classes()}
	for i := range planeSide {
		g.Class = append(g.Class, pred.Codes[i*planeSide:(i+1)*planeSide])
	}
	inside := slices.Index(g.Names, "inside")
	for i, row := range rows.at[:min(len(rows.at), shownRows)] {
		class := inside
		if rows.decision[i] < 0 {
			class = 1 - inside
		}
		g.PX, g.PY, g.PClass = append(g.PX, x.Numbers[row]), append(g.PY, y.Numbers[row]), append(g.PClass, class)
	}
	fig, err := g.Figure()
	what := "the rows held out"
	if !rows.heldOut {
		what = "the rows fitted on"
	}
	return p.add("The region", "Where rows lie inside, with "+what+".", fig, err)
}

// withoutTarget is the columns that a detector sees.
func withoutTarget(d *data.Dataset, target string) *data.Dataset {
	plain := *d
	plain.Target = ""
	plain.Columns = slices.DeleteFunc(slices.Clone(d.Columns), func(c data.Column) bool {
		return target != "" && c.Name == target || c.Name == d.Weights && d.Weights != ""
	})
	return &plain
}

// mostShownUnusual is how many of the most unusual rows a page lists.
const mostShownUnusual = 10

// mostUnusual lists the rows of the file that lie furthest out, with the column that has most to do
// with it: that of which another value brings the row furthest back in.
func (p *reportPage) mostUnusual(ctx context.Context, f *fitting, r *tune.NoveltyResult, m *model.Model) error {
	d := withoutTarget(f.data, f.o.Target)
	all, err := m.Predict(ctx, d, model.Want{Scores: true})
	if err != nil {
		return err
	}
	order := make([]int, len(all.Rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all.Scores.At(a, 0), all.Scores.At(b, 0)) })
	order = order[:min(len(order), mostShownUnusual)]
	rows, decision := data.Take(all.Rows, order), make([]float64, len(order))
	for k, i := range order {
		decision[k] = orBorder(all.Scores.At(i, 0), m)
	}
	why, err := strangest(ctx, d, m, rows, decision)
	if err != nil {
		return err
	}
	t := reportTable{Title: "The most unusual rows", Head: []any{"row", "decision", "fitted on"},
		Note: "Of all rows of the file, those furthest out first; below 0 a row is told as new."}
	var target *data.Column
	if f.o.Target != "" {
		if target, err = f.data.Column(f.o.Target); err != nil {
			return err
		}
		t.Head = append(t.Head, target.Name)
	}
	if why != nil {
		t.Head = append(t.Head, "unusual in", "its value", "a usual one", "decision with that")
		t.Note += " Beside each stands the column of which another value that is common in the file brings it " +
			"furthest back in."
	}
	for k, i := range rows {
		fitted := "no"
		if slices.Contains(r.Split.Train, i) {
			fitted = "yes"
		}
		row := []any{phrase.Thousands(i + 1), number(decision[k]), fitted}
		if target != nil {
			row = append(row, clipTo(target.String(i), 24))
		}
		if why != nil {
			w := why[k]
			row = append(row, w.column, w.value, w.usual, w.decision)
		}
		t.Rows = append(t.Rows, row)
	}
	p.Tables = append(p.Tables, t)
	return nil
}

// strangeColumn is the column that makes a row unusual.
type strangeColumn struct{ column, value, usual, decision string }

// strangest finds for each row the column and its common value that bring the row furthest back in;
// nil where there are no columns of numbers or names, or too many.
func strangest(
	ctx context.Context, d *data.Dataset, m *model.Model, rows []int, decision []float64,
) ([]strangeColumn, error) {
	if d.Sparse != nil || len(d.Columns) > mostExplained || len(d.Columns) < 2 || len(rows) == 0 ||
		m.Centers() > mostSummed {
		return nil, nil
	}
	out := make([]strangeColumn, len(rows))
	best := slices.Clone(decision)
	for k := range out {
		out[k] = strangeColumn{"–", "–", "–", "–"}
	}
	asked := false
	for j := range d.Columns {
		c := &d.Columns[j]
		for _, usual := range usualRows(c) {
			asked = true
			changed := d.Gather(rows)
			changed.Columns[j] = c.Gather(slices.Repeat([]int{usual}, len(rows)))
			p, err := m.Predict(ctx, changed, model.Want{Scores: true})
			if err != nil {
				return nil, err
			}
			for i, k := range p.Rows {
				if v := p.Scores.At(i, 0); v > best[k] {
					best[k], out[k] = v, strangeColumn{clipTo(c.Name, 24), shortValue(c, rows[k]), shortValue(c, usual), number(v)}
				}
			}
		}
	}
	if !asked {
		return nil, nil
	}
	return out, nil
}

// mostUsual is how many names of a column are tried as usual ones.
const mostUsual = 5

// usualRows are rows with common values of a column: the deciles of numbers but for the ends, and
// the commonest names.
func usualRows(c *data.Column) []int {
	var rows []int
	for i := range c.Len() {
		if !c.IsMissing(i) {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	var out []int
	switch c.Kind {
	case data.Numeric:
		slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(c.Numbers[a], c.Numbers[b]) })
		for decile := 1; decile <= 9; decile++ {
			out = append(out, rows[(len(rows)-1)*decile/10])
		}
		return slices.CompactFunc(out, func(a, b int) bool { return c.Numbers[a] == c.Numbers[b] })
	case data.Categorical, data.Boolean:
		count, first := map[int32]int{}, []int{}
		for _, i := range rows {
			if count[c.Codes[i]]++; count[c.Codes[i]] == 1 {
				first = append(first, i)
			}
		}
		slices.SortStableFunc(first, func(a, b int) int { return count[c.Codes[b]] - count[c.Codes[a]] })
		return first[:min(len(first), mostUsual)]
	}
	return nil
}

// noveltyThresholds says what another threshold than 0 would tell.
func (p *reportPage) noveltyThresholds(rows *noveltyRows, class string) {
	if len(rows.usual) < 2 {
		return
	}
	sorted := slices.Clone(rows.usual)
	slices.Sort(sorted)
	var at []float64
	for _, share := range []float64{0.01, 0.02, 0.05, 0.1, 0.2} {
		if share*float64(len(sorted)) >= 1 {
			at = append(at, quantileOf(sorted, share))
		}
	}
	at = append(at, 0)
	slices.Sort(at)
	at = slices.Compact(at)
	below := func(v []float64, t float64) int {
		n := 0
		for _, d := range v {
			if d < t {
				n++
			}
		}
		return n
	}
	t := reportTable{Title: "Where to put the threshold",
		Note: "The model tells rows as new whose decision is below 0. With --decision you may tell them from " +
			"another value on.", Head: []any{"told as new below", "false alarms", "of usual rows"}}
	if !rows.heldOut {
		t.Note += " These are the rows that it was fitted on: of new ones more lie outside."
	}
	if len(rows.odd) > 0 {
		t.Head = append(t.Head, "found", "of rows "+class)
	}
	for i, v := range at {
		if v == 0 {
			t.Chosen = i + 1
		}
		n := below(rows.usual, v)
		row := []any{number(v), fmt.Sprintf("%s of %s", phrase.Thousands(n), phrase.Thousands(len(rows.usual))),
			percent(n, len(rows.usual))}
		if len(rows.odd) > 0 {
			n := below(rows.odd, v)
			row = append(row, fmt.Sprintf("%s of %s", phrase.Thousands(n), phrase.Thousands(len(rows.odd))),
				percent(n, len(rows.odd)))
		}
		t.Rows = append(t.Rows, row)
	}
	p.Tables = append(p.Tables, t)
}
