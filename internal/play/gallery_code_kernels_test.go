package play_test

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/discrete"
	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/kernel/seq"
	"github.com/mercer-ml/mercer/kernel/tree"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

func Example_bandlimited() {
	kernelOn("sinc()", -10, 10)
	// Output: sinc(): k = -0.1918 at a quarter and the middle; largest eigenvalue of K/n 0.1571
}

func Example_rough() {
	kernelOn("radialsobolev()", 0.05, 0.95)
	// Output: radialsobolev(): k = 1.2159 at a quarter and the middle; largest eigenvalue of K/n 1.5440
}

func Example_sobolevKernel() {
	kernelOn("sobolev(order=1)", 0.01, 0.99)
	kernelOn("sobolev(order=2)", 0.01, 0.99)
	// Output:
	// sobolev(order=1): k = 1.2588 at a quarter and the middle; largest eigenvalue of K/n 1.3536
	// sobolev(order=2): k = 1.1444 at a quarter and the middle; largest eigenvalue of K/n 1.3259
}

func Example_basisPolynomial() {
	kernelOn("polynomialbasis()", -1, 1)
	kernelOn("gaussianbasis(centers=[-1, -0.5, 0, 0.5, 1], width=0.2)", -1, 1)
	// Output:
	// polynomialbasis(): k = 0.9962 at a quarter and the middle; largest eigenvalue of K/n 1.0000
	// gaussianbasis(centers=[-1, -0.5, 0, 0.5, 1], width=0.2): k = 0.0882 at a quarter and the middle; largest eigenvalue of K/n 0.2346
}

func Example_basisSigmoid() {
	kernelOn("sigmoidbasis(centers=[-0.8, -0.4, 0, 0.4, 0.8], width=0.1)", -1, 1)
	// Output: sigmoidbasis(centers=[-0.8, -0.4, 0, 0.4, 0.8], width=0.1): k = 1.2393 at a quarter and the middle; largest eigenvalue of K/n 1.9900
}

func Example_matern() {
	kernelOn("matern(nu=0.5, lengthscale=1)", -4, 4)
	kernelOn("matern(nu=2.5, lengthscale=1)", -4, 4)
	// Output:
	// matern(nu=0.5, lengthscale=1): k = 0.1353 at a quarter and the middle; largest eigenvalue of K/n 0.2274
	// matern(nu=2.5, lengthscale=1): k = 0.1387 at a quarter and the middle; largest eigenvalue of K/n 0.2789
}

func Example_featureSpace() {
	kernelOn("poly(degree=2, gamma=1, offset=1)", -2, 2)
	// Output: poly(degree=2, gamma=1, offset=1): k = 0.9695 at a quarter and the middle; largest eigenvalue of K/n 3.8279
}

func Example_theta() {
	kernelOn("theta()", -3.1, 3.1)
	kernelOn("fourier(coef=[1, 0.5, 0.25])", -3.1, 3.1)
	// Output:
	// theta(): k = 0.1200 at a quarter and the middle; largest eigenvalue of K/n 0.1593
	// fourier(coef=[1, 0.5, 0.25]): k = 0.5212 at a quarter and the middle; largest eigenvalue of K/n 1.0005
}

func Example_decay() {
	// At n even points of a circle the eigenvalues of K/n are the Fourier coefficients, each but
	// the first twice.
	kernelOn("theta(sigma=0.5)", -math.Pi, math.Pi)
	kernelOn("theta(sigma=1)", -math.Pi, math.Pi)
	// Output:
	// theta(sigma=0.5): k = 0.0057 at a quarter and the middle; largest eigenvalue of K/n 0.1592
	// theta(sigma=1): k = 0.1162 at a quarter and the middle; largest eigenvalue of K/n 0.1592
}

func Example_eigenfunctions() {
	x, normal := data.Slice[kernel.Vec]{}, distuv.Normal{Sigma: 1}
	for i := range 128 { // quantiles at equal distances stand for the measure
		x = append(x, kernel.Vec{normal.Quantile((float64(i) + 0.5) / 128)})
	}
	m, err := rkhs.NewMercer(ctx, kernel.Gaussian{Lengthscale: 1}, x, 3)
	must(err)
	fmt.Printf("three eigenvalues: %.4f\n", m.Eigenvalues())
	// Output: three eigenvalues: [0.6180 0.2362 0.0905]
}

func Example_randomFeatures() {
	k := kernel.Gaussian{Lengthscale: 1}
	m, err := gram.NewFourierMap(k, 1, 100, false, 0, 1)
	must(err)
	x, worst := data.Slice[kernel.Vec]{}, 0.0
	for i := range 240 {
		x = append(x, kernel.Vec{-4 + 8*float64(i)/239})
	}
	here, err := m.Features(ctx, data.Slice[kernel.Vec]{{0}})
	must(err)
	there, err := m.Features(ctx, x)
	must(err)
	for i := range x {
		worst = max(worst, math.Abs(mat.Dot(here.RowView(0), there.RowView(i))-k.Eval(kernel.Vec{0}, x[i])))
	}
	fmt.Printf("largest error of 100 random frequencies: %.4f\n", worst)
	// Output: largest error of 100 random frequencies: 0.0832
}

func Example_string() {
	fmt.Println(seq.Spectrum{K: 2}.Eval("statistics", "statisticians"))
	// Output: 12
}

func Example_subsequence() {
	fmt.Println(seq.Subsequences{Length: 2, Decay: 0.5}.Eval("cat", "car"))
	// Output: 0.0625
}

func Example_documents() {
	fmt.Println(seq.BagOfWords{}.Eval("the dog chased the cat up the tree", "the cat slept under the tree"))
	// Output: 8
}

func Example_pyramid() {
	x := []kernel.Vec{{0.7, 0.8}, {1.2, 3.1}, {2.6, 2.2}, {3.4, 0.6}, {3.2, 3.3}}
	y := []kernel.Vec{{0.9, 1.2}, {1.3, 2.7}, {2.1, 2.3}, {3.6, 0.7}, {0.4, 3.6}}
	fmt.Println(discrete.PyramidMatch{Side: 0.5, Levels: 3}.Eval(x, y))
	// Output: 1.625
}

func Example_trees() {
	x, err := bracket.Parse("(S (NP (D the) (N dog)) (VP (V barks)))")
	must(err)
	y, err := bracket.Parse("(S (NP (D the) (N cat)) (VP (V sleeps)))")
	must(err)
	fmt.Println(tree.SubsetTree{Decay: 0.5}.Eval(x, y))
	// Output: 3.0625
}

func Example_graphs() {
	x := graph.Graph{Nodes: 4, Edges: [][2]int32{{0, 1}, {1, 2}, {2, 3}}, NodeLabels: []int{'C', 'C', 'C', 'O'}}
	y := graph.Graph{Nodes: 5, Edges: [][2]int32{{0, 1}, {1, 2}, {2, 3}, {2, 4}},
		NodeLabels: []int{'C', 'C', 'C', 'C', 'O'}}
	fmt.Println(graph.WL{Iterations: 2}.Eval(x, y))
	// Output: 18
}
