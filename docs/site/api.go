package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"html/template"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// module is the path of the packages.
const module = "github.com/mercer-ml/mercer"

// packages writes a page for each public package, from its comments, and one that lists them.
func (s *site) packages() error {
	var names []string
	err := fs.WalkDir(s.root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || name == "." {
			return err
		}
		base := path.Base(name)
		if strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") ||
			slices.Contains([]string{"internal", "testdata", "docs", "cmd", "examples", "bench", "beam", "python", "release"},
				base) {
			return fs.SkipDir
		}
		if _, err := fs.Stat(s.root, path.Join(name, "go.mod")); err == nil {
			return fs.SkipDir // a module of its own
		}
		names = append(names, name)
		return nil
	})
	if err != nil {
		return err
	}
	var list bytes.Buffer
	for _, name := range names {
		p, fset, err := s.parsed(name)
		if err != nil {
			return err
		}
		if p == nil || p.Name == "main" {
			continue
		}
		if err := s.frame("api/"+name+"/README.md", p.Name, packagePage(p, fset)); err != nil {
			return err
		}
		fmt.Fprintf(&list, "<tr><td><a href=\"%s/index.html\"><code>%s</code></a></td><td>%s</td></tr>\n", name, name,
			template.HTMLEscapeString(p.Synopsis(p.Doc)))
	}
	return s.frame("api/README.md", "Go packages",
		[]byte("<h1>Go packages</h1>\n<p>What a program imports, from the comments of the "+
			"sources.</p>\n<table><thead><tr><th>package</th><th>what it is</th></tr></thead><tbody>\n"+list.String()+
			"</tbody></table>"))
}

// parsed is a package of a folder; nil where there is none.
func (s *site) parsed(folder string) (*doc.Package, *token.FileSet, error) {
	entries, err := fs.ReadDir(s.root, folder)
	if err != nil {
		return nil, nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		text, err := fs.ReadFile(s.root, path.Join(folder, e.Name()))
		if err != nil {
			return nil, nil, err
		}
		f, err := parser.ParseFile(fset, e.Name(), text, parser.ParseComments)
		if err != nil {
			return nil, nil, err
		}
		if len(files) > 0 && f.Name.Name != files[0].Name.Name {
			continue
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, nil, nil
	}
	p, err := doc.NewFromFiles(fset, files, path.Join(module, folder))
	return p, fset, err
}

// docLink is where a name in brackets leads: a page of the site for our own packages, and the
// public reference for others.
func docLink(from string, l *comment.DocLink) string {
	at := l.Name
	if l.Recv != "" {
		at = l.Recv + "." + l.Name
	}
	if at != "" {
		at = "#" + at
	}
	own, ours := strings.CutPrefix(l.ImportPath, module+"/")
	switch {
	case l.ImportPath == "":
		return at
	case ours && !strings.Contains(own, "internal"):
		return strings.Repeat("../", strings.Count(from, "/")-strings.Count(module, "/")) + own + "/index.html" + at
	}
	return "https://pkg.go.dev/" + l.ImportPath + at
}

// packagePage is a package as a page: its comment, then what it has.
func packagePage(p *doc.Package, fset *token.FileSet) []byte {
	var b bytes.Buffer
	html := func(text string, level int) []byte { // headings in it are of that level
		pr := p.Printer()
		pr.HeadingLevel = level
		pr.DocLinkURL = func(l *comment.DocLink) string { return docLink(p.ImportPath, l) }
		return pr.HTML(p.Parser().Parse(text))
	}
	fmt.Fprintf(&b, "<h1>package %s</h1>\n<pre><code>import %q</code></pre>\n%s", p.Name, p.ImportPath, html(p.Doc, 2))
	show := func(level int, id, title string, decl ast.Node, words string) {
		if title != "" {
			fmt.Fprintf(&b, "<h%d id=\"%s\">%s</h%d>\n", level, template.HTMLEscapeString(id), template.HTMLEscapeString(title),
				level)
		}
		var code bytes.Buffer
		if err := format.Node(&code, fset, decl); err == nil {
			fmt.Fprintf(&b, "<pre><code>%s</code></pre>\n", template.HTMLEscapeString(code.String()))
		}
		b.Write(html(words, level+1))
	}
	values := func(all []*doc.Value) {
		for _, v := range all {
			show(3, "", "", v.Decl, v.Doc)
		}
	}
	functions := func(level int, of string, all []*doc.Func) {
		for _, f := range all {
			f.Decl.Body = nil
			show(level, of+f.Name, "func "+of+f.Name, f.Decl, f.Doc)
		}
	}
	values(p.Consts)
	values(p.Vars)
	functions(2, "", p.Funcs)
	for _, t := range p.Types {
		show(2, t.Name, "type "+t.Name, t.Decl, t.Doc)
		values(t.Consts)
		values(t.Vars)
		functions(3, "", t.Funcs)
		functions(3, t.Name+".", t.Methods)
	}
	return b.Bytes()
}
