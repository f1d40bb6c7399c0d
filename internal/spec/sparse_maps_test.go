package spec_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/discrete"
	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/kernel/seq"
)

// byFeatures is the leaves of the language, for one sample at least, that hand out sparse features.
// All others have none that are finite and few (a substring kernel with gaps of any length has as
// many as subsequences, a subset tree as many as fragments), or have dense ones of vectors. The
// overlap of sets divided by the size of their union is a sum over all subsets of a universe that
// nobody knows (jaccard, and setou, which is an exponential of distances), and the intersection of
// histograms one over real thresholds: exact features would be as many as the rows make, and none
// of a new row's. They have them by sampling alone.
var byFeatures = map[string][]string{
	"vectors": {"linear", "poly", "cosine", "overlap", "ard", "forest", "mondrian", "isolation", "fisher",
		"latent"},
	"strings": {"chars", "words", "ngrams", "tfidf", "hashed", "spectrum", "blended", "substrings", "mismatch", "wildcard",
		"gappy", "gappypairs", "substitution", "weighteddegree", "over", "fisher", "latent", "marginalized"},
	"series": {"profile"}, "trees": {"subtree"}, "sets": {"sharedsubsets"}, "fuzzy sets": {"fuzzyintersection"},
	"rankings": {"kendall", "spearman"}, "bags": {"pyramid"}, "graphs": {"wl", "wloa", "wledge", "wlpath", "shortestpath", "graphlet"},
}

// Each kernel of the catalogue says whether it has sparse features, and those that have: inner
// products of the features are values of the kernel, and names can be read.
func TestSparseMapsOfTheCatalogue(t *testing.T) {
	points := map[string]data.Points[any]{
		"vectors": data.Erase[kernel.Vec](data.Slice[kernel.Vec]{{0, 1, 2}, {1, 1, 0}, {2, 0, 2}, {0, 0, 0}}),
		"strings": data.Erase[string](data.Slice[string]{"ACGTACA", "ACGGTAC", "TTACGT", "AABABBA", "BABBAB", "a b a", "", "A"}),
		"trees": data.Erase[*bracket.Tree](data.Slice[*bracket.Tree]{tree(t, "(S (NP (D a) (N b)) (V c))"),
			tree(t, "(S (NP (D a) (N d)) (V c))"), tree(t, "(S (V c))")}),
		"sets": data.Erase[[]string](data.Slice[[]string]{{"a", "b", "c"}, {"b", "c"}, {}, {"c", "d", "a", "b"}}),
		"fuzzy sets": data.Erase[[]discrete.Member[string]](data.Slice[[]discrete.Member[string]]{{
			{Element: "ab", Degree: 0.5}, {Element: "b", Degree: 1}}, {{Element: "ab", Degree: 0.2}}, {}}),
		"rankings": data.Erase[discrete.Ranking](data.Slice[discrete.Ranking]{{0, 1, 2, 3}, {2, 1, 0, 3}, {1, 0, 1, -1},
			{-1, 0, -1, 1}, {0, 0, 0, 0}}),
		"bags": data.Erase[[]kernel.Vec](data.Slice[[]kernel.Vec]{{{0, 1}, {1, 1}, {0.1, 1}}, {{0.2, 0.4}}, {},
			{{3, 1}, {0, 0}, {-1, 2}, {0.2, 1.2}}}),
		"graphs": data.Erase[graph.Graph](data.Slice[graph.Graph]{
			{Nodes: 4, Edges: [][2]int32{{0, 1}, {1, 2}, {2, 3}}, NodeLabels: []int{0, 1, 0, 1}, EdgeLabels: []int{0, 1, 0}},
			{Nodes: 5, Edges: [][2]int32{{0, 1}, {1, 2}, {2, 0}, {2, 3}}, NodeLabels: []int{0, 0, 1, 1, 0},
				EdgeLabels: []int{0, 0, 0, 1}, Weights: []float64{1, 0.1, 0.2, 3}}}),
		"series": data.Erase[seq.Series](data.Slice[seq.Series]{pairs(0.9, 0.1, 0.5, 0.5), pairs(0.2, 0.8, 0.6, 0.4, 1, 0)}),
	}
	for _, text := range []string{"on(linear(), columns=[2, 0])", "on(overlap(weights=[1, 3]), columns=[1, 2])",
		"ard(poly(degree=2, gamma=0.3, offset=1), lengthscales=[1, inf, 3])", "0.5*cosine() + linear()*overlap()"} {
		k, err := spec.ParseWith(spec.Vectors(), text)
		if err != nil {
			t.Fatal(err)
		}
		equalsFeatures(t, text, k, data.Gather(points["vectors"], []int{0, 1, 2}))
	}
	for language, c := range languages() {
		for _, e := range c {
			has := false
			for _, text := range e.Samples {
				k, err := spec.ParseWith(c, text)
				if err != nil {
					t.Fatal(err)
				}
				if kernel.HasSparseMap(k) {
					has = true
					equalsFeatures(t, language+": "+text, k, points[language])
				}
			}
			if want := slices.Contains(byFeatures[language], e.Name); has != want {
				t.Errorf("%s: %s hands out features: %v, want %v", language, e.Name, has, want)
			}
		}
	}
}

func pairs(p ...float64) seq.Series {
	s, err := seq.NewSeries(p, 2)
	if err != nil {
		panic(err)
	}
	return s
}

// equalsFeatures compares the rows of a kernel with its values at the points that it is defined on.
func equalsFeatures(t *testing.T, name string, k kernel.Kernel[any], all data.Points[any]) {
	t.Helper()
	var index []int
	for i := range all.Len() {
		if kernel.Check(k, data.Gather(all, []int{i})) == nil {
			index = append(index, i)
		}
	}
	x := data.Gather(all, index)
	if x.Len() < 2 {
		t.Errorf("%s was tried on %d points", name, x.Len())
		return
	}
	space, rows, err := kernel.MapSparse(context.Background(), 2, k, x, 0)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	for i := range x.Len() {
		for j := range x.Len() {
			a, b, got := rows.At(i), rows.At(j), 0.0
			for p, c := range a.Index {
				if q, ok := slices.BinarySearch(b.Index, c); ok {
					got += a.Value[p] * b.Value[q]
				}
			}
			if want := k.Eval(x.At(i), x.At(j)); math.Abs(got-want) > 1e-12*max(1, math.Abs(want)) {
				t.Errorf("%s: features of %d and %d have the product %g, the kernel %g", name, i, j, got, want)
			}
		}
	}
	for _, f := range space.Names {
		if strings.ContainsFunc(f, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%s: a feature is named %q, which cannot be read", name, f)
			return
		}
	}
}
