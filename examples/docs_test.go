package newcomer_test

import (
	"os"
	"strings"
	"testing"
)

// Every program of docs/structured.md is one that runs here.
func TestDocumentedPrograms(t *testing.T) {
	page, err := os.ReadFile("../docs/structured.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("structured_test.go")
	if err != nil {
		t.Fatal(err)
	}
	programs := 0
	for i, block := range strings.Split(string(page), "```") {
		code, ok := strings.CutPrefix(block, "go\n")
		if i%2 == 0 || !ok {
			continue
		}
		programs++
		var lines []string
		for line := range strings.Lines(code) {
			lines = append(lines, "\t"+line)
		}
		last := len(lines) - 1
		lines[last] = strings.Replace(lines[last], "// ", "// Output: ", 1)
		if !strings.Contains(string(source), strings.Join(lines, "")) {
			t.Errorf("this program of the page does not run here:\n%s", code)
		}
	}
	if programs < 8 {
		t.Errorf("%d programs", programs)
	}
}
