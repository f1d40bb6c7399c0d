package cli

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data/load"
	"github.com/spf13/cobra"
)

// scriptText is all acceptance scripts in one.
func scriptText(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	var all strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
		all.WriteByte('\n')
	}
	return all.String()
}

// Every class of errors has a script that provokes it, and scripts name no
// class that help does not list.
func TestEveryErrorClassHasAScript(t *testing.T) {
	marked := map[string]bool{}
	lines := strings.Split(scriptText(t), "\n")
	for i, line := range lines {
		name, ok := strings.CutPrefix(line, "# class: ")
		if !ok {
			continue
		}
		marked[name] = true
		if i+1 >= len(lines) || !strings.Contains(lines[i+1], "exec ") {
			t.Errorf("class %s is marked, but the next line runs nothing: %q", name, lines[i+1])
		}
	}
	for _, c := range errorClasses() {
		if !marked[c.Name] {
			t.Errorf("no script shows class %q; mark one with \"# class: %s\"", c.Name, c.Name)
		}
		delete(marked, c.Name)
	}
	for name := range marked {
		t.Errorf("a script marks class %q, which mercer help errors does not list", name)
	}
}

// Every verb is run by some script.
func TestEveryVerbHasAScript(t *testing.T) {
	text := scriptText(t)
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.HasSubCommands() {
			for _, s := range c.Commands() {
				walk(s)
			}
			return
		}
		path := c.CommandPath()
		found := regexp.MustCompile(`(?m)exec (sh -c ')?(mercer )?` +
			regexp.QuoteMeta(strings.TrimPrefix(path, "mercer "))).MatchString(text)
		if !c.Runnable() {
			found = strings.Contains(text, "exec mercer help "+c.Name())
		}
		if !found {
			t.Errorf("no script runs %q", path)
		}
	}
	walk(newRoot(&App{Out: io.Discard, Err: io.Discard}))
}

// Every format, and every compression, is read by some script.
func TestEveryFormatHasAScript(t *testing.T) {
	text := scriptText(t)
	names := []string{"gzip", "zstd"}
	for _, f := range load.Formats() {
		names = append(names, string(f))
	}
	for _, name := range names {
		if !strings.Contains(text, "# format: "+name+"\n") {
			t.Errorf("no script reads %s; mark one with \"# format: %s\"", name, name)
		}
	}
}
