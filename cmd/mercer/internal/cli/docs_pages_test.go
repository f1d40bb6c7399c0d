package cli

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/internal/spec"
)

// pagesOf are the pages of a folder of docs, one after the other: each has a command. Its list of
// contents is left out.
func pagesOf(t *testing.T, folder string) string {
	pages, err := filepath.Glob(filepath.Join(datatest.Root(t), "docs", folder, "*.md"))
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages of %s: %v", len(pages), folder, err)
	}
	var out strings.Builder
	for _, page := range pages {
		if filepath.Base(page) == "README.md" {
			continue
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if len(documented(string(text))) == 0 {
			t.Errorf("%s has no command", page)
		}
		out.Write(text)
	}
	return out.String()
}

// Every learner has a page that shows it at work.
func TestEachLearnerHasAPage(t *testing.T) {
	pages := pagesOf(t, "learners")
	for _, name := range all.Names() {
		if !regexp.MustCompile(`mercer fit [\w ]*--learner '?([\w()=, .-]+, ?|[\w,-]+,)?` + name + `\b`).MatchString(pages) {
			t.Errorf("no page shows mercer fit --learner %s", name)
		}
	}
}

// Every kernel and operator has a page with its formula.
func TestEachKernelHasAPage(t *testing.T) {
	pages := pagesOf(t, "kernels")
	var names []string
	for _, e := range spec.Vectors() {
		names = append(names, e.Name+"(")
	}
	for _, e := range spec.Algebra() {
		names = append(names, cmp.Or(e.Sign, e.Name+"("))
	}
	for _, e := range spec.ObjectKernels() {
		names = append(names, e.Name+"(")
	}
	for _, name := range names {
		if !strings.Contains(pages, "`"+name) {
			t.Errorf("no page has %s…", name)
		}
	}
}

// The page on the command line has the exit codes that the program explains.
func TestExitCodesHaveTheirPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(datatest.Root(t), "docs", "command-line.md"))
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	if code := Main([]string{"mercer", "help", "exit-codes"}, strings.NewReader(""), &said, &said); code != exitOK {
		t.Fatal(code, said.String())
	}
	codes := regexp.MustCompile(`(?m)^ +(\d+) `).FindAllStringSubmatch(said.String(), -1)
	if len(codes) < 5 {
		t.Fatalf("%d codes in %s", len(codes), said.String())
	}
	for _, code := range codes {
		if !strings.Contains(string(page), "\n| "+code[1]+" | ") {
			t.Errorf("docs/command-line.md has no exit code %s", code[1])
		}
	}
}
