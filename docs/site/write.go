package main

import (
	"bytes"
	_ "embed"
	"html/template"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed page.html
var frame string

//go:embed style.css
var style []byte

var layout = template.Must(template.New("page").Parse(frame))

// shown is what the frame of a page is filled with.
type shown struct {
	Title string
	Up    string // to the root of the site
	Body  template.HTML
}

// put writes a file of the site.
func (s *site) put(name string, b []byte) error {
	file := filepath.Join(s.out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, b, 0o644)
}

func (s *site) frame(file, title string, body []byte) error {
	var b bytes.Buffer
	if err := layout.Execute(&b, shown{title, strings.Repeat("../", strings.Count(file, "/")), template.HTML(body)}); err != nil {
		return err
	}
	return s.put(address(file), b.Bytes())
}

func (s *site) write(p *page) error {
	var body bytes.Buffer
	if err := markdown.Renderer().Render(&body, p.source, p.tree); err != nil {
		return err
	}
	return s.frame(p.name, p.title(), body.Bytes())
}

// copyFiles takes pictures as they are, and makes pages of sources.
func (s *site) copyFiles() error {
	if err := s.put("style.css", style); err != nil {
		return err
	}
	var names []string
	for name := range s.files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b, err := fs.ReadFile(s.root, name)
		if err != nil {
			return err
		}
		if picture(name) {
			err = s.put(name, b)
		} else {
			err = s.frame(name, name, []byte("<h1>"+template.HTMLEscapeString(name)+"</h1>\n<pre><code>"+template.HTMLEscapeString(string(b))+"</code></pre>"))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
