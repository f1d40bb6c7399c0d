package markup

import "testing"

func TestNothingBecomesMarkup(t *testing.T) {
	var p Page
	p.Add(`<td title="%s">%s</td>`, `a" onclick="b`, "<b>&\x00")
	p.Add("%s %s 100%%", HTML("<wbr>"), 3)
	p.If(false, "%s", "never")
	const want = `<td title="a&#34; onclick=&#34;b">&lt;b&gt;&amp;` + "\uFFFD" + `</td><wbr> 3 100%`
	if got := string(p.HTML()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// What is put in is not looked at again.
func TestFill(t *testing.T) {
	got := Fill("<title>{{title}}</title>{{body}}", map[string]HTML{"title": "{{body}}", "body": "<p>{{title}}"})
	if got != "<title>{{body}}</title><p>{{title}}" {
		t.Error(got)
	}
}
