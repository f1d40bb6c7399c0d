package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestDocumentedCommands: every command of docs/cluster.md does what it is there for, in the order
// of the page; those for an engine run in this process.
func TestDocumentedCommands(t *testing.T) {
	dir := t.TempDir()
	writeShards(t, filepath.Join(dir, "rows"), 3, 60)
	page, ran := read(t, "../../../docs/cluster.md"), 0
	for line := range strings.Lines(page) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ mercer-beam ")
		if !ok {
			continue
		}
		if before, _, engine := strings.Cut(command, " --runner"); engine {
			command = before + " --overwrite"
		}
		args := strings.Fields(strings.ReplaceAll(command, "'", ""))
		must(t, dir, args...)
		ran++
	}
	if ran < 7 {
		t.Errorf("%d commands were found on the page", ran)
	}
	for _, file := range []string{"y.mercer", "y.json", "predictions/part-2.csv", "kind.mercer", "kind.journal"} {
		if found, _ := filepath.Glob(filepath.Join(dir, file)); len(found) == 0 {
			t.Errorf("%s was not made", file)
		}
	}
}
