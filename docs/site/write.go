package main

import (
	"bytes"
	_ "embed"
	"html/template"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

//go:embed page.html
var frame string

//go:embed style.css
var style []byte

//go:embed site.js
var script []byte

var layout = template.Must(template.New("page").Parse(frame))

// shown is what the frame of a page is filled with.
type shown struct {
	Title string
	Up    string // to the root of the site
	Body  template.HTML

	Version       string
	Try           template.URL // a scene of the playground; empty: none
	Edit          string
	Groups        []group
	Before, After *entry
}

// source is where the pages are edited.
const source = "https://github.com/mercer-ml/mercer/edit/main/"

// put writes a file of the site.
func (s *site) put(name string, b []byte) error {
	file := filepath.Join(s.out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, b, 0o644)
}

func (s *site) frame(file, title string, body []byte) error {
	up := strings.Repeat("../", strings.Count(file, "/"))
	page := shown{Title: title, Up: up, Body: template.HTML(nameless.ReplaceAll(anchored(body), []byte(`<td$1></td>`))),
		Version: s.version}
	page.Groups, page.Before, page.After = s.beside(file)
	if scene := scenesOf[file]; scene != "" {
		page.Try = template.URL(up + playgroundPage + "#/" + scene)
	}
	if s.pages[file] != nil {
		page.Edit = source + file
	}
	var b bytes.Buffer
	if err := layout.Execute(&b, page); err != nil {
		return err
	}
	return s.put(address(file), b.Bytes())
}

// nameless are heads of columns without a name, which head nothing: cells like others to those who
// listen to a page.
var nameless = regexp.MustCompile(`<th([^>]*)>\s*</th>`)

// headings are those that a link can lead to.
var headings = regexp.MustCompile(`(?s)<h([1-4]) id="([^"]+)">(.*?)</h[1-4]>`)

// anchored is a page whose headings have a link to themselves.
func anchored(body []byte) []byte {
	return headings.ReplaceAll(body,
		[]byte(`<h$1 id="$2">$3<a class="anchor" href="#$2" aria-label="Link to this heading">#</a></h$1>`))
}

func (s *site) write(p *page) error {
	var body bytes.Buffer
	if err := markdown.Renderer().Render(&body, p.source, p.tree); err != nil {
		return err
	}
	return s.frame(p.name, p.title(), typeset(body.Bytes()))
}

// copyFiles takes pictures as they are, and makes pages of sources.
func (s *site) copyFiles() error {
	for name, b := range map[string][]byte{"style.css": style, "site.js": script} {
		if err := s.put(name, b); err != nil {
			return err
		}
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
			err = s.frame(name, name, []byte("<h1>"+template.HTMLEscapeString(name)+"</h1>\n<pre><code>"+
				template.HTMLEscapeString(string(b))+"</code></pre>"))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
