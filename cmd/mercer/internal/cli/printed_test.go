package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/spec"
)

const mixedRows = "size,code,tags,label\n1.2,ACGT,\"{a;b}\",x\n0.9,ACGA,\"{a}\",x\n1.1,ACGG,\"{a;c}\",x\n3.2,TTGT,\"{c}\",y\n2.9,TTGA,\"{c;d}\",y\n3.1,TTGG,\"{d}\",y\n1.0,ACCT,\"{a;b}\",x\n3.3,TTCT,\"{c;d}\",y\n"

// Everything that verbs print as a kernel is typed back: JSON has the kernel to the last bit, and
// fitting with what was printed gives a model with the same kernel.
func TestPrintedKernelsAreTypedBack(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mixed.csv"), []byte(mixedRows), 0o644); err != nil {
		t.Fatal(err)
	}
	common := []string{"--report", "none", "--folds", "2", "--holdout", "0", "--json", "--quiet", "-o", "m.mercer",
		"--time", "5m"}
	for _, args := range [][]string{
		{"fit", "iris", "--learner", "svm,gp", "--grid", "C=1,3"},
		{"fit", "iris", "--learner", "ridge", "--kernel", "gaussian() + 0.3*linear()^2", "--grid", "lambda=0.1"},
		{"fit", "iris", "--learner", "ridge", "--kernel", "arccosine(order=1, depth=2)*arcsine()", "--grid", "lambda=0.1"},
		{"fit", "mixed.csv", "--type", "tags=set,code=text", "--learner", "ridge", "--grid", "lambda=0.1"},
		{"fit", "mixed.csv", "--type", "tags=set,code=text", "--learner", "ridge", "--kernel",
			"normalize(spectrum(k=2)) on code * (1 + jaccard() on tags)", "--grid", "lambda=0.1"},
	} {
		said, code := program(t, dir, append(args, common...)...)
		if code != exitOK {
			t.Fatalf("%q: %s", args, said)
		}
		var first struct {
			Kernel      string
			Chosen      struct{ Kernel string }
			Leaderboard []struct{ Kernel string }
		}
		if err := json.Unmarshal(said, &first); err != nil {
			t.Fatalf("%q: %v: %s", args, err, said)
		}
		if first.Kernel == "" || len(first.Leaderboard) == 0 {
			t.Fatalf("%q: no kernels in %s", args, said)
		}
		for _, l := range first.Leaderboard {
			if _, err := spec.Parse(l.Kernel); err != nil {
				t.Errorf("%q: %s: %v", args, l.Kernel, err)
			}
		}
		again := append([]string{"fit", args[1], "--learner", "ridge", "--grid", "lambda=0.1", "--kernel", first.Kernel},
			common...)
		if args[1] == "mixed.csv" {
			again = append(again, "--type", "tags=set,code=text")
		}
		said, code = program(t, dir, again...)
		if code != exitOK {
			t.Fatalf("%s: %s", first.Kernel, said)
		}
		var second struct{ Kernel string }
		if err := json.Unmarshal(said, &second); err != nil || second.Kernel != first.Kernel {
			t.Errorf("%q: %s is read as %s (%v)", args, first.Kernel, second.Kernel, err)
		}
	}
	for _, args := range [][]string{
		{"pca", "iris", "--json"}, {"cluster", "iris", "--clusters", "3", "--json"},
		{"features", "iris", "--json", "-o", "z.csv"},
		{"gram", "iris", "--json"}, {"test", "independence", "iris", "--y", "petal_length", "--widths", "median", "--json",
			"--permutations", "50"}, {"kernels", "--json"}, {"inspect", "m.mercer", "--json"},
	} {
		said, code := program(t, dir, args...)
		if code != exitOK {
			t.Errorf("%q: %s", args, said)
			continue
		}
		for _, text := range kernelsIn(t, said) {
			if _, err := spec.Parse(text); err != nil {
				t.Errorf("%q: %s: %v", args, text, err)
			}
		}
	}
}

var pairOfKernels = regexp.MustCompile(` and |; `)

// kernelsIn are the values of "kernel" and "kernels" anywhere in an answer.
func kernelsIn(t *testing.T, said []byte) (out []string) {
	t.Helper()
	var v any
	if err := json.Unmarshal(said[:max(strings.LastIndexAny(string(said), "}]")+1, 0)], &v); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	var walk func(v any, key string)
	walk = func(v any, key string) {
		switch v := v.(type) {
		case map[string]any:
			for k, in := range v {
				walk(in, k)
			}
		case []any:
			for _, in := range v {
				walk(in, key)
			}
		case string:
			if key == "kernel" || key == "kernels" {
				out = append(out, pairOfKernels.Split(v, -1)...)
			}
		}
	}
	walk(v, "")
	return out
}
