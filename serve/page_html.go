package serve

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/markup"
)

// pageHTML is the page that lists the models.
func pageHTML(version string, models []pageModel) string {
	var p markup.Page
	p.Add(`<p class="soft">mercer`)
	p.If(version != "", " %s", version)
	p.Add(` · <a href="openapi.json">openapi.json</a> · <a href="metrics">metrics</a></p>`)
	for i := range models {
		models[i].at = i
		models[i].add(&p)
	}
	p.If(len(models) == 0, "\n<p>There are no models yet.</p>")
	return markup.Fill(pageText, map[string]markup.HTML{"body": p.HTML()})
}

// add writes what the page tells of a model.
func (m *pageModel) add(p *markup.Page) {
	p.Add("\n<section aria-labelledby=\"%s\"><h2 id=\"%s\">%s</h2>\n", m.Name, m.Name, m.Name)
	defer p.Add("</section>\n")
	p.If(m.Fault != "", `<p class="bad">%s</p>`, m.Fault)
	if m.Version == "" {
		return
	}
	p.Add("\n<p>%s", m.Task)
	p.If(m.Target != "", " of <b>%s</b>", m.Target)
	p.Add(`: %s<br><span class="soft">version %s`, m.Summary, m.Version)
	for i, v := range m.Versions {
		if len(m.Versions) > 1 {
			p.Add([]string{" of %s", ", %s"}[min(i, 1)], v)
		}
	}
	p.Add("</span>")
	p.If(m.HasReport,
		`<br><a href="models/%s/report">The report of %s</a>: how good it is, where it fails, what was tried`, m.Name, m.Name)
	p.Add("</p>\n")
	m.form(p)
	if m.Plain {
		m.lines(p)
	}
	p.Add("\n<h3>The fit</h3>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"The fit of %s\"><table>",
		m.Name)
	for _, f := range m.Report {
		p.Add("<tr><th scope=\"row\">%s<td>%s</tr>", f.Name, f.Value)
	}
	p.Add("</table></div>\n")
	for _, w := range m.Warnings {
		p.Add(`<p class="bad">%s</p>`, w)
	}
}

// lines are the same question for programs; the page's script fills them in from the fields.
func (m *pageModel) lines(p *markup.Page) {
	p.Add("<h3>The same from a program</h3>\n")
	for i, language := range []string{"shell", "python", "go"} {
		title := []string{"Shell (curl)", "Python", "Go"}[i]
		id := fmt.Sprintf("lines-%d-%s", m.at, language)
		p.Add("<details")
		p.If(i == 0, " open")
		p.Add(`><summary>%s</summary><button type="button" class="copy" data-of="%s" aria-label="Copy the lines for %s">Copy</button>`,
			title, id, title)
		p.Add(`<pre id="%s" data-language="%s" tabindex="0" role="region" aria-label="%s: %s"></pre></details>`+"\n", id,
			language, m.Name, title)
	}
}

// form has a field for each column where they are few, and else tells what they want.
func (m *pageModel) form(p *markup.Page) {
	if !m.Plain {
		p.Add("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Columns of %s\"><table><tr><th "+
			"scope=\"col\">column<th scope=\"col\">kind<th scope=\"col\">wants</tr>\n", m.Name)
		for _, c := range m.Columns {
			p.Add("<tr><td>%s<td>%s<td>%s</tr>\n", c.Name, c.Kind, c.Wants)
		}
		p.Add("</table></div>\n")
		return
	}
	p.Add(`<form data-model="%s" aria-label="A row for %s"`, m.Name, m.Name)
	p.If(m.Proba, ` data-proba="1"`)
	p.If(m.Std, ` data-std="1"`)
	p.Add(">\n<div class=\"fields\">")
	for i := range m.Columns {
		m.Columns[i].field(p, fmt.Sprintf("field-%d-%d", m.at, i))
	}
	p.Add("</div>\n")
	p.Add(`<button>Predict</button><output aria-live="polite" aria-label="Prediction of %s"></output>`, m.Name)
	p.Add("</form>\n")
}

// field is where a value is chosen or written, with what the model was fitted on below.
func (c *pageColumn) field(p *markup.Page, id string) {
	wants := c.Kind
	if c.Wants != "" {
		wants += ": " + c.Wants
	}
	p.Add(`<div><label for="%s">%s</label>`, id, c.Name)
	switch {
	case len(c.Choices) > 0 && !c.Cut:
		p.Add(`<select id="%s" name="%s" aria-describedby="%s-note">`, id, c.Name, id)
		for _, choice := range c.Choices {
			p.Add("<option>%s</option>", choice)
		}
		p.Add("</select>")
	default:
		p.Add(`<input id="%s" name="%s" value="%s" data-kind="%s" aria-describedby="%s-note" autocomplete="off"`, id, c.Name,
			c.Value, c.Kind, id)
		p.If(c.Kind == "numeric", ` inputmode="decimal"`)
		p.If(c.Low != "", ` data-low="%s" data-high="%s"`, c.Low, c.High)
		p.If(len(c.Choices) > 0, ` list="%s-list"`, id)
		p.Add(">")
		if len(c.Choices) > 0 {
			p.Add(`<datalist id="%s-list">`, id)
			for _, choice := range c.Choices {
				p.Add(`<option value="%s"></option>`, choice)
			}
			p.Add("</datalist>")
		}
	}
	p.Add("<small id=\"%s-note\" data-wants=\"%s\" aria-live=\"polite\">%s</small></div>\n", id, wants, wants)
}
