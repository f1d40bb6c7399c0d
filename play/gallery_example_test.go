package play_test

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/cluster"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/kernel/seq"
	"github.com/mercer-ml/mercer/kernel/tree"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/online"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/sparse"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/play"
	"github.com/mercer-ml/mercer/project"
	"github.com/mercer-ml/mercer/rkhs"
	"github.com/mercer-ml/mercer/smooth"
	"github.com/mercer-ml/mercer/stat"
	"github.com/mercer-ml/mercer/tune"
	"gonum.org/v1/gonum/mat"
)

// The functions of this file are what the gallery shows in Go. Each is run as a test, with what it prints.

var ctx = context.Background()

// points is the first columns of a set as rows, and the last as numbers or classes.
func points(d *data.Dataset, columns int) (data.Points[kernel.Vec], []float64) {
	m, y := mat.NewDense(d.Len(), columns, nil), make([]float64, d.Len())
	for i := range y {
		for j := range columns {
			m.Set(i, j, d.Columns[j].Numbers[i])
		}
		if last := d.Columns[columns]; last.Kind == data.Numeric {
			y[i] = last.Numbers[i]
		} else {
			y[i] = float64(last.Codes[i])
		}
	}
	return data.Rows(m), y
}

// classes is numbers as classes.
func classes(y []float64) []int {
	out := make([]int, len(y))
	for i, v := range y {
		out[i] = int(v)
	}
	return out
}

func Example_ridge() {
	x, y := points(data.Sinc(60, 0.1, 1), 1)
	m, err := ridge.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Lambda: 0.1, Intercept: true}.Fit(ctx, x, y)
	if err != nil {
		panic(err)
	}
	at, _ := m.Predict(ctx, data.Slice[kernel.Vec]{{0}})
	fmt.Printf("f(0) = %.3f, ‖f‖ = %.3f\n", at[0], m.Func().Norm())
	// Output: f(0) = 0.940, ‖f‖ = 1.767
}

func Example_path() {
	x, y := points(data.Sinc(60, 0.1, 1), 1)
	path, err := ridge.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Intercept: true}.Path(ctx, x, y)
	if err != nil {
		panic(err)
	}
	lambda, loo, _ := path.Best(learn.LogSpace(1e-8, 1e3, 25)) // every λ from one eigendecomposition
	fmt.Printf("λ = %.3g has the least error of points left out: %.3f\n", lambda, math.Sqrt(loo))
	// Output: λ = 0.0261 has the least error of points left out: 0.110
}

func Example_svm() {
	x, y := points(data.Moons(160, 0.1, 1), 2)
	m, err := svm.Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 0.5}, C: 10}.Fit(ctx, x, classes(y))
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d support vectors of %d, ‖f‖ = %.3f\n", len(m.Support()), x.Len(), m.Func().Norm())
	// Output: 13 support vectors of 160, ‖f‖ = 6.605
}

func Example_xor() {
	x := data.Slice[kernel.Vec]{{-1, -1}, {1, 1}, {-1, 1}, {1, -1}}
	// (1 + ⟨x, y⟩)² has the feature x₁x₂, which tells the classes apart.
	m, err := svm.Classification[kernel.Vec, int]{Kernel: kernel.Polynomial{Degree: 2, Gamma: 1, Offset: 1}, C: 100}.Fit(ctx, x, []int{0, 0, 1, 1})
	if err != nil {
		panic(err)
	}
	labels, _ := m.Predict(ctx, x)
	fmt.Println(labels)
	// Output: [0 0 1 1]
}

func Example_logistic() {
	x, y := points(data.Moons(160, 0.1, 1), 2)
	m, err := logistic.Regression[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 0.5}, Lambda: 0.1, Intercept: true}.Fit(ctx, x, classes(y))
	if err != nil {
		panic(err)
	}
	p, _ := m.Proba(ctx, data.Slice[kernel.Vec]{{0.5, 0.25}})
	fmt.Printf("between the moons: %.2f and %.2f\n", p.At(0, 0), p.At(0, 1))
	// Output: between the moons: 0.57 and 0.43
}

func Example_perceptron() {
	x, y := points(data.Circles(160, 0.05, 1), 2)
	p := online.Perceptron[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 0.5}, PerceptronOptions: online.PerceptronOptions{Intercept: true}}
	m, err := p.Fit(ctx, x, classes(y))
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d mistakes, then none\n", m.Mistakes()[0])
	// Output: 19 mistakes, then none
}

func Example_machines() {
	x, y := points(data.Spirals(200, 0.02, 1), 2)
	k := kernel.Gaussian{Lengthscale: 0.2}
	s, err := svm.Classification[kernel.Vec, int]{Kernel: k, C: 10}.Fit(ctx, x, classes(y))
	if err != nil {
		panic(err)
	}
	r, err := sparse.RVMClassification[kernel.Vec, int]{Kernel: k}.Fit(ctx, x, classes(y))
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d support vectors, %d relevance vectors\n", len(s.Support()), len(r.Support()))
	// Output: 46 support vectors, 15 relevance vectors
}

func Example_process() {
	x, y := points(data.Sinc(60, 0.1, 1), 1)
	m, err := gp.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Noise: 0.01}.Fit(ctx, x, y)
	if err != nil {
		panic(err)
	}
	fmt.Printf("length-scale %.2f, noise %.3f\n", kernel.Values(m.Kernel())[0], math.Sqrt(m.Noise()))
	functions, _ := m.Sample(ctx, x, 3, 1) // three functions of the posterior
	fmt.Println(functions.Dims())
	// Output:
	// length-scale 1.02, noise 0.097
	// 3 60
}

func Example_section() {
	k := kernel.Sinc{}
	for _, x := range []float64{0, 0.5, 1} {
		fmt.Printf("k(0, %.1f) = %.3f\n", x, k.Eval(kernel.Vec{0}, kernel.Vec{x}))
	}
	// Output:
	// k(0, 0.0) = 1.000
	// k(0, 0.5) = 0.959
	// k(0, 1.0) = 0.841
}

func Example_mercer() {
	x := data.Slice[kernel.Vec]{}
	for i := range 128 {
		x = append(x, kernel.Vec{-4 + 8*(float64(i)+0.5)/128})
	}
	m, err := rkhs.NewMercer(ctx, kernel.Gaussian{Lengthscale: 1}, x, 4)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.4f\n", m.Eigenvalues())
	// Output: [0.2955 0.2479 0.1853 0.1237]
}

func Example_features() {
	k := kernel.Gaussian{Lengthscale: 1}
	m, err := gram.NewFourierMap(k, 1, 2000, false, 0, 1)
	if err != nil {
		panic(err)
	}
	f, _ := m.Features(ctx, data.Slice[kernel.Vec]{{0}, {1}})
	fmt.Printf("k = %.3f, by 2000 random frequencies %.3f\n", k.Eval(kernel.Vec{0}, kernel.Vec{1}), mat.Dot(f.RowView(0), f.RowView(1)))
	// Output: k = 0.607, by 2000 random frequencies 0.608
}

func Example_components() {
	x, _ := points(data.Blobs(150, 1, 1), 2)
	m, err := project.PCA[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 2}, Components: 6}.Fit(ctx, x)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.3f\n", m.ExplainedRatio())
	// Output: [0.296 0.286 0.081 0.066 0.056 0.046]
}

func Example_denoise() {
	x := play.Digits(300, 1)
	m, err := project.PCA[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 10}, Components: 80}.Fit(ctx, x)
	if err != nil {
		panic(err)
	}
	noisy := append(kernel.Vec(nil), x.At(3)...)
	for i := range noisy {
		noisy[i] += 0.3 * math.Sin(float64(17*i*i)) // noise, the same every time
	}
	clean, err := project.Denoise(ctx, m, project.FixedPoint{Model: m}, data.Slice[kernel.Vec]{noisy})
	if err != nil {
		panic(err)
	}
	far := func(v kernel.Vec) float64 {
		s := 0.0
		for i, p := range x.At(3) {
			s += (v[i] - p) * (v[i] - p)
		}
		return math.Sqrt(s)
	}
	fmt.Printf("from the digit: %.2f with noise, %.2f without\n", far(noisy), far(clean.RawRowView(0)))
	// Output: from the digit: 3.37 with noise, 1.36 without
}

func Example_correlation() {
	x := data.Slice[kernel.Vec]{}
	y := data.Slice[kernel.Vec]{}
	for i := range 120 {
		s, c := math.Sincos(float64(i))
		x, y = append(x, kernel.Vec{c}), append(y, kernel.Vec{s})
	}
	k := kernel.Gaussian{Lengthscale: 0.5}
	m, err := project.CCA{Kappa: 0.02 * 120}.Fit(ctx, project.NewView[kernel.Vec](k, x), project.NewView[kernel.Vec](k, y))
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.3f\n", m.Correlations())
	// Output: [0.722]
}

func Example_groups() {
	x, y := points(data.Circles(300, 0.03, 1), 2)
	s, err := cluster.Spectral[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 0.3}, Clusters: 2, Graph: cluster.NeighbourGraph, Neighbours: 12}.Fit(ctx, x)
	if err != nil {
		panic(err)
	}
	same, _ := cluster.AdjustedRand(s.Labels(), classes(y))
	fmt.Printf("agrees with the rings: %.2f\n", same)
	// Output: agrees with the rings: 1.00
}

func Example_twoSample() {
	x, y := points(data.Blobs(150, 1, 1), 2)
	var first, second []int
	for i, c := range y {
		if c == 0 {
			first = append(first, i)
		} else if c == 1 {
			second = append(second, i)
		}
	}
	a, b := data.Gather(x, first), data.Gather(x, second)
	k, err := stat.MedianKernel(a, b)
	if err != nil {
		panic(err)
	}
	r, err := stat.MMD[kernel.Vec]{Kernel: k, TestSettings: stat.TestSettings{Permutations: 500, Seed: 1}}.Test(ctx, a, b)
	if err != nil {
		panic(err)
	}
	fmt.Printf("p = %.4f\n", r.P)
	// Output: p = 0.0020
}

func Example_independence() {
	x, y := data.Slice[kernel.Vec]{}, data.Slice[kernel.Vec]{}
	for i := range 120 {
		s, c := math.Sincos(float64(i))
		x, y = append(x, kernel.Vec{c}), append(y, kernel.Vec{s})
	}
	k := kernel.Gaussian{Lengthscale: 0.5}
	r, err := stat.HSIC[kernel.Vec, kernel.Vec]{KernelX: k, KernelY: k, TestSettings: stat.TestSettings{Permutations: 500}}.Test(ctx, x, y)
	if err != nil {
		panic(err)
	}
	fmt.Printf("a circle: uncorrelated, and p = %.3f\n", r.P)
	// Output: a circle: uncorrelated, and p = 0.002
}

func Example_search() {
	x, y := points(data.Spirals(200, 0.02, 1), 2)
	p, err := learn.Classify(x, classes(y))
	if err != nil {
		panic(err)
	}
	s := tune.NewSearch(p, tune.Try[kernel.Vec]("svm", kernel.Gaussian{}, tune.Over("gaussian.lengthscale", learn.LogSpace(0.02, 5, 8)...), tune.Over("C", learn.LogSpace(0.1, 1000, 5)...)))
	r, err := s.Run(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d cells, best accuracy %.3f\n", len(r.Cells), r.Best.Mean)
	// Output: 40 cells, best accuracy 1.000
}

func Example_average() {
	x, y := points(data.Sinc(60, 0.1, 1), 1)
	m, err := smooth.NadarayaWatson{Bandwidth: 0.4}.Fit(ctx, x, y)
	if err != nil {
		panic(err)
	}
	at, _ := m.Conditional(ctx, data.Slice[kernel.Vec]{{0}})
	fmt.Printf("t at x = 0: %.2f ± %.2f\n", at[0].Mean(), math.Sqrt(at[0].Variance()))
	// Output: t at x = 0: 0.83 ± 0.22
}

func Example_local() {
	x, y := points(data.Sinc(60, 0.1, 1), 1)
	m, err := smooth.LocalRegression{Smoother: density.TriCube, Degree: 1, Span: 0.3}.Fit(ctx, x, y)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.1f degrees of freedom\n", m.Freedom())
	// Output: 6.9 degrees of freedom
}

func Example_strings() {
	fmt.Println(seq.Spectrum{K: 2}.Eval("statistics", "statisticians"))
	fmt.Println(seq.Subsequences{Length: 2, Decay: 0.5}.Eval("cat", "car"))
	// Output:
	// 12
	// 0.0625
}

func Example_trees() {
	x, _ := bracket.Parse("(S (NP (D the) (N dog)) (VP (V barks)))")
	y, _ := bracket.Parse("(S (NP (D the) (N cat)) (VP (V sleeps)))")
	fmt.Println(tree.SubsetTree{Decay: 0.5}.Eval(x, y))
	// Output: 3.0625
}

func Example_graphs() {
	x := graph.Graph{Nodes: 4, Edges: [][2]int32{{0, 1}, {1, 2}, {2, 3}}, NodeLabels: []int{'C', 'C', 'C', 'O'}}
	y := graph.Graph{Nodes: 5, Edges: [][2]int32{{0, 1}, {1, 2}, {2, 3}, {2, 4}}, NodeLabels: []int{'C', 'C', 'C', 'C', 'O'}}
	fmt.Println(graph.WL{Iterations: 2}.Eval(x, y))
	// Output: 18
}
