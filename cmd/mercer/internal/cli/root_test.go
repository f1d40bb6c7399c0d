package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// A verb that is declared alone says what it says among the others: its help, what is wrong with a
// flag, and what is lacking.
func TestVerbsAloneAreAsAmongTheOthers(t *testing.T) {
	t.Setenv("COLUMNS", "")
	for _, v := range verbs() {
		if got := v.declare(&App{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}).Name(); got != v.name {
			t.Errorf("%q is declared as %q", v.name, got)
		}
		if svmPrograms[v.name] != nil || v.name == "worker" {
			continue // LIBSVM's own text; a worker waits for requests
		}
		for _, words := range [][]string{{v.name, "--help"}, {v.name, "--unheard-of"}, {v.name, "-h", "--quiet"}} {
			var said [2]string
			for i := range said {
				var out bytes.Buffer
				a := &App{In: strings.NewReader(""), Out: &out, Err: &out, Name: "mercer", Args: words}
				root := newRoot(a)
				if i == 1 {
					root = rootFor(a, words)
				}
				root.SetArgs(words)
				err := root.ExecuteContext(context.Background())
				said[i] = out.String()
				if err != nil {
					said[i] += inWords(err).Error()
				}
			}
			if said[0] != said[1] || said[0] == "" {
				t.Errorf("mercer %s\namong the others: %s\nalone: %s", strings.Join(words, " "), said[0], said[1])
			}
		}
	}
	alone := rootFor(&App{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}, []string{"fit"})
	whole := newRoot(&App{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}})
	if n := len(whole.Commands()) - len(alone.Commands()); n != len(verbs())-1 {
		t.Errorf("%d verbs are spared, of %d", n, len(verbs()))
	}
}
