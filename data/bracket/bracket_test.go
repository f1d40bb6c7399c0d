package bracket

import (
	"fmt"
	"strings"
	"testing"
)

func ExampleParse() {
	tree, err := Parse("(S (NP (DT the)(NN cat))(VP (VBZ sleeps)))")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tree.Label, len(tree.Children), tree.Size())
	fmt.Println(tree)
	// Output:
	// S 2 9
	// (S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))
}

func TestFormsAndFaults(t *testing.T) {
	for text, want := range map[string]string{
		"( (S (A b)) )":     "(S (A b))",
		"(S ( )(A b))":      "(S (A b))",
		"(root(a(b::n))c)":  "(root (a b::n) c)",
		"(a)":               "(a)",
		"(((0)))":           "(0)",
		"((((a b))))":       "(a b)",
		" ( a b ) ":         "(a b)",
		"(`` ``)":           "(`` ``)",
		"( (A b) (C d) )":   "( (A b) (C d))",
		"(S (NP x y)(, ,))": "(S (NP x y) (, ,))",
	} {
		tree, err := Parse(text)
		if err != nil || tree.String() != want {
			t.Errorf("%q: %v, %v, want %s", text, tree, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                        "no tree",
		"(a":                      "byte 3: 1 brackets are not closed",
		"a)":                      `byte 1: "a" outside`,
		"(a))":                    "byte 4: a closing bracket",
		"(a)(b)":                  "byte 4: a second tree",
		"()":                      "an empty bracket",
		strings.Repeat("(", 2e4):  "nested deeper",
		strings.Repeat("(a", 2e4): "nested deeper",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: error %v, want %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("(S (NP (DT the)(NN cat))(VP x))")
	f.Add("( () x)")
	f.Add("(((0)))")
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(tree.String())
		if err != nil || again.String() != tree.String() {
			t.Fatalf("%q is written %q, read back %v, %v", text, tree, again, err)
		}
	})
}
