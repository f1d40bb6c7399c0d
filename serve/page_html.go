package serve

import "github.com/mercer-ml/mercer/internal/markup"

// pageHTML is the page that lists the models.
func pageHTML(version string, models []pageModel) string {
	var p markup.Page
	p.Add(`<p class="soft">mercer`)
	p.If(version != "", " %s", version)
	p.Add(` · <a href="openapi.json">openapi.json</a> · <a href="metrics">metrics</a></p>`)
	for i := range models {
		models[i].add(&p)
	}
	p.If(len(models) == 0, "\n<p>There are no models yet.</p>")
	return markup.Fill(pageText, map[string]markup.HTML{"body": p.HTML()})
}

// add writes what the page tells of a model.
func (m *pageModel) add(p *markup.Page) {
	p.Add("\n<h2 id=\"%s\">%s</h2>\n", m.Name, m.Name)
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
	p.Add("</span></p>\n")
	m.form(p)
	p.If(m.Example != "", "<h3>From a shell</h3><pre data-command>%s</pre>", m.Example)
	p.Add("\n<h3>The fit</h3>\n<div class=\"wide\"><table>")
	for _, f := range m.Report {
		p.Add("<tr><th>%s<td>%s</tr>", f.Name, f.Value)
	}
	p.Add("</table></div>\n")
	for _, w := range m.Warnings {
		p.Add(`<p class="bad">%s</p>`, w)
	}
}

// form is the table of columns, with a field to try each where there are few.
func (m *pageModel) form(p *markup.Page) {
	p.Add(`<form data-model="%s"`, m.Name)
	p.If(m.Proba, ` data-proba="1"`)
	p.If(m.Std, ` data-std="1"`)
	p.Add(">\n<div class=\"wide\"><table><tr><th>column<th>kind<th>wants")
	p.If(m.Plain, "<th>try")
	p.Add("</tr>\n")
	for i := range m.Columns {
		c := &m.Columns[i]
		p.Add("<tr><td>%s<td>%s<td>%s", c.Name, c.Kind, c.Wants)
		if m.Plain {
			c.field(p)
		}
		p.Add("</tr>\n")
	}
	p.Add("</table></div>\n")
	p.If(m.Plain, `<button>Predict</button><output aria-live="polite"></output>`)
	p.Add("</form>\n")
}

// field is where a value is chosen or written.
func (c *pageColumn) field(p *markup.Page) {
	if len(c.Choices) == 0 {
		p.Add(`<td><input name="%s" aria-label="%s" value="%s" data-kind="%s">`, c.Name, c.Name, c.Value, c.Kind)
		return
	}
	p.Add(`<td><select name="%s" aria-label="%s">`, c.Name, c.Name)
	for _, choice := range c.Choices {
		p.Add("<option>%s</option>", choice)
	}
	p.Add("</select>")
}
