package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/internal/markup"
)

// html is the page as a document.
func (p *reportPage) html() string {
	var b reportBody
	b.top(p)
	b.judged(p)
	b.grown(p)
	b.tables(p)
	b.mistaken(p)
	b.tried(p)
	b.data(p)
	b.used(p)
	return markup.Fill(reportText, map[string]markup.HTML{"title": markup.Text("%s", p.Title),
		"digest": markup.Text("%s", p.Digest), "body": b.HTML()})
}

// reportBody is the page as it is written, a part after the other.
type reportBody struct{ markup.Page }

// open begins a block that may scroll: the keyboard gets to it, and it has a name.
func (b *reportBody) open(class, name string) {
	b.Add(`<div class="%s" tabindex="0" role="region" aria-label="%s">`, class, name)
}

// head begins a table with a name: names of columns, those after the first so many on the right as
// numbers are.
func (b *reportBody) head(name string, texts int, names ...any) {
	b.open("wide", name)
	b.Add("<table><thead><tr>")
	for i, name := range names {
		b.Add("<th%s>%s</th>", right(i >= texts), name)
	}
	b.Add("</tr></thead>\n<tbody>")
}

// row is a line of a table, its cells as the names above them.
func (b *reportBody) row(texts int, cells ...any) {
	b.Add("<tr>")
	b.cells(texts, cells...)
	b.Add("</tr>")
}

func (b *reportBody) cells(texts int, cells ...any) {
	for i, cell := range cells {
		b.Add("<td%s>%s</td>", right(i >= texts), cell)
	}
}

// end ends a table.
func (b *reportBody) end() { b.Add("</tbody></table></div>") }

// right is the class of what stands on the right.
func right(holds bool) markup.HTML {
	if holds {
		return ` class="n"`
	}
	return ""
}

// top says what was found.
func (b *reportBody) top(p *reportPage) {
	b.Add("<main>\n<h1>%s</h1>\n<p>%s</p>\n", p.Title, whole(p.Summary))
	if b.Add(`<div class="result">`); p.Distrust == "" {
		b.Add("<b>%s</b>", whole(p.Answer))
	} else {
		b.Add("<b>%s</b><p>%s</p>", whole(p.Distrust), whole(p.Answer))
	}
	b.Add("<p>%s</p><p>", p.Headline)
	if p.HeadlineNote != "" {
		b.Add("%s", whole(p.HeadlineNote))
	} else {
		b.Add("No rows were held out, so there is no final test.")
	}
	b.Add(`</p>%s<p class="soft">%s</p>`, p.Strip, p.Fitted)
	for _, w := range p.Warnings {
		b.Add(`<p class="warn">Warning: %s</p>`, w)
	}
	b.Add("</div>\n")
	if len(p.Next) == 0 {
		return
	}
	b.Add("\n<h2>What to do next</h2>\n<ul class=\"next\">")
	for _, n := range p.Next {
		b.Add("<li>%s", n.Text)
		b.If(n.Command != "", `<pre tabindex="0">%s</pre>`, n.Command)
		b.Add("</li>")
	}
	b.Add("</ul>\n")
}

// thresholds is what is found of a rare class where it is named from a score on.
func (b *reportBody) thresholds(p *reportPage) {
	if len(p.Thresholds) == 0 {
		return
	}
	b.Add("<h3>Where to put the threshold for %s</h3>\n", strconv.Quote(p.ThresholdOf))
	b.If(p.ThresholdNote != "", "<p>%s</p>\n", whole(p.ThresholdNote))
	b.head("Thresholds", 0, "named from a "+p.ThresholdBy+" of", "rows named", "found", "recall", "precision",
		p.ThresholdCost)
	for _, t := range p.Thresholds {
		b.Add("<tr")
		b.If(t.Chosen, ` class="chosen"`)
		b.Add(">")
		b.cells(0, t.Score, t.Named, t.Found, t.Right, t.Precision, t.Cost)
		b.Add("</tr>")
	}
	b.end()
}

// judged is the test, and the figures.
func (b *reportBody) judged(p *reportPage) {
	b.Add("\n<h2>How good it is</h2>\n")
	if len(p.Test) > 0 {
		b.Add(`<p class="soft">On %s that took no part in the search or the fit, with 95%% intervals.`, p.TestRows)
		b.If(p.Later != "", " %s", p.Later)
		b.Add("</p>\n<dl class=\"scores\">")
		for _, t := range p.Test {
			b.Add("<dt>%s</dt><dd>%s<i>%s</i></dd>", t.Name, whole(t.Value), t.Meaning)
		}
		b.Add("</dl>\n")
	}
	if len(p.Targets) > 0 {
		b.head("Targets", 1, "target", "rmse", "baseline rmse", "mae", "r2", "half are within")
		for _, t := range p.Targets {
			b.row(1, t.Name, t.RMSE, t.Baseline, t.MAE, t.R2, t.Half)
		}
		b.end()
	}
	b.thresholds(p)
	b.Add(`<div class="figures" style="margin-top:1rem">`)
	for _, f := range p.Figures {
		b.Add("<figure")
		b.If(f.Big, ` class="big" tabindex="0"`) // on a narrow screen it scrolls
		b.Add(">%s<figcaption><b>%s</b>%s</figcaption></figure>\n", f.SVG, f.Title, f.Caption)
	}
	b.Add("</div>\n")
	for _, m := range p.Missing {
		b.Add("<p class=\"soft\">%s</p>\n", m)
	}
}

// tables is what only some tasks have.
func (b *reportBody) tables(p *reportPage) {
	for _, t := range p.Tables {
		b.Add("\n<h2>%s</h2>\n", t.Title)
		b.If(t.Note != "", "<p class=\"soft\">%s</p>\n", whole(t.Note))
		b.head(t.Title, t.Texts, t.Head...)
		for i, row := range t.Rows {
			b.Add("<tr")
			b.If(i+1 == t.Chosen, ` class="chosen"`)
			b.Add(">")
			b.cells(t.Texts, row...)
			b.Add("</tr>\n")
		}
		b.end()
	}
}

// grown is models of more rows and centres.
func (b *reportBody) grown(p *reportPage) {
	if len(p.Growth) == 0 {
		return
	}
	b.Add("\n<h2>Models of more rows and centres</h2>\n")
	b.Add("<p class=\"soft\">Judged on the same rows, which none of them was fitted to; the last fit saw them, too, and " +
		"has no score.</p>\n")
	b.head("Models of more rows and centres", 1, "learner", "rows", "centres", p.Metric, "seconds", "memory", "residual")
	for _, g := range p.Growth {
		b.row(1, g.Learner, g.Rows, g.Centers, g.Score, g.Seconds, g.Memory, g.Residual)
	}
	b.end()
}

// mistaken is the rows that the model gets most wrong.
func (b *reportBody) mistaken(p *reportPage) {
	if len(p.Worst) == 0 {
		return
	}
	answer := right(p.WorstNumbers)
	b.Add("\n<h2>%s</h2>\n", p.WorstTitle)
	b.open("wide", p.WorstTitle)
	b.Add(`<table><thead><tr><th class="n" style="width:5rem">row</th><th%s>true</th><th%s>predicted</th><th class="n">%s</th>`,
		answer, answer, p.WorstOff)
	for _, c := range p.WorstColumns {
		b.Add(`<th class="n name">%s</th>`, c)
	}
	b.Add("</tr></thead>\n<tbody>")
	for _, w := range p.Worst {
		b.Add(`<tr><td class="n">%s</td><td%s>%s</td><td%s>%s</td><td class="n">%s</td>`, w.Row, answer, whole(w.Truth),
			answer, whole(w.Predicted), whole(w.Off))
		for _, v := range w.Values {
			b.Add(`<td class="n">%s</td>`, v)
		}
		b.Add("</tr>")
	}
	b.end()
	b.If(p.WorstNote != "", `<p class="soft">%s</p>`, p.WorstNote)
	b.whys(p)
}

// tried is the search.
func (b *reportBody) tried(p *reportPage) {
	if len(p.Why)+len(p.Worth)+len(p.Leaders) == 0 {
		return
	}
	b.Add("\n\n<h2>What was %s</h2>\n<ul class=\"soft\">",
		map[bool]string{true: "tried", false: "decided"}[len(p.Leaders) > 0])
	for _, w := range p.Why {
		b.Add("<li>%s</li>", whole(w))
	}
	b.Add("</ul>\n")
	if len(p.Worth) > 0 {
		b.head("Kernels of columns", 3, "columns", "kind", "compared by", "weight", "alignment with the target")
		for _, w := range p.Worth {
			b.row(3, w.Columns, w.Kind, w.Kernel, w.Weight, w.Alignment)
		}
		b.end()
	}
	if len(p.Leaders) > 0 {
		b.settings("wide", "The best settings", p.Metric, p.Leaders)
	}
	if p.CellCount == 0 {
		return
	}
	b.Add("\n<details><summary class=\"soft\">All settings (%s", strconv.Itoa(p.CellCount))
	b.If(p.CellCount > 300, ", the best 300")
	b.Add(")</summary>\n")
	b.settings("scroll", "All settings", p.Metric, p.Cells)
	b.Add("</details>\n")
}

// settings is a table that can be sorted; of what was not fitted by folds it has the score alone.
func (b *reportBody) settings(class, name, metric string, rows []reportRow) {
	b.open(class, name)
	b.Add(`<table class="sortable"><thead><tr><th data-sort><button type="button">learner</button></th><th data-sort><button type="button">kernel and parameters</button></th>`)
	numbers := []string{metric}
	folds := slices.ContainsFunc(rows, func(r reportRow) bool { return r.Fits != "" })
	if folds {
		numbers = append(numbers, "± s.e.", "fits", "seconds")
	}
	for _, name := range numbers {
		b.Add(`<th class="n" data-sort><button type="button">%s</button></th>`, name)
	}
	b.Add("</tr></thead>\n<tbody>")
	for _, r := range rows {
		b.Add("<tr")
		b.If(r.Chosen, ` class="chosen"`)
		b.Add(">")
		b.cells(2, r.Learner, breakable(r.Setting), r.Score)
		if folds {
			b.cells(0, r.SE, r.Fits, r.Seconds)
		}
		b.Add("</tr>\n")
	}
	b.end()
}

// data is the columns.
func (b *reportBody) data(p *reportPage) {
	b.Add("\n<h2>The data</h2>\n")
	b.open("wide", "Columns")
	b.columns(p.Columns)
	b.Add("</div>\n")
	if len(p.MoreColumns) > 0 {
		b.Add(`<details><summary class="soft">%s</summary>`, p.MoreTitle)
		b.open("scroll", "More columns")
		b.columns(p.MoreColumns)
		b.Add("</div></details>\n")
	}
}

func (b *reportBody) columns(columns []reportColumn) {
	b.Add("<table><thead><tr><th>column</th><th>kind</th><th>values</th><th class=\"n\">missing</th></tr></thead>\n<tbody>")
	for _, c := range columns {
		values := whole(c.Range)
		if c.Read != "" {
			values += markup.Text("; %s", c.Read)
		}
		b.row(3, c.Name, c.Kind, values, c.Missing)
	}
	b.Add("</tbody></table>")
}

// used is the model, and how it is used.
func (b *reportBody) used(p *reportPage) {
	b.Add("\n<h2>The model</h2>\n<dl>")
	for _, f := range p.Model {
		b.Add("<dt>%s</dt><dd>%s</dd>", f.Name, whole(f.Value))
	}
	file := shellWord(p.ModelFile)
	commands := p.Commands
	if commands == nil {
		commands = []string{"mercer predict " + file + " new.csv"}
		if p.Example != "" {
			commands = append(commands, p.Example+" | mercer predict "+file+" -")
		}
		commands = append(commands, "mercer eval "+file+" labelled.csv", "mercer explain "+file+" labelled.csv",
			"mercer inspect "+file)
	}
	b.Add("</dl>\n\n<h2>Use it</h2>\n<pre tabindex=\"0\">%s</pre>\n", strings.Join(commands, "\n"))
	b.If(p.ModelFile != "",
		"<pre tabindex=\"0\">import &#34;github.com/mercer-ml/mercer/model&#34;\n\nm, err := model.Load(%s)\np, err := "+
			"m.Predict(ctx, dataset, model.Want{})</pre>\n", strconv.Quote(p.ModelFile))
	b.Add(`<p class="soft">Made by mercer %s`, p.Version)
	b.If(p.Command != "", " with: %s", p.Command)
	b.Add("</p>\n</main>")
}
