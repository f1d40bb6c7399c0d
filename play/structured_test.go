package play

import (
	"math"
	"math/rand/v2"
	"testing"
)

// What is listed as shared adds up to the kernel's value.
func TestSharedFeaturesAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	word := func(letters string, n int) string {
		out := []rune{}
		for range n {
			out = append(out, []rune(letters)[rng.IntN(len([]rune(letters)))])
		}
		return string(out)
	}
	listed := 0
	check := func(scene, kernel string, x, y any) {
		t.Helper()
		got, fault := asking(t, &Player{}, scene, map[string]any{"kernel": KernelText{Text: kernel}, "x": x, "y": y})
		if fault != nil {
			t.Errorf("%s: %s", kernel, fault.Message)
			return
		}
		out := got["compared"].(*Compared)
		if out.Note != "" {
			t.Errorf("%s has features, but %q", kernel, out.Note)
			return
		}
		value, sum := readingOf(t, out.Readings, "value"), readingOf(t, out.Readings, "sum")
		if math.Abs(value-sum) > 1e-10*(1+math.Abs(value)) {
			t.Errorf("%s of %v and %v is %g, its features add up to %g", kernel, x, y, value, sum)
		}
		listed += len(out.Features)
	}
	for range 5 {
		x, y := word("abcä ", 12), word("abcä ", 9)
		for _, k := range []string{"chars()", "spectrum(k=2)", "spectrum()", "blended(k=3, decay=0.7)", "blended(weights=[1, 0.5])", "substrings(decay=0.5)", "substrings(longest=2)", "words()", "words(fold=true)", "ngrams(from=1, to=2)",
			"ssk(k=3, decay=0.6)", "ssk()", "wildcard(k=3, holes=1, decay=0.5)", "normalize(spectrum(k=2))"} {
			check("strings", k, x, y)
		}
	}
	trees := []string{"(S (NP (D the) (N dog)) (VP (V barks)))", "(S (NP (D the) (N cat)) (VP (V sleeps)))", "(S (NP (D a) (N dog)) (VP (V barks) (NP (D the) (N dog))))", "(A (B b) (B b))", "(A B)"}
	for _, x := range trees {
		for _, y := range trees {
			for _, k := range []string{"subtree()", "subtree(decay=0.6, leaves=true)", "subsettree(decay=0.5)", "subsettree(leaves=true)"} {
				check("trees", k, x, y)
			}
		}
	}
	bags := PlanePoints{}
	for i := range 40 {
		bags.XY, bags.Class = append(bags.XY, 4*rng.NormFloat64(), 4*rng.NormFloat64()), append(bags.Class, i%2)
	}
	for _, k := range []string{"pyramid(side=0.5, levels=4)", "pyramid()", "pyramid(side=2, levels=2, origin=[0.3, -1])", "normalize(pyramid(side=1, levels=3))"} {
		got, fault := asking(t, &Player{}, "bags", map[string]any{"kernel": KernelText{Text: k}, "points": bags})
		if fault != nil {
			t.Errorf("%s: %s", k, fault.Message)
			continue
		}
		out := got["compared"].(*Compared)
		if value, sum := readingOf(t, out.Readings, "value"), readingOf(t, out.Readings, "sum"); math.Abs(value-sum) > 1e-12*(1+value) || len(out.Features) == 0 {
			t.Errorf("%s is %g, its cells add up to %g", k, value, sum)
		}
	}
	graph := func(n int) DrawnGraph {
		g := DrawnGraph{}
		for i := range n {
			g.Labels = append(g.Labels, word("CNO", 1))
			for j := range i {
				if rng.IntN(3) == 0 {
					g.Edges = append(g.Edges, [2]int32{int32(j), int32(i)})
				}
			}
		}
		return g
	}
	for range 5 {
		x, y := graph(6), graph(8)
		for _, k := range []string{"wl(h=0)", "wl(h=3)", "shortestpath()", "normalize(wl(h=2))"} {
			check("graphs", k, x, y)
		}
	}
	if listed < 500 {
		t.Errorf("%d features listed in all", listed)
	}
}

func TestKernelsWithoutListedFeaturesHaveValues(t *testing.T) {
	for _, c := range []struct {
		scene, kernel string
		x, y          any
	}{{"strings", "local(scores=blosum62)", "ARND", "ARN"}, {"trees", "partialtree()", "(A (B b))", "(A (B b))"}, {"graphs", "graphlet()", DrawnGraph{Labels: []string{"C", "C", "C"}}, DrawnGraph{Labels: []string{"C", "C", "C"}}}} {
		got, fault := asking(t, &Player{}, c.scene, map[string]any{"kernel": KernelText{Text: c.kernel}, "x": c.x, "y": c.y})
		if fault != nil {
			t.Errorf("%s: %s", c.kernel, fault.Message)
		} else if got["compared"].(*Compared).Note == "" {
			t.Errorf("%s: nothing is said of its features", c.kernel)
		}
	}
}

func TestObjectsTooLargeToList(t *testing.T) {
	if _, err := subsequencesOf(6, 0.5)(string(make([]rune, 100))); err == nil {
		t.Error("a billion subsequences were listed")
	}
	deep := "(A x)"
	for range 4 {
		deep = "(A " + deep + " " + deep + " " + deep + ")"
	}
	tree, err := readTree("x", deep)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fragments(tree); err == nil {
		t.Error("endless fragments were listed")
	}
}
