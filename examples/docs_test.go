package newcomer_test

import (
	"os"
	"strings"
	"testing"
)

// Every program of these pages is one that runs here.
func TestDocumentedPrograms(t *testing.T) {
	for _, c := range []struct {
		page, source string
		least        int
	}{{"structured.md", "structured_test.go", 8}, {"tutorials/go-service.md", "service_test.go", 1}} {
		page, err := os.ReadFile("../docs/" + c.page)
		if err != nil {
			t.Fatal(err)
		}
		source, err := os.ReadFile(c.source)
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
				if line != "\n" {
					line = "\t" + line
				}
				lines = append(lines, line)
			}
			last := len(lines) - 1
			lines[last] = strings.Replace(lines[last], "// ", "// Output: ", 1)
			if !strings.Contains(string(source), strings.Join(lines, "")) {
				t.Errorf("%s: this program does not run here:\n%s", c.page, code)
			}
		}
		if programs < c.least {
			t.Errorf("%s: %d programs", c.page, programs)
		}
	}
}
