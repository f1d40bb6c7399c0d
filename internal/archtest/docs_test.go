package archtest

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// foreign are names of other projects that look like ours.
var foreign = []string{"grid.py", "easy.py", "stat/distuv"}

// What a page names is there: files, folders, tests, names of the public API, and functions beside
// the file that has them.
func TestPagesNameWhatThereIs(t *testing.T) {
	root := os.DirFS("../..")
	tree := readTree(t, root)
	named := 0
	for _, page := range pages(t, root) {
		text, err := fs.ReadFile(root, page)
		if err != nil {
			t.Fatal(err)
		}
		prose := withoutCode(string(text))
		for _, m := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(prose, -1) {
			if slices.Contains(foreign, m[1]) {
				continue
			}
			known, ok := tree.has(m[1])
			if known {
				named++
			}
			if known && !ok {
				t.Errorf("%s names %s, which is not there", page, m[1])
			}
		}
		for _, m := range regexp.MustCompile("`(\\w+)` \\(`(\\w+/[\\w/]+\\.go)`\\)").FindAllStringSubmatch(prose, -1) {
			source, err := fs.ReadFile(root, m[2])
			if err != nil || !regexp.MustCompile(`(?m)^(func|type) (\([^)]*\) )?`+m[1]+`\b`).Match(source) {
				t.Errorf("%s: %s has no %s", page, m[2], m[1])
			}
		}
	}
	if named < 300 {
		t.Errorf("%d names found: the reader of pages is broken", named)
	}
}

// pages are those at the root but for the history, and all of docs.
func pages(t *testing.T, root fs.FS) []string {
	out, err := fs.Glob(root, "*.md")
	if err != nil {
		t.Fatal(err)
	}
	out = slices.DeleteFunc(out, func(name string) bool { return name == "CHANGELOG.md" })
	err = fs.WalkDir(root, "docs", func(name string, d fs.DirEntry, err error) error {
		if path.Ext(name) == ".md" {
			out = append(out, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// withoutCode is a page without its programs and commands.
func withoutCode(page string) string {
	var out strings.Builder
	for i, part := range strings.Split(page, "```") {
		for line := range strings.Lines(part) {
			if i%2 == 0 && !strings.HasPrefix(line, "    ") {
				out.WriteString(line)
			}
		}
	}
	return out.String()
}

// names is what pages can name.
type names struct {
	files, folders, tests map[string]bool
	api                   map[string]map[string]bool // by the last part of the package's path
}

var (
	fileName   = regexp.MustCompile(`^[\w./*{},-]+\.(go|py|R|sh|s|cu|js|md|txtar)$`)
	folderName = regexp.MustCompile(`^[\w.-]+(/[\w{},.*-]+)+/?$`)
	testName   = regexp.MustCompile(`^(Test|Benchmark|Fuzz)[A-Z]\w*$`)
	apiName    = regexp.MustCompile(`^(?:[\w/]+/)?\(?\*?([a-z]\w*)\.([A-Z]\w*)\)?(?:\.([A-Z]\w*))?`)
	holder     = regexp.MustCompile(`[A-Z]{2,}`) // NAME.go, SUITE.py: any
)

// has says whether a text in quotes is a name of the kinds that are looked up, and whether that is
// there.
func (n *names) has(text string) (known, ok bool) {
	switch m := apiName.FindStringSubmatch(text); {
	case m != nil && n.api[m[1]] != nil:
		name := m[2]
		if m[3] != "" {
			name += "." + m[3]
		}
		return true, n.api[m[1]][name]
	case testName.MatchString(text):
		return true, n.tests[text] || n.api["stat"][text]
	case fileName.MatchString(text):
		return true, each(text, func(one string) bool {
			if path.Ext(one) != ".md" {
				one = holder.ReplaceAllString(one, "*")
			}
			return anyMatch(n.files, one)
		})
	case folderName.MatchString(text) && n.folders[strings.SplitN(text, "/", 2)[0]]:
		return true, each(strings.TrimSuffix(text, "/"), func(one string) bool {
			return anyMatch(n.folders, one) ||
				anyMatch(n.files, one)
		})
	}
	return false, false
}

// each asks of every text that braces stand for: a/{b,c} is a/b and a/c.
func each(text string, ask func(one string) bool) bool {
	before, rest, ok := strings.Cut(text, "{")
	inside, after, closed := strings.Cut(rest, "}")
	if !ok || !closed {
		return ask(text)
	}
	for _, part := range strings.Split(inside, ",") {
		if !each(before+strings.TrimSpace(part)+after, ask) {
			return false
		}
	}
	return true
}

// anyMatch says whether a pattern is one of the paths, or the end of one.
func anyMatch(paths map[string]bool, pattern string) bool {
	if paths[pattern] {
		return true
	}
	depth := strings.Count(pattern, "/")
	for p := range paths {
		parts := strings.Split(p, "/")
		if len(parts) <= depth {
			continue
		}
		if ok, err := path.Match(pattern, strings.Join(parts[len(parts)-depth-1:], "/")); ok && err == nil {
			return true
		}
	}
	return false
}

// readTree looks at everything that is not hidden, and at the list of the API.
func readTree(t *testing.T, root fs.FS) *names {
	n := &names{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]map[string]bool{}}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz)\w+)\(`)
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || name == ".":
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".ci":
			return fs.SkipDir
		case d.IsDir():
			n.folders[name] = true
			return nil
		}
		n.files[name] = true
		if strings.HasSuffix(name, "_test.go") {
			source, err := fs.ReadFile(root, name)
			for _, m := range declared.FindAllStringSubmatch(string(source), -1) {
				n.tests[m[1]] = true
			}
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	list, err := fs.ReadFile(root, "docs/api.txt")
	if err != nil {
		t.Fatal(err)
	}
	pkg := ""
	line := regexp.MustCompile(`^(?:func|type|const|var) (\w+)|^  (?:field|method) (\w+\.\w+)`)
	for l := range strings.Lines(string(list)) {
		if p, ok := strings.CutPrefix(strings.TrimSpace(l), "package "); ok {
			pkg = path.Base(p)
			if n.api[pkg] == nil {
				n.api[pkg] = map[string]bool{}
			}
		} else if m := line.FindStringSubmatch(l); m != nil {
			n.api[pkg][m[1]+m[2]] = true
		}
	}
	return n
}
