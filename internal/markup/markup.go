// Package markup writes HTML in which nothing that is put in becomes markup. It stands in for
// html/template: a program that can reach text/template keeps every exported method of every type,
// since a template may call it by its name, and the program mercer was 5.6 MB larger for two pages.
package markup

import (
	"fmt"
	"strings"
)

// HTML is text that is markup already.
type HTML string

// Text is a format with values in it, which are escaped unless they are HTML. Its only verb is %s.
// Values stand in the text of elements and in attributes between double quotes, never in scripts,
// styles or addresses.
func Text(format string, values ...any) HTML {
	escaped := make([]any, len(values))
	for i, v := range values {
		if markup, ok := v.(HTML); ok {
			escaped[i] = string(markup)
			continue
		}
		escaped[i] = Escape(fmt.Sprint(v))
	}
	return HTML(fmt.Sprintf(format, escaped...))
}

// Escape is a text as it stands in HTML or XML. A zero byte, which these cannot hold, is shown as a
// character that is missing.
func Escape(text string) string { return escaper.Replace(text) }

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "\x00", "\uFFFD")

// Page collects markup.
type Page struct{ b strings.Builder }

// Add is Text at the end of the page.
func (p *Page) Add(format string, values ...any) { p.b.WriteString(string(Text(format, values...))) }

// If is Add where something holds.
func (p *Page) If(holds bool, format string, values ...any) {
	if holds {
		p.Add(format, values...)
	}
}

// HTML is the page.
func (p *Page) HTML() HTML { return HTML(p.b.String()) }

// Fill puts parts into a page with places for them, which are names in double braces. What is put
// in is not looked at again.
func Fill(page string, parts map[string]HTML) string {
	var pairs []string
	for name, part := range parts {
		pairs = append(pairs, "{{"+name+"}}", string(part))
	}
	return strings.NewReplacer(pairs...).Replace(page)
}
