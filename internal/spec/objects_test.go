package spec_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/discrete"
	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/kernel/prob"
	"github.com/mercer-ml/mercer/kernel/seq"
	"gonum.org/v1/gonum/mat"
)

// Every sample of a catalogue of objects is printed as it stands, has the values of the kernel it
// is read to, and uses its own entry; every parameter that can be varied has a text.
func TestEverySampleOfObjects(t *testing.T) {
	samples(t, spec.Strings(), data.Slice[string]{"ACGTAC", "ACGGT", "TTACGT", "AABAB", "BABBA"})
	isProfile := func(e spec.Entry) bool { return e.Name == "profile" }
	two := func(p ...float64) seq.Series { s, _ := seq.NewSeries(p, 2); return s }
	samples(t, slices.DeleteFunc(spec.Series(), func(e spec.Entry) bool { return !isProfile(e) }),
		data.Slice[seq.Series]{two(0.9, 0.1, 0.5, 0.5), two(0.2, 0.8, 0.6, 0.4, 1, 0)})
	samples(t, slices.DeleteFunc(spec.Series(), isProfile), data.Slice[seq.Series]{seq.Univariate([]float64{0, 1, 0.5, 2}),
		seq.Univariate([]float64{1, 0, 0, 1}), seq.Univariate([]float64{0.3, 0.2, 1, 1})})
	samples(t, spec.Trees(), data.Slice[*bracket.Tree]{tree(t, "(S (NP (D a) (N b)) (V c))"),
		tree(t, "(S (NP (D a) (N d)) (V c))"), tree(t, "(S (V c))")})
	samples(t, spec.Sets(), data.Slice[[]string]{{"a", "b"}, {"b"}, {}})
	samples(t, spec.FuzzySets(), data.Slice[[]discrete.Member[string]]{{{Element: "ab", Degree: 0.5},
		{Element: "b", Degree: 1}}, {{Element: "ab", Degree: 0.2}}, {}})
	samples(t, spec.Rankings(), data.Slice[discrete.Ranking]{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}})
	samples(t, spec.Bags(), data.Slice[[]kernel.Vec]{{{0, 1}, {1, 1}}, {{0.2, 0.4}}, {{3, 1}, {0, 0}, {1, 2}}})
	samples(t, spec.Histograms(), data.Slice[kernel.Vec]{{0.5, 0.5, 0}, {0.25, 0.25, 0.5}, {1, 0, 0}})
	samples(t, spec.Distributions(), data.Slice[prob.Mixture]{normal(0, 1), normal(1, 2), normal(-3, 0.5)})
	samples(t, spec.Graphs(), data.Slice[graph.Graph]{
		{Nodes: 4, Edges: [][2]int32{{0, 1}, {1, 2}, {2, 3}}, NodeLabels: []int{0, 1, 0, 1}, EdgeLabels: []int{0, 1, 0}},
		{Nodes: 3, Edges: [][2]int32{{0, 1}, {1, 2}, {2, 0}}, NodeLabels: []int{0, 0, 1}, EdgeLabels: []int{0, 0, 0}},
	})
}

func normal(mean, variance float64) prob.Mixture {
	return prob.Mixture{Weights: []float64{1},
		Parts: []prob.Normal{{Mean: []float64{mean}, Cov: mat.NewSymDense(1, []float64{variance})}}}
}

func tree(t *testing.T, s string) *bracket.Tree {
	x, err := bracket.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func samples[T any](t *testing.T, c spec.Catalogue, points data.Points[T]) {
	t.Helper()
	for _, e := range c {
		if len(e.Samples) == 0 || !strings.Contains(strings.Join(e.Samples, " "), e.Name+"(") {
			t.Errorf("%q (%s) has no sample", e.Name, e.Formula)
		}
		for _, text := range e.Samples {
			k, err := spec.ParseWith(c, text)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			again, err := spec.FormatWith(c, k)
			if err != nil || again != text {
				t.Errorf("%s is printed as %q (%v)", text, again, err)
			}
			if theta := kernel.Values(k); len(theta) > 0 {
				for i := range theta {
					theta[i] *= 1 // as a search sets them
				}
				same, err := kernel.With(k, theta)
				if err != nil {
					t.Errorf("%s: %v", text, err)
					continue
				}
				whole, err := spec.FormatWith(c, same)
				if err != nil {
					t.Errorf("%s with its own parameters has no text: %v", text, err)
					continue
				}
				if k, err = spec.ParseWith(c, whole); err != nil {
					t.Errorf("%s: %v", whole, err)
					continue
				}
			}
			first, _ := spec.ParseWith(c, text)
			seen := 0
			for i := range points.Len() {
				for j := range points.Len() {
					x, y := points.At(i), points.At(j)
					if kernel.Check(first, data.Erase[T](data.Slice[T]{x, y})) != nil {
						continue // letters of another alphabet
					}
					seen++
					if a, b := first.Eval(x, y), k.Eval(x, y); a != b && a == a {
						t.Errorf("%s: (%d, %d) is %g, and %g after a walk through its parameters and its text", text, i, j, a, b)
					}
				}
			}
			if seen < 2 {
				t.Errorf("%s was tried on %d pairs", text, seen)
			}
		}
	}
}

// What is wrong is said with its place and what to write.
func TestObjectTextFaults(t *testing.T) {
	for text, want := range map[string]string{
		"mismatch(k=3, m=1)":           "mismatch needs \"alphabet\"",
		"mismatch(k=3, alphabet=dnaa)": "did you mean \"dna\"",
		"words(fold=yes)":              "known: false, true",
		"spectrum(k=2.5)":              "want a whole number",
		"spectrum(k=-1)":               "at least 1",
		"spectrum(n=3)":                "no parameter \"n\"",
		"spectrm()":                    "did you mean \"spectrum\"",
		"over(spectrum())":             "over needs \"alphabet\"",
		"log(spectrum())":              "does not know its logarithms",
		"local(scores=blosum45)":       "blosum62",
		"spectrum() on title":          "columns have no names here",
		`tfidf(texts=2, documents=["a"], counts=[1, 2])`: "differ in length",
		`tfidf(texts=2, documents=[1], counts=[1])`:      "not a list of texts",
	} {
		_, err := spec.ParseWith(spec.Strings(), text)
		if err == nil || !strings.Contains(err.Error()+hint(err), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func hint(err error) string {
	if e, ok := err.(*spec.Error); ok {
		return e.Hint
	}
	return ""
}
