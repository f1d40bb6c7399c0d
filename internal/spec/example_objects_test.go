package spec_test

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/discrete"
	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/kernel/seq"
)

func ExampleStrings() {
	k, err := spec.ParseWith(spec.Strings(), "spectrum(k=2)")
	fmt.Println(k.Eval("banana", "ananas"), err)
	// Output: 8 <nil>
}

func ExampleSeries() {
	k, err := spec.ParseWith(spec.Series(), "normalize(gak(width=2))")
	fmt.Println(k.Eval(seq.Univariate([]float64{1, 2, 3}), seq.Univariate([]float64{1, 2, 3})), err)
	// Output: 1 <nil>
}

func ExampleTrees() {
	k, err := spec.ParseWith(spec.Trees(), "subsettree(decay=0.5)")
	x, _ := bracket.Parse("(S (A a))")
	fmt.Println(k.Eval(x, x), err) // A→a: ½; S→A, on its own and with A→a: ½·(1 + ½)
	// Output: 1.25 <nil>
}

func ExampleSets() {
	k, err := spec.ParseWith(spec.Sets(), "jaccard()")
	fmt.Println(k.Eval([]string{"a", "b"}, []string{"b", "c", "d"}), err)
	// Output: 0.25 <nil>
}

func ExampleFuzzySets() {
	k, err := spec.ParseWith(spec.FuzzySets(), "fuzzyintersection(norm=product)")
	fmt.Println(k.Eval([]discrete.Member[string]{{Element: "warm", Degree: 0.5}},
		[]discrete.Member[string]{{Element: "warm", Degree: 0.5}, {Element: "hot", Degree: 1}}), err)
	// Output: 0.25 <nil>
}

func ExampleRankings() {
	k, err := spec.ParseWith(spec.Rankings(), "kendall()")
	fmt.Println(k.Eval(discrete.Ranking{0, 1, 2}, discrete.Ranking{2, 1, 0}), err)
	// Output: -1 <nil>
}

func ExampleBags() {
	k, err := spec.ParseWith(spec.Bags(), "multiinstance(kernel=linear(), power=2)")
	fmt.Println(k.Eval([]kernel.Vec{{1}, {2}}, []kernel.Vec{{3}}), err)
	// Output: 45 <nil>
}

func ExampleGraphs() {
	k, err := spec.ParseWith(spec.Graphs(), "wl(h=1)")
	edge := graph.Graph{Nodes: 2, Edges: [][2]int32{{0, 1}}}
	fmt.Println(k.Eval(edge, edge), err)
	// Output: 8 <nil>
}

func ExampleObjectKernels() {
	for _, k := range spec.ObjectKernels() {
		if k.On == data.Ranking {
			fmt.Println(k.Name)
		}
	}
	// Output:
	// kendall
	// spearman
	// mallows
	// mallowsmean
}

// offers is a table of a price and a title.
var offers = mixed.Schema{Dim: 1, Columns: []mixed.Column{{Name: "price", Width: 1, Object: -1},
	{Name: "title", Kind: data.Text, Object: 0}}}

func ExampleFormatRows() {
	k, _ := spec.ParseRows(offers, "linear()+spectrum(k=2)")
	text, err := spec.FormatRows(offers, k)
	fmt.Println(text, err)
	// Output: linear() + spectrum(k=2) on title <nil>
}

func ExampleParseFeatures() {
	k, err := spec.ParseFeatures(offers, "linear() on price")
	fmt.Println(k.Eval(kernel.Vec{2}, kernel.Vec{3}), err)
	// Output: 6 <nil>
}

func ExampleOfTable() {
	for _, text := range []string{"gaussian() + linear()", "gaussian() on price", "ssk()"} {
		e, _ := spec.Parse(text)
		fmt.Println(text, spec.OfTable(e))
	}
	// Output:
	// gaussian() + linear() false
	// gaussian() on price true
	// ssk() true
}

func ExampleTextPolicies() {
	e, _ := spec.Parse("ssk() on title + cosine() on review")
	fmt.Println(spec.TextPolicies(e, []string{"title", "review"}))
	// Output: map[review:tfidf title:keep]
}

func ExampleColumnKinds() {
	e, _ := spec.Parse("jaccard() on tags + gaussian() on price")
	fmt.Println(spec.ColumnKinds(e))
	// Output: map[tags:set]
}

func ExampleHistograms() {
	k, err := spec.ParseWith(spec.Histograms(), "hilbertian(of=totalvariation)")
	fmt.Println(k.Eval(kernel.Vec{0.5, 0.5}, kernel.Vec{0.25, 0.75}), err)
	// Output: 0.75 <nil>
}

func ExampleDistributions() {
	k, err := spec.ParseWith(spec.Distributions(), "normalize(mixtureproduct(rho=0.5))")
	fmt.Println(k.Eval(normal(1, 2), normal(1, 2)), err)
	// Output: 1 <nil>
}
