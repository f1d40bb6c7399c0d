package newcomer_test

import (
	"context"
	"fmt"
	"log"
	"math"

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
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// The algebra: kernels from kernels: docs/kernels/algebra.md.
func Example_kernelAlgebra() {
	trend, season := kernel.Kernel[kernel.Vec](kernel.Gaussian{Lengthscale: 30}),
		kernel.Kernel[kernel.Vec](kernel.Periodic{Period: 12, Lengthscale: 1})
	slowly := kernel.Kernel[kernel.Vec](kernel.Gaussian{Lengthscale: 60})
	// months
	k := kernel.Sum(trend, kernel.Product(season, slowly), kernel.Scale[kernel.Vec](0.1, kernel.Laplace{Lengthscale: 1}))
	fmt.Println(kernel.PropertiesOf(k).PSD, kernel.PropertiesOf(k).Universal)
	// Output: yes yes
}

// Distributions: docs/kernels/distributions.md.
func Example_kernelDistributions() {
	ctx := context.Background()
	samples := data.Slice[[]kernel.Vec]{{{-1}, {1}}, {{-2}, {2}}, {{-3}, {3}}, {{-4}, {4}}} // one mean, other spreads
	k := prob.GaussianMMD(kernel.Kernel[kernel.Vec](kernel.Gaussian{Lengthscale: 2}), 1)
	m, err := ridge.Regression[[]kernel.Vec]{Kernel: k, Lambda: 1e-6}.Fit(ctx, samples, []float64{1, 2, 3, 4})
	if err != nil {
		log.Fatal(err)
	}
	spread, err := m.Predict(ctx, data.Slice[[]kernel.Vec]{{{-2.5}, {2.5}}})
	fmt.Printf("%.1f %v\n", spread[0], err)
	// Output: 2.5 <nil>
}

// Kernels of the inner product: docs/kernels/dot-product.md.
func Example_kernelDotProduct() {
	x, y := kernel.Vec{1, 2}, kernel.Vec{3, -1}
	k := kernel.Polynomial{Degree: 2}
	phi := func(v kernel.Vec) kernel.Vec { return kernel.Vec{v[0] * v[0], math.Sqrt2 * v[0] * v[1], v[1] * v[1]} }
	fmt.Printf("%.0f %.0f\n", k.Eval(x, y), kernel.Features(phi).Eval(x, y)) // ⟨x, y⟩² without the features, and with them
	// Output: 1 1
}

// Feature maps: docs/kernels/feature-maps.md.
func Example_kernelFeatureMaps() {
	ctx := context.Background()
	xor := data.Slice[kernel.Vec]{{0, 0}, {1, 1}, {0, 1}, {1, 0}}
	k := kernel.Features(func(x kernel.Vec) kernel.Vec { return kernel.Vec{x[0], x[1], x[0] * x[1]} })
	// one product makes it linear
	m, err := svm.Classification[kernel.Vec, int]{Kernel: k, C: 100}.Fit(ctx, xor, []int{0, 0, 1, 1})
	if err != nil {
		log.Fatal(err)
	}
	class, err := m.Predict(ctx, xor)
	fmt.Println(class, err)
	// Output: [0 0 1 1] <nil>
}

// Kernels of generative models: docs/kernels/generative.md.
func Example_kernelGenerative() {
	rolls := data.Slice[[]int]{{0, 1, 0, 1, 0, 1}, {0, 0, 0, 1, 1, 1}, {1, 0, 1, 0, 1, 0}, {1, 1, 1, 0, 0, 0}}
	chain, err := prob.NewMarkovChain(rolls, 1, 2, 1) // order 1, two symbols, one added to every count
	if err != nil {
		log.Fatal(err)
	}
	k, err := prob.FisherExact[[]int](chain)
	// both alternate; one does, one does not
	fmt.Println(k.Eval(rolls[0], rolls[2]) > 0, k.Eval(rolls[0], rolls[1]) > 0, err)
	// Output: true false <nil>
}

// Graphs, and nodes of a graph: docs/kernels/graphs.md.
func Example_kernelGraphs() {
	l, err := graph.NewLaplacian(graph.Graph{Nodes: 5, Edges: [][2]int32{{0, 1}, {1, 2}, {2, 3}, {3, 4}}})
	if err != nil {
		log.Fatal(err)
	}
	k := graph.Nodes{Laplacian: l, Transform: graph.Diffusion{Sigma: 1}}
	fmt.Printf("%.2f %.2f %.2f\n", k.Eval(0, 0), k.Eval(0, 1), k.Eval(0, 4)) // heat from one end of a path of five
	// Output: 0.67 0.26 0.00
}

// Histograms and categories: docs/kernels/histograms.md.
func Example_kernelHistograms() {
	forest, meadow, field := kernel.Vec{8, 1, 0}, kernel.Vec{1, 7, 2}, kernel.Vec{0, 6, 4} // plants counted
	k := kernel.Normalize[kernel.Vec](kernel.Intersection{})
	fmt.Printf("%.2f %.2f\n", k.Eval(meadow, field), k.Eval(meadow, forest))
	// Output: 0.80 0.21
}

// Periodic and band-limited kernels: docs/kernels/periodic.md.
func Example_kernelPeriodic() {
	ctx := context.Background()
	hours, load := data.Line([]float64{0, 6, 12, 18, 30, 36}), []float64{1, 3, 7, 5, 3, 7}
	k := kernel.Periodic{Period: 24, Lengthscale: 1}
	m, err := ridge.Regression[kernel.Vec]{Kernel: k, Lambda: 1e-6}.Fit(ctx, hours, load)
	if err != nil {
		log.Fatal(err)
	}
	at, err := m.Predict(ctx, data.Line([]float64{24, 42})) // no row says so: the day does
	fmt.Printf("%.0f %v\n", at, err)
	// Output: [1 5] <nil>
}

// Radial kernels: docs/kernels/radial.md.
func Example_kernelRadial() {
	near, far := kernel.Vec{0, 0}, kernel.Vec{3, 4}
	for _, k := range []kernel.Kernel[kernel.Vec]{kernel.Gaussian{Lengthscale: 5}, kernel.Matern{Nu: 1.5, Lengthscale: 5},
		kernel.Laplace{Lengthscale: 5}} {
		fmt.Printf("%.3f ", k.Eval(near, far))
	}
	// Output: 0.607 0.483 0.368
}

// Rankings: docs/kernels/rankings.md.
func Example_kernelRankings() {
	vote, _ := discrete.Permutation([]int{0, 1, 2, 3}) // the best first
	swap, _ := discrete.Permutation([]int{1, 0, 2, 3})
	back, _ := discrete.Permutation([]int{3, 2, 1, 0})
	// one pair of six apart; all six
	fmt.Printf("%.2f %.2f\n", discrete.Kendall{}.Eval(vote, swap), discrete.Mallows{Rate: 0.5}.Eval(vote, back))
	// Output: 0.67 0.05
}

// Time series: docs/kernels/series.md.
func Example_kernelSeries() {
	slow, fast := seq.Univariate([]float64{0, 0, 1, 2, 2, 3}), seq.Univariate([]float64{0, 1, 2, 3})
	down := seq.Univariate([]float64{3, 2, 1, 0})
	k := seq.NormalizeLog[seq.Series](seq.GlobalAlignment{Width: 1})
	fmt.Printf("%.2f %.2f\n", k.Eval(fast, slow), k.Eval(fast, down))
	// Output: 0.54 0.00
}

// Sets, fuzzy sets and bags: docs/kernels/sets.md.
func Example_kernelSets() {
	k := discrete.OrnsteinUhlenbeck[string]{Rate: 0.5}
	same, other := []string{"bread", "milk"}, []string{"bread", "jam"}
	// order does not count; two elements differ
	fmt.Printf("%.2f %.2f\n", k.Eval(same, []string{"milk", "bread"}), k.Eval(same, other))
	// Output: 1.00 0.37
}

// Spline kernels: docs/kernels/splines.md.
func Example_kernelSplines() {
	ctx := context.Background()
	f, err := rkhs.New[kernel.Vec](kernel.Sobolev{Order: 1}, data.Line([]float64{0.5}), mat.NewDense(1, 1, []float64{2}),
		nil)
	if err != nil {
		log.Fatal(err)
	}
	// 2·(1 + min(½, x)): f(0) = 2, slope 2 up to ½, then none
	at, err := f.Evaluate(ctx, data.Line([]float64{0, 0.5, 1}))
	fmt.Printf("%v %.1f %v\n", at.RawMatrix().Data, f.Norm()*f.Norm(), err) // f(0)² + ∫f′² = 4 + 2
	// Output: [2 3 3] 6.0 <nil>
}

// Strings and text: docs/kernels/strings.md.
func Example_kernelStrings() {
	k := kernel.Normalize[string](seq.Subsequences{Length: 2, Decay: 0.5})
	fmt.Printf("%.2f %.2f\n", k.Eval("kernel", "kernels"), k.Eval("kernel", "colonel"))
	// Output: 0.91 0.30
}

// Trees: docs/kernels/trees.md.
func Example_kernelTrees() {
	states, err := bracket.Parse("(S (NP (D the)(N cat))(VP (V sleeps)))")
	if err != nil {
		log.Fatal(err)
	}
	other, _ := bracket.Parse("(S (NP (D the)(N dog))(VP (V barks)))")
	asks, _ := bracket.Parse("(SQ (V does)(NP (D the)(N cat))(VP (V sleep)))")
	k := kernel.Normalize[*bracket.Tree](tree.SubsetTree{})
	fmt.Printf("%.2f %.2f\n", k.Eval(states, other), k.Eval(states, asks)) // form counts, not words alone
	// Output: 0.61 0.49
}
