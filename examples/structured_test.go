package newcomer_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/discrete"
	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/kernel/prob"
	"github.com/mercer-ml/mercer/kernel/seq"
	"github.com/mercer-ml/mercer/kernel/tree"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
)

// Strings: which gene is it?
func Example_strings() {
	genes := data.Slice[string]{"ACGTACGT", "ACGTTCGT", "GGCCGGCC", "GGCCGCGC"}
	k := kernel.Normalize[string](seq.Spectrum{K: 2})
	m, err := svm.Classification[string, string]{Kernel: k, C: 10}.Fit(context.Background(), genes,
		[]string{"a", "a", "b", "b"})
	if err != nil {
		log.Fatal(err)
	}
	class, err := m.Predict(context.Background(), data.Slice[string]{"TACGTA", "CCGGCC"})
	fmt.Println(class, err)
	// Output: [a b] <nil>
}

// Series of different lengths: rising or falling?
func Example_series() {
	rising, falling := []float64{0, 1, 2, 3}, []float64{3, 2, 1}
	x := data.Slice[seq.Series]{seq.Univariate(rising), seq.Univariate(rising[1:]), seq.Univariate(falling),
		seq.Univariate(falling[:2])}
	k := seq.NormalizeLog[seq.Series](seq.GlobalAlignment{Width: 2})
	m, err := svm.Classification[seq.Series, string]{Kernel: k, C: 100}.Fit(context.Background(), x,
		[]string{"up", "up", "down", "down"})
	if err != nil {
		log.Fatal(err)
	}
	class, err := m.Predict(context.Background(), data.Slice[seq.Series]{seq.Univariate([]float64{0, 0, 2, 3, 3}),
		seq.Univariate([]float64{3, 1})})
	fmt.Println(class, err)
	// Output: [up down] <nil>
}

// Trees: how alike are two sentences?
func Example_trees() {
	x, err := bracket.Parse("(S (NP (D the)(N cat))(VP (V sleeps)))")
	if err != nil {
		log.Fatal(err)
	}
	y, _ := bracket.Parse("(S (NP (D the)(N dog))(VP (V sleeps)))")
	k := kernel.Normalize[*bracket.Tree](tree.SubsetTree{Decay: 0.5})
	fmt.Printf("%.2f\n", k.Eval(x, y))
	// Output: 0.77
}

// Rankings: does a voter agree with another?
func Example_rankings() {
	one, _ := discrete.Permutation([]int{0, 1, 2, 3}) // the best first
	two, _ := discrete.Permutation([]int{1, 0, 2, 3})
	top, _ := discrete.TopK([]int{3}, 4) // only the best is known
	fmt.Printf("%.2f %.2f\n", discrete.Kendall{}.Eval(one, two), discrete.Kendall{}.Eval(one, top))
	// Output: 0.67 -0.50
}

// Sets: what is bought together?
func Example_sets() {
	k := discrete.Jaccard[string]{}
	fmt.Println(k.Eval([]string{"bread", "milk"}, []string{"milk", "eggs", "bread"}))
	// Output: 0.6666666666666666
}

// Bags: an example is a bag of instances, and one of them decides.
func Example_bags() {
	bags := data.Slice[[]kernel.Vec]{{{0}, {5}}, {{5.2}}, {{0.1}, {1}}, {{0.5}}}
	k := kernel.Normalize[[]kernel.Vec](discrete.MultiInstance[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}})
	m, err := svm.Classification[[]kernel.Vec, string]{Kernel: k, C: 10}.Fit(context.Background(), bags,
		[]string{"yes", "yes", "no", "no"})
	if err != nil {
		log.Fatal(err)
	}
	class, err := m.Predict(context.Background(), data.Slice[[]kernel.Vec]{{{0.2}, {4.8}}, {{0.3}, {0.9}}})
	fmt.Println(class, err)
	// Output: [yes no] <nil>
}

// Distributions: regression on samples, by their mean embeddings.
func Example_distributions() {
	samples := data.Slice[[]kernel.Vec]{{{0}, {0.1}, {-0.1}}, {{1}, {1.2}}, {{2}, {1.9}, {2.1}}, {{3}}}
	k := prob.GaussianMMD(kernel.Kernel[kernel.Vec](kernel.Gaussian{Lengthscale: 2}), 1)
	m, err := ridge.Regression[[]kernel.Vec]{Kernel: k, Lambda: 1e-6}.Fit(context.Background(), samples,
		[]float64{0, 1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	y, err := m.Predict(context.Background(), data.Slice[[]kernel.Vec]{{{1.4}, {1.6}}})
	fmt.Printf("%.1f %v\n", y[0], err)
	// Output: 1.4 <nil>
}

// Graphs: rings and paths.
func Example_graphs() {
	ring := graph.Graph{Nodes: 4, Edges: [][2]int32{{0, 1}, {1, 2}, {2, 3}, {3, 0}}}
	path := graph.Graph{Nodes: 4, Edges: [][2]int32{{0, 1}, {1, 2}, {2, 3}}}
	k := kernel.Normalize[graph.Graph](graph.WL{Iterations: 2})
	fmt.Printf("%.2f %.2f\n", k.Eval(ring, ring), k.Eval(ring, path))
	// Output: 1.00 0.61
}
