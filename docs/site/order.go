package main

import (
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// group is a heading of the contents with the pages below it.
type group struct {
	Title string
	Pages []entry
}

// entry is a page of the contents.
type entry struct {
	Title string
	name  string // of the file, from the root
	Link  string // from the page that shows it
	Here  bool
}

// contentsPage is where the order of pages comes from: the reader's own way in.
const contentsPage = "docs/README.md"

// contents are the pages in the order in which docs/README.md names them, each once, under its
// headings; those that it does not name come last.
func (s *site) contents() []group {
	front := s.pages[contentsPage]
	if front == nil {
		return nil
	}
	groups := []group{{Title: "Start", Pages: []entry{{Title: "mercer", name: "README.md"},
		{Title: "Documentation", name: contentsPage}}}}
	seen := map[string]bool{"README.md": true, contentsPage: true}
	visit := func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level == 2 {
				groups = append(groups, group{Title: string(n.Lines().Value(front.source))})
			}
		case *ast.Link:
			name, _, _ := strings.Cut(string(n.Destination), "#")
			file := path.Join(path.Dir(contentsPage), name)
			if p := s.pages[file]; p != nil && !seen[file] {
				seen[file] = true
				last := &groups[len(groups)-1]
				last.Pages = append(last.Pages, entry{Title: p.title(), name: file})
			}
		}
		return ast.WalkContinue, nil
	}
	_ = ast.Walk(front.tree, visit) // visit has no errors
	rest := group{Title: "More"}
	for _, name := range s.names() {
		if !seen[name] {
			rest.Pages = append(rest.Pages, entry{Title: s.pages[name].title(), name: name})
		}
	}
	return slices.DeleteFunc(append(groups, rest), func(g group) bool { return len(g.Pages) == 0 })
}

// beside is the contents as a page shows them, and the pages before and after it.
func (s *site) beside(file string) (all []group, before, after *entry) {
	var flat []entry
	for _, g := range s.order {
		out := group{Title: g.Title}
		for _, e := range g.Pages {
			e.Link, e.Here = relative(file, e.name), e.name == file
			out.Pages, flat = append(out.Pages, e), append(flat, e)
		}
		all = append(all, out)
	}
	at := slices.IndexFunc(flat, func(e entry) bool { return e.Here })
	if at > 0 {
		before = &flat[at-1]
	}
	if at >= 0 && at+1 < len(flat) {
		after = &flat[at+1]
	}
	return all, before, after
}
