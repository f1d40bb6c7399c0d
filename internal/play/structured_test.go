package play

import (
	"math"
	"math/rand/v2"
	"strings"
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
		for _, k := range []string{"chars()", "spectrum(k=2)", "spectrum()", "blended(k=3, decay=0.7)",
			"blended(weights=[1, 0.5])", "substrings(decay=0.5)", "substrings(longest=2)", "words()", "words(fold=true)",
			"ngrams(from=1, to=2)",
			"ssk(k=3, decay=0.6)", "ssk()", "wildcard(k=3, holes=1, decay=0.5)", "normalize(spectrum(k=2))"} {
			check("strings", k, x, y)
		}
	}
	trees := []string{"(S (NP (D the) (N dog)) (VP (V barks)))", "(S (NP (D the) (N cat)) (VP (V sleeps)))",
		"(S (NP (D a) (N dog)) (VP (V barks) (NP (D the) (N dog))))", "(A (B b) (B b))", "(A B)"}
	for _, x := range trees {
		for _, y := range trees {
			for _, k := range []string{"subtree()", "subtree(decay=0.6, leaves=true)", "subsettree(decay=0.5)",
				"subsettree(leaves=true)"} {
				check("trees", k, x, y)
			}
		}
	}
	bags := PlanePoints{}
	for i := range 40 {
		bags.XY, bags.Class = append(bags.XY, 4*rng.NormFloat64(), 4*rng.NormFloat64()), append(bags.Class, i%2)
	}
	for _, k := range []string{"pyramid(side=0.5, levels=4)", "pyramid()", "pyramid(side=2, levels=2, origin=[0.3, -1])",
		"normalize(pyramid(side=1, levels=3))"} {
		got, fault := asking(t, &Player{}, "bags", map[string]any{"kernel": KernelText{Text: k}, "points": bags})
		if fault != nil {
			t.Errorf("%s: %s", k, fault.Message)
			continue
		}
		out := got["compared"].(*Compared)
		if value, sum := readingOf(t, out.Readings, "value"), readingOf(t, out.Readings,
			"sum"); math.Abs(value-sum) > 1e-12*(1+value) || len(out.Features) == 0 {
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
	for _, pair := range [][2]string{{"a > b > c > d", "b > a > d > c"}, {"a>b=c>d", "d>*"}, {"a,b,c", "c,b,a"},
		{"a>b", "c>d>a"}, {"1>2>3", "3>1>2"}} {
		check("rankings", "spearman()", pair[0], pair[1])
		if !strings.Contains(pair[1], "c>d>a") { // items of which nothing is known have no signs
			check("rankings", "kendall()", pair[0], pair[1])
			check("rankings", "normalize(kendall())", pair[0], pair[1])
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
	}{{"strings", "local(scores=blosum62)", "ARND", "ARN"}, {"trees", "partialtree()", "(A (B b))", "(A (B b))"},
		{"graphs", "graphlet()", DrawnGraph{Labels: []string{"C", "C", "C"}}, DrawnGraph{Labels: []string{"C", "C", "C"}}}} {
		got, fault := asking(t, &Player{}, c.scene, map[string]any{"kernel": KernelText{Text: c.kernel}, "x": c.x, "y": c.y})
		if fault != nil {
			t.Errorf("%s: %s", c.kernel, fault.Message)
		} else if got["compared"].(*Compared).Note == "" {
			t.Errorf("%s: nothing is said of its features", c.kernel)
		}
	}
}

// The path of an alignment goes from the first steps to the last without going back, its squares
// add up to the distance of dtw, and no other path has fewer.
func TestAlignment(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var walk func(x, y []float64, i, j int) float64
	walk = func(x, y []float64, i, j int) float64 { // every path
		d := (x[i] - y[j]) * (x[i] - y[j])
		if i == 0 && j == 0 {
			return d
		}
		best := math.Inf(1)
		for _, s := range [][2]int{{1, 1}, {1, 0}, {0, 1}} {
			if i >= s[0] && j >= s[1] {
				best = min(best, walk(x, y, i-s[0], j-s[1]))
			}
		}
		return d + best
	}
	for range 20 {
		x, y := make([]float64, 1+rng.IntN(6)), make([]float64, 1+rng.IntN(6))
		for i := range x {
			x[i] = float64(rng.IntN(5))
		}
		for i := range y {
			y[i] = float64(rng.IntN(5))
		}
		path, cost := alignment(x, y)
		sum := 0.0
		for k, p := range path { // from the end
			sum += (x[p[0]] - y[p[1]]) * (x[p[0]] - y[p[1]])
			if k > 0 && (path[k-1][0]-p[0] > 1 || path[k-1][1]-p[1] > 1 || path[k-1] == p || p[0] > path[k-1][0] ||
				p[1] > path[k-1][1]) {
				t.Fatalf("path %v", path)
			}
		}
		if want := walk(x, y, len(x)-1, len(y)-1); sum != want || cost != want || path[0] != [2]int{len(x) - 1, len(y) - 1} ||
			path[len(path)-1] != [2]int{} {
			t.Fatalf("%v and %v: path %v costs %g, said to cost %g; the cheapest costs %g", x, y, path, sum, cost, want)
		}
	}
	if path, _ := alignment([]float64{1e200, -1e200, 0}, []float64{0, 1e200}); len(path) > 5 {
		t.Errorf("too far apart to count: %v", path)
	}
}

// What cannot be read is said of the object that it is.
func TestSeriesAndRankingsThatCannotBeRead(t *testing.T) {
	for _, c := range []struct{ scene, kernel, x, y, field string }{
		{"series", "gak()", "1, 2", "1, two", "y"}, {"series", "gak()", " ", "1", "x"},
		{"series", "gak()", "1, NaN", "1", "x"},
		{"rankings", "kendall()", "", "a>b", "x"}, {"rankings", "kendall()", "a>b", "a>b>a", "y"},
		{"rankings", "gaussian()", "a>b", "a>b", "kernel"},
	} {
		_, fault := asking(t, &Player{}, c.scene, map[string]any{"kernel": KernelText{Text: c.kernel}, "x": c.x, "y": c.y})
		if fault == nil || fault.Field != c.field {
			t.Errorf("%s of %q and %q: %+v", c.scene, c.x, c.y, fault)
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
