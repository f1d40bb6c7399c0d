package newcomer_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every program of every page is one that runs here, and every page of a learner or of a family of
// kernels has one.
func TestDocumentedPrograms(t *testing.T) {
	var runs strings.Builder
	sources, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range sources {
		runs.WriteString(" " + plain(read(t, file)) + " ")
	}
	pages := []string{"../README.md"}
	err = filepath.WalkDir("../docs", func(file string, d fs.DirEntry, err error) error {
		if filepath.Ext(file) == ".md" {
			pages = append(pages, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	programs := 0
	for _, page := range pages {
		here := programsOf(read(t, page))
		for _, code := range here {
			if !strings.Contains(runs.String(), " "+plain(code)+" ") {
				t.Errorf("%s: this program does not run here:\n%s", page, code)
			}
		}
		folder := filepath.Base(filepath.Dir(page))
		if (folder == "learners" || folder == "kernels") && filepath.Base(page) != "README.md" && len(here) == 0 {
			t.Errorf("%s has no program", page)
		}
		programs += len(here)
	}
	if programs < 50 {
		t.Errorf("%d programs in %d pages: the reader of pages is broken", programs, len(pages))
	}
}

// programsOf are the programs of a page. Where the last line is a comment, it is what the program
// prints.
func programsOf(page string) (out []string) {
	for i, block := range strings.Split(page, "```") {
		code, ok := strings.CutPrefix(block, "go\n")
		if i%2 == 0 || !ok {
			continue
		}
		if last := strings.LastIndex(strings.TrimSuffix(code, "\n"), "\n// "); last >= 0 &&
			!strings.Contains(code[last+1:len(code)-1], "\n") {
			code = code[:last] + "\n// Output: " + code[last+len("\n// "):]
		}
		out = append(out, code)
	}
	return out
}

// plain is a program without its layout.
func plain(code string) string { return strings.Join(strings.Fields(code), " ") }

func read(t *testing.T, file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
