package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
)

// documented are the commands of a page: lines of code that begin with mercer (after a prompt, a
// pipe, or another command), without what a person is told beside them.
func documented(page string) [][]string {
	var out [][]string
	fenced := false
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		if !fenced && !strings.HasPrefix(line, "    ") {
			continue
		}
		line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
		line, _, _ = strings.Cut(line, " #")
		line, _, _ = strings.Cut(line, "   ")
		for _, command := range regexp.MustCompile(`\s(?:&&|\|)\s`).Split(line, -1) {
			command, _, _ = strings.Cut(command, " >")
			words := shellWords(strings.TrimSuffix(strings.TrimSpace(command), " &"))
			if len(words) > 1 && words[0] == "mercer" {
				out = append(out, words)
			}
		}
	}
	return out
}

// shown are the files whose whole text a page shows, after $ cat NAME; one with a line … is shown
// in part, and is none.
func shown(page string) map[string]string {
	out := map[string]string{}
	for i, block := range strings.Split(page, "```") {
		_, block, ok := strings.Cut(block, "\n$ cat ")
		if i%2 == 0 || !ok {
			continue
		}
		name, text, _ := strings.Cut(block, "\n")
		text, _, _ = strings.Cut(text, "\n$ ")
		if !strings.Contains(text, "…") {
			out[name] = strings.TrimRight(text, "\n") + "\n"
		}
	}
	return out
}

// Pages say what the program takes: each command is one, with flags that there are and as many
// arguments as it wants. Without -short, those on built-in data, on files that the page shows and
// on what commands before them wrote are run too.
func TestDocumentedCommands(t *testing.T) {
	root := datatest.Root(t)
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(filepath.Join(root, "docs", "*", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen, ran := 0, 0
	for _, page := range append(append(pages, more...), filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(root, page)
		if err != nil {
			t.Fatal(err)
		}
		t.Chdir(t.TempDir())
		for file, content := range shown(string(text)) {
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, words := range documented(string(text)) {
			seen++
			if fault := understood(words); fault != nil {
				t.Errorf("%s: %s: %v", name, strings.Join(words, " "), fault)
				continue
			}
			if testing.Short() || !runnable(words) {
				continue
			}
			ran++
			var out, fault bytes.Buffer
			if code := Main(words, strings.NewReader(""), &out, &fault); code != exitOK {
				t.Errorf("%s: %s: code %d, %s", name, strings.Join(words, " "), code, fault.String())
			}
		}
	}
	if seen < 100 || !testing.Short() && ran < 30 {
		t.Errorf("%d commands found, %d of them run: the reader of pages is broken", seen, ran)
	}
}

// understood is why a command is none: a verb or flag that there is not, a value that a flag does
// not take, arguments too many or too few.
func understood(words []string) error {
	var out bytes.Buffer
	cmd, rest, err := newRoot(&App{In: strings.NewReader(""), Out: &out, Err: &out}).Find(words[1:])
	if err != nil || cmd.DisableFlagParsing {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}

// runnable is a command whose files are there, and which ends by itself.
func runnable(words []string) bool {
	var out bytes.Buffer
	cmd, rest, err := newRoot(&App{In: strings.NewReader(""), Out: &out, Err: &out}).Find(words[1:])
	if err != nil || cmd.Name() == "serve" || cmd.Name() == "play" || cmd.DisableFlagParsing ||
		cmd.ParseFlags(rest) != nil || len(cmd.Flags().Args()) == 0 {
		return false
	}
	if cmd.Name() == "kernels" {
		return true
	}
	for _, arg := range cmd.Flags().Args() {
		if _, err := os.Stat(arg); err != nil && !slices.Contains(data.BuiltinNames(), arg) {
			return false
		}
	}
	return true
}
