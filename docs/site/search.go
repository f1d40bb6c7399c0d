package main

import (
	"encoding/json"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// found is a part of a page that a search can lead to: from one heading to the next.
type found struct {
	Title string `json:"t"` // of the heading
	Page  string `json:"p"` // its page
	Link  string `json:"l"` // from the root of the site
	Text  string `json:"x"`
}

// mostText is how much of a part is searched, in bytes: the words of a long table are few and
// repeat.
const mostText = 1500

// index writes what a search looks through, as a script: a page that is opened from a disk may load
// that, and no JSON.
func (s *site) index() error {
	var all []found
	for _, name := range s.names() {
		all = append(all, s.pages[name].parts()...)
	}
	b, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return s.put("search-index.js", append(append([]byte("window.mercerIndex = "), b...), ";\n"...))
}

// parts is a page from heading to heading.
func (p *page) parts() []found {
	title := p.title()
	out := []found{{Title: title, Page: title, Link: address(p.name)}}
	for n := p.tree.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			if id, ok := h.AttributeString("id"); ok && h.Level > 1 {
				out = append(out, found{Title: plainText(h, p.source), Page: title, Link: address(p.name) + "#" +
					string(id.([]byte))})
			}
			continue
		}
		if last := &out[len(out)-1]; len(last.Text) < mostText {
			last.Text = strings.TrimSpace(last.Text + " " + plainText(n, p.source))
		}
	}
	return out
}

// plainText is the words of a part of a page.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	visit := func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Segment.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.FencedCodeBlock:
			b.Write(n.Lines().Value(source))
		case *ast.CodeBlock:
			b.Write(n.Lines().Value(source))
		}
		if n.Type() == ast.TypeBlock {
			b.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	}
	_ = ast.Walk(n, visit) // visit has no errors
	return strings.Join(strings.Fields(b.String()), " ")
}
