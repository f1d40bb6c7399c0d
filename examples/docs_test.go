package newcomer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every program of these pages is one that runs here, and every page of a learner or of a family of kernels has one.
func TestDocumentedPrograms(t *testing.T) {
	documented(t, "../docs/structured.md", "structured_test.go", 8)
	documented(t, "../docs/tutorials/go-service.md", "service_test.go", 1)
	for folder, source := range map[string]string{"learners": "learner_pages_test.go", "kernels": "kernel_pages_test.go"} {
		pages, err := filepath.Glob("../docs/" + folder + "/*.md")
		if err != nil || len(pages) < 10 {
			t.Fatalf("%d pages of %s: %v", len(pages), folder, err)
		}
		for _, page := range pages {
			if filepath.Base(page) != "README.md" {
				documented(t, page, source, 1)
			}
		}
	}
}

// documented holds the programs of a page to the examples of a file: the last line of a program is what it prints.
func documented(t *testing.T, page, file string, least int) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	programs := 0
	for i, block := range strings.Split(string(text), "```") {
		code, ok := strings.CutPrefix(block, "go\n")
		if i%2 == 0 || !ok {
			continue
		}
		programs++
		var lines []string
		for line := range strings.Lines(code) {
			if line != "\n" {
				line = "\t" + line
			}
			lines = append(lines, line)
		}
		last := len(lines) - 1
		lines[last] = strings.Replace(lines[last], "// ", "// Output: ", 1)
		if !strings.Contains(string(source), strings.Join(lines, "")) {
			t.Errorf("%s: this program does not run in %s:\n%s", page, file, code)
		}
	}
	if programs < least {
		t.Errorf("%s: %d programs", page, programs)
	}
}
