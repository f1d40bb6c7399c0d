package cli

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// listed finds the values that a line of help lists: ": a, b or c".
var listed = regexp.MustCompile(`: ([a-z0-9-]+(?:, [a-z0-9-]+)*),? or ([a-z0-9-]+)(?:$|;| \()`)

// What is offered for a flag is what its line of help lists, and the other way round.
func TestChoicesAreThoseOfTheHelp(t *testing.T) {
	seen := 0
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			choices := flagChoices(c.Name(), f.Name)
			if in := listed.FindStringSubmatch(f.Usage); in != nil {
				for _, choice := range append(words(in[1]), in[2]) {
					if !slices.Contains(choices, choice) {
						t.Errorf("%s --%s: %q is not offered; help: %s", c.CommandPath(), f.Name, choice, f.Usage)
					}
				}
			}
			if choices == nil || f.Name == "metric" || strings.HasPrefix(f.Name, "kernel") &&
				!strings.Contains(f.Usage, "tricube") {
				return // too many for a line
			}
			seen++
			in := strings.FieldsFunc(f.Usage+" "+f.DefValue, func(r rune) bool { return strings.ContainsRune(" ,;:()\"", r) })
			for _, choice := range choices {
				if !slices.Contains(in, choice) {
					t.Errorf("%s --%s: %q is offered; help: %s", c.CommandPath(), f.Name, choice, f.Usage)
				}
			}
		})
		for _, s := range c.Commands() {
			walk(s)
		}
	}
	walk(newRoot(&App{}))
	if seen < 20 {
		t.Errorf("only %d flags have choices", seen)
	}
}

// completionCase is a line as far as it is typed and what must, and must not,
// be among what is offered.
type completionCase struct {
	line      string
	has, lack []string
}

func completionCases() []completionCase {
	return []completionCase{
		{"mercer fi", []string{"fit"}, []string{"predict"}},
		{"mercer fit ", []string{"iris", "moons", "irises.csv", "folder/"}, []string{".hidden"}},
		{"mercer fit ir", []string{"iris", "irises.csv"}, []string{"moons"}},
		{"mercer fit other", []string{"others.csv"}, nil},
		{"mercer test two-sample iris ", []string{"moons", "others.csv"}, nil},
		{"mercer fit --learner ", []string{"svm", "gp", "knn"}, []string{"others.csv"}},
		{"mercer fit --learner svm,r", []string{"svm,ridge", "svm,rvm"}, []string{"svm,svm"}},
		{"mercer fit --kernel ga", []string{"gaussian"}, []string{"others.csv"}},
		{"mercer kernels mat", []string{"matern"}, nil},
		{"mercer density iris --kernel tri", []string{"tricube"}, nil},
		{"mercer fit iris --missing ", []string{"drop", "indicator"}, []string{"others.csv"}},
		{"mercer fit iris --targ", []string{"--target"}, nil},
		{"mercer fit iris --target ", nil, []string{"others.csv"}},
		{"mercer predict m", []string{"m.mercer"}, nil},
		{"mercer svm-train other", []string{"others.csv"}, nil},
		{"mercer help ker", []string{"kernels", "kernel-language"}, nil},
	}
}

// fish says itself what it would offer; its own files are part of it, as those
// of zsh and bash are.
func TestCompletionInFish(t *testing.T) {
	if _, err := exec.LookPath("fish"); err != nil {
		t.Skip("SKIPPED: no fish here to try its completion in")
	}
	dir := t.TempDir()
	for _, name := range []string{"irises.csv", "others.csv", "m.mercer", ".hidden"} {
		if err := writeFile(filepath.Join(dir, name), nil); err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, "man", "folder")
	if err := writeFile(filepath.Join(dir, "mercer.fish"), []byte(run(t, dir, "completion", "fish"))); err != nil {
		t.Fatal(err)
	}
	for _, c := range completionCases() {
		cmd := exec.Command("fish", "--no-config", "-c", "source mercer.fish; complete -C '"+c.line+"'")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		c.check(t, string(out))
	}
}

// What the shells ask for is right where there is no shell to try: files are
// the shell's own part then.
func TestCompletion(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"irises.csv", "others.csv", ".hidden"} {
		if err := writeFile(filepath.Join(dir, name), nil); err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, "man", "folder")
	for _, c := range completionCases() {
		if strings.HasSuffix(c.line, " other") || strings.HasSuffix(c.line, " m") {
			continue // files alone
		}
		args := strings.Split(c.line, " ")
		text := run(t, dir, append([]string{"__complete"}, args[1:]...)...)
		begun, offered := args[len(args)-1], []string{}
		for _, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, begun) { // the rest is for the shell to leave out
				offered = append(offered, line)
			}
		}
		c.check(t, strings.Join(offered, "\n"))
	}
}

func (c completionCase) check(t *testing.T, offered string) {
	t.Helper()
	var names []string
	for _, line := range strings.Split(offered, "\n") {
		name, _, _ := strings.Cut(line, "\t")
		names = append(names, name)
	}
	for _, name := range c.has {
		if !slices.Contains(names, name) {
			t.Errorf("%q: %q is not offered: %q", c.line, name, names)
		}
	}
	for _, name := range c.lack {
		if slices.Contains(names, name) {
			t.Errorf("%q: %q is offered", c.line, name)
		}
	}
}
