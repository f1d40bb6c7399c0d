package main

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// page is a Markdown file, read.
type page struct {
	name    string // of the file, from the root
	source  []byte
	tree    ast.Node
	anchors anchors
}

// site is the pages of a checkout and the files that they show.
type site struct {
	root  fs.FS
	out   string
	pages map[string]*page
	files map[string]bool // pictures and sources that are linked to

	order   []group // the pages as a reader goes through them
	version string
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// read finds the pages: those of the root, and all below docs.
func (s *site) read() error {
	names, err := fs.Glob(s.root, "*.md")
	if err != nil {
		return err
	}
	err = fs.WalkDir(s.root, "docs", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(name, ".md") {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range names {
		source, err := fs.ReadFile(s.root, name)
		if err != nil {
			return err
		}
		p := &page{name: name, source: source, anchors: anchors{}}
		p.tree = markdown.Parser().Parse(text.NewReader(source),
			parser.WithContext(parser.NewContext(parser.WithIDs(p.anchors))))
		s.pages[name] = p
	}
	return nil
}

func (s *site) names() []string {
	var out []string
	for name := range s.pages {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// title is the first heading.
func (p *page) title() string {
	for n := p.tree.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			return string(h.Lines().Value(p.source))
		}
	}
	return path.Base(p.name)
}

// anchors are the names of the headings of a page, as code hosts make them: lower case, without
// punctuation, hyphens for spaces; a second of the same name gets a number.
type anchors map[string]int

// Generate names a heading.
func (a anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	slug := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r > 127:
			return r
		}
		return -1
	}, strings.ToLower(strings.TrimSpace(string(value))))
	n := a[slug]
	a[slug]++
	if n > 0 {
		return []byte(slug + "-" + string(rune('0'+n%10)))
	}
	return []byte(slug)
}

// Put takes a name that a page gives itself.
func (a anchors) Put(value []byte) { a[string(value)]++ }
