package bracket

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/datatest"
)

func ExampleRead() {
	trees, err := Read(strings.NewReader("( (S (NP the\n cat)) )\n\n(VP sleeps)"))
	fmt.Println(trees, err)
	// Output: [(S (NP the cat)) (VP sleeps)] <nil>
}

func ExampleParseSexp() {
	t, err := ParseSexp(`(define (f x) "two words") ; and a remark`)
	fmt.Println(t.Label, len(t.Children), t.Children[0], t.Children[1].Label, err)
	// Output: define 2 (f x) two words <nil>
}

func TestReadNamesTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"(a b)\n(c d))\n":      "line 2, byte 6: tree 3: a closing bracket",
		"(a b)\n\n  x (c)":     "line 3, byte 3: tree 2: \"x\" outside",
		"(a b)\n(c (d e)\n(f)": "tree 2: 1 brackets are not closed",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if trees, err := Read(strings.NewReader(" \n")); err != nil || len(trees) != 0 {
		t.Errorf("blank: %v, %v", trees, err)
	}
}

// All parses of QuestionBank are read, and written as they are read.
func TestQuestionBank(t *testing.T) {
	raw := new(strings.Builder)
	var buf [1 << 16]byte
	for r := datatest.Open(t, "questionbank_trees.tsv"); ; {
		n, err := r.Read(buf[:])
		raw.Write(buf[:n])
		if err != nil {
			break
		}
	}
	var trees strings.Builder
	for _, line := range strings.Split(raw.String(), "\n")[1:] {
		if _, tree, ok := strings.Cut(line, "\t"); ok {
			trees.WriteString(tree + "\n")
		}
	}
	got, err := Read(strings.NewReader(trees.String()))
	if err != nil || len(got) != 3261 {
		t.Fatalf("%d trees, %v", len(got), err)
	}
	for _, x := range got {
		if again, err := Parse(x.String()); err != nil || again.String() != x.String() {
			t.Fatalf("%v: %v, %v", x, again, err)
		}
	}
}

func TestSexpFormsAndFaults(t *testing.T) {
	for text, want := range map[string]string{
		"a": "(a)", "(a)": "(a)", "((a) b)": "( (a) b)", "; first\n(+ 1 (* 2 3))": "(+ 1 (* 2 3))",
		`(f "a\"b" "[x]")`: `(f a"b [x])`, "()": "()", "(f \"a\nb\")": "(f a\nb)", "(a;b\nc)": "(a c)",
	} {
		if got, err := ParseSexp(text); err != nil || got.String() != want {
			t.Errorf("%q: %v, %v, want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "no expression", "; only a remark": "no expression", "(a": "byte 3: 1 brackets are not closed",
		"a)": "byte 2: a second expression",
		")":  "byte 1: a closing bracket", "(a [b])": "byte 4: an unknown bracket '['",
		"(a {b)": "byte 4: an unknown bracket '{'",
		`(a "b)`: "byte 4: a quotation mark is not closed", `(a "\q")`: "byte 4: the quoted text",
		"a b":                    "byte 3: a second expression",
		strings.Repeat("(", 2e4): "nested deeper",
	} {
		if got, err := ParseSexp(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", text, got, err, want)
		}
	}
}

func FuzzParseSexp(f *testing.F) {
	f.Add(`(f "a\n" (g;x` + "\n))")
	f.Fuzz(func(t *testing.T, text string) {
		if tree, err := ParseSexp(text); err == nil && tree.Size() > len(text)+1 {
			t.Fatalf("%q: %d nodes", text, tree.Size())
		}
	})
}
