package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// The pages of this checkout make a site: every link and every heading it names is there, and so is every file that the pages of the site ask for.
func TestSite(t *testing.T) {
	out := t.TempDir()
	pages, err := build("../..", out)
	if err != nil {
		t.Fatal(err)
	}
	if pages < 60 {
		t.Errorf("%d pages", pages)
	}
	asked, link := 0, regexp.MustCompile(`(?:href|src)="([^"#:]+)(?:#[^"]*)?"`)
	err = filepath.WalkDir(out, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".html") {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			asked++
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s asks for %s: %v", file, m[1], err)
			}
		}
		return nil
	})
	if err != nil || asked < 300 {
		t.Errorf("%d links seen: %v", asked, err)
	}
}

// A link that leads nowhere is named with its page: a file, a heading, a folder without a page.
func TestLinksThatLeadNowhere(t *testing.T) {
	tree := fstest.MapFS{
		"README.md":      {Data: []byte("# A\n\n[gone](docs/gone.md) [no heading](docs/b.md#c) [folder](docs) [fine](docs/b.md#b-and-c) [self](#a)\n")},
		"docs/b.md":      {Data: []byte("# B and C\n\n![picture](img/p.png) [source](x.go)\n")},
		"docs/img/p.png": {Data: []byte("p")},
		"docs/x.go":      {Data: []byte("package x // <&>")},
	}
	s := &site{root: tree, out: t.TempDir(), pages: map[string]*page{}, files: map[string]bool{}}
	if err := s.read(); err != nil {
		t.Fatal(err)
	}
	var faults []string
	for _, err := range s.follow(s.pages["README.md"]) {
		faults = append(faults, err.Error())
	}
	want := []string{
		"README.md: the link docs/gone.md leads to docs/gone.md, which is not there",
		"README.md: the link docs/b.md#c leads to a heading that docs/b.md does not have",
		"README.md: the link docs leads to a folder without a page",
	}
	if strings.Join(faults, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s", strings.Join(faults, "\n"))
	}
	if faults := s.follow(s.pages["docs/b.md"]); len(faults) > 0 {
		t.Error(faults)
	}
	if err := s.write(s.pages["docs/b.md"]); err != nil {
		t.Fatal(err)
	}
	if err := s.copyFiles(); err != nil {
		t.Fatal(err)
	}
	page, _ := os.ReadFile(filepath.Join(s.out, "docs", "b.html"))
	source, _ := os.ReadFile(filepath.Join(s.out, "docs", "x.go.html"))
	if !strings.Contains(string(page), `src="../docs/img/p.png"`) || !strings.Contains(string(page), `href="../docs/x.go.html"`) || !strings.Contains(string(page), `href="../style.css"`) {
		t.Errorf("%s", page)
	}
	if !strings.Contains(string(source), "package x // &lt;&amp;&gt;") {
		t.Errorf("%s", source)
	}
}
