package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/play"
)

// shellWords cuts a command as a shell does, as far as the gallery's go: at blanks, with single
// quotes.
func shellWords(command string) []string {
	var out []string
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			out = append(out, part)
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	return out
}

// The commands that the playground's gallery shows are commands.
func TestCommandsOfTheGallery(t *testing.T) {
	entries, err := play.Gallery()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	done := map[string]bool{}
	for _, e := range entries {
		args := shellWords(e.Command)
		if len(args) < 2 || args[0] != "mercer" {
			t.Errorf("%s: %q is no command", e.Name, e.Command)
			continue
		}
		if done[e.Command] || testing.Short() && args[1] == "fit" {
			continue // a search takes seconds
		}
		done[e.Command] = true
		if testing.Short() && (args[1] == "cca" || args[1] == "test") {
			args = append(args, "--permutations", "19") // of hundreds
		}
		var out, fault bytes.Buffer
		if code := Main(args, strings.NewReader(""), &out, &fault); code != exitOK || out.Len() == 0 {
			t.Errorf("%s: %s: code %d, %s", e.Name, e.Command, code, fault.String())
		}
	}
	if len(done) < 10 {
		t.Errorf("%d commands in all", len(done))
	}
}
