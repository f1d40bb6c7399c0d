package cli

import (
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/spf13/cobra"
)

// What the page on kernels shows can be written on the command line.
func TestKernelsOnTheHelpPageAreKernels(t *testing.T) {
	for _, page := range topics() {
		if page.Name() != "kernel-language" {
			continue
		}
		seen := 0
		// Of operators there are signatures, not kernels.
		for _, line := range strings.Split(strings.Replace(page.Long, operatorHelp(), "", 1), "\n") {
			text, ok := strings.CutPrefix(line, "  ")
			if !ok {
				continue
			}
			text, _, _ = strings.Cut(text, "   ")
			seen++
			if _, err := spec.ParseKernel(text); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
		if seen < 3 {
			t.Errorf("only %d kernels on the page", seen)
		}
	}
}

// Every page of help fits a terminal of 80 columns, which is what there is
// where nobody says otherwise.
func TestHelpFits80Columns(t *testing.T) {
	t.Setenv("COLUMNS", "")
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		text := c.Long + "\n" + c.UsageString()
		if c.DisableFlagParsing || c.Name() == "completion" || c.Parent() != nil && c.Parent().Name() == "completion" {
			return // LIBSVM's own text, cobra's own text
		}
		for _, line := range strings.Split(text, "\n") {
			if n := len([]rune(line)); n > 80 {
				t.Errorf("%s: %d columns: %s", c.CommandPath(), n, line)
			}
		}
		for _, s := range c.Commands() {
			walk(s)
		}
	}
	walk(newRoot(&App{}))
}
