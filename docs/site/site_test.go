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

// The pages of this checkout make a site: every link and every heading it names is there, and so is
// every file that the pages of the site ask for.
func TestSite(t *testing.T) {
	out := t.TempDir()
	// The playground is put beside the pages by docs/site/build; compiling it is not for this test.
	if err := os.MkdirAll(filepath.Join(out, "playground"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, filepath.FromSlash(playgroundPage)), nil, 0o644); err != nil {
		t.Fatal(err)
	}
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
		"README.md": {Data: []byte("# A\n\n[gone](docs/gone.md) [no heading](docs/b.md#c) [folder](docs) " +
			"[fine](docs/b.md#b-and-c) [self](#a)\n")},
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
	if !strings.Contains(string(page), `src="../docs/img/p.png"`) ||
		!strings.Contains(string(page), `href="../docs/x.go.html"`) ||
		!strings.Contains(string(page), `href="../style.css"`) {
		t.Errorf("%s", page)
	}
	if !strings.Contains(string(source), "package x // &lt;&amp;&gt;") {
		t.Errorf("%s", source)
	}
}

// Every page of a kernel or a learner opens a scene, and has a picture.
func TestEveryPageHasItsScene(t *testing.T) {
	out := t.TempDir()
	if _, err := build("../..", out); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, folder := range []string{"kernels", "learners"} {
		names, err := filepath.Glob("../" + folder + "/*.md")
		if err != nil || len(names) == 0 {
			t.Fatal(names, err)
		}
		for _, file := range names {
			name := "docs/" + folder + "/" + filepath.Base(file)
			if scenesOf[name] == "" {
				t.Errorf("%s: no entry in scenesOf", name)
			}
			text, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(address(name))))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), `class="try"`) {
				t.Errorf("%s: no link to the playground", name)
			}
			if filepath.Base(file) != "README.md" && !strings.Contains(string(text), "<img ") {
				t.Errorf("%s: no picture", name)
			}
			seen++
		}
	}
	if seen != len(scenesOf) {
		t.Errorf("%d pages, %d entries: some are of pages that have gone", seen, len(scenesOf))
	}
}

// The contents have every page once, and a reader goes through all of them by "next".
func TestOrder(t *testing.T) {
	s := &site{root: os.DirFS("../.."), pages: map[string]*page{}, files: map[string]bool{}}
	if err := s.read(); err != nil {
		t.Fatal(err)
	}
	s.order = s.contents()
	count := map[string]int{}
	for _, g := range s.order {
		for _, e := range g.Pages {
			count[e.name]++
		}
	}
	for name := range s.pages {
		if count[name] != 1 {
			t.Errorf("%s stands in the contents %d times", name, count[name])
		}
	}
	at, steps := "README.md", 1
	for ; steps <= len(s.pages); steps++ {
		_, _, after := s.beside(at)
		if after == nil {
			break
		}
		at = after.name
	}
	if steps != len(s.pages) {
		t.Errorf("%d of %d pages by going on", steps, len(s.pages))
	}
}

// A search finds a heading with the words below it, and its link leads there.
func TestIndex(t *testing.T) {
	s := &site{root: fstest.MapFS{"README.md": {Data: []byte("# Top\n\nfirst\n\n## A part\n\nsome `code` here\n\n```\n$ " +
		"mercer fit\n```\n")}, "docs/x.md": {Data: []byte("# X\n")}}, out: t.TempDir(), pages: map[string]*page{},
		files: map[string]bool{}}
	if err := s.read(); err != nil {
		t.Fatal(err)
	}
	parts := s.pages["README.md"].parts()
	if len(parts) != 2 || parts[1].Link != "index.html#a-part" || parts[1].Text != "some code here $ mercer fit" ||
		parts[0].Text != "first" {
		t.Errorf("%+v", parts)
	}
	if err := s.index(); err != nil {
		t.Fatal(err)
	}
	b, _ := os.ReadFile(filepath.Join(s.out, "search-index.js"))
	if !strings.HasPrefix(string(b), "window.mercerIndex = [{") {
		t.Errorf("%.80s", b)
	}
}

// A package has a page with what it exports, and nothing else.
func TestPackages(t *testing.T) {
	s := &site{root: fstest.MapFS{
		"docs/a.md": {Data: []byte("# A\n")},
		"pets/pets.go": {Data: []byte("// Package pets has pets.\npackage pets\n\n// Dog barks.\ntype Dog struct{ Name " +
			"string }\n\n// Bark is loud.\nfunc (d Dog) Bark() string { return secret() }\n\nfunc secret() string { return " +
			"\"<woof>\" }\n")},
		"pets/x_test.go": {Data: []byte("package pets_test\n")}, "internal/y/y.go": {Data: []byte("package y\n")},
	}, out: t.TempDir(), pages: map[string]*page{}, files: map[string]bool{}}
	if err := s.read(); err != nil {
		t.Fatal(err)
	}
	if err := s.packages(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(s.out, "api", "pets", "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, has := range []string{"package pets", "type Dog", "Bark is loud", `id="Dog.Bark"`} {
		if !strings.Contains(string(b), has) {
			t.Errorf("no %q", has)
		}
	}
	if strings.Contains(string(b), "secret") || strings.Contains(string(b), "woof") {
		t.Error("what is not exported is shown")
	}
	if _, err := os.Stat(filepath.Join(s.out, "api", "internal")); err == nil {
		t.Error("an internal package has a page")
	}
}

// Formulas are set ahead, and code, names and links are left alone.
func TestTypeset(t *testing.T) {
	for text, want := range map[string]string{
		"<td>2^{1−ν}/Γ(ν)·z^ν·K_ν(z)</td>":                "<td>2<sup>1−ν</sup>/Γ(ν)·z<sup>ν</sup>·K<sub>ν</sub>(z)</td>",
		"<p>(1 + x)^n and Σ_{i} a</p>":                    "<p>(1 + x)<sup>n</sup> and Σ<sub>i</sub> a</p>",
		"<code>x^2 + a_b</code> snake_case, petal_length": "<code>x^2 + a_b</code> snake_case, petal_length",
		`<a href="a_b^{c}">x</a>`:                         `<a href="a_b^{c}">x</a>`,
		"<pre><code>K_ν</code></pre>":                     "<pre><code>K_ν</code></pre>",
	} {
		if got := string(typeset([]byte(text))); got != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", text, got, want)
		}
	}
}
