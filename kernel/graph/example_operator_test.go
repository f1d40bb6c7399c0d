package graph_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/kernel/graph"
	"gonum.org/v1/gonum/mat"
)

func fourInARow() *graph.Laplacian {
	l, err := graph.NewNormalisedLaplacian(graph.Graph{Nodes: 4, Edges: [][2]int32{{0, 1}, {1, 2}, {2, 3}}})
	if err != nil {
		panic(err)
	}
	return l
}

func ExampleOperator() {
	k := graph.Nodes{Laplacian: fourInARow(), Transform: graph.Diffusion{Sigma: 1}}
	op, err := k.Operator(1e-12, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	v, out := mat.NewDense(4, 1, []float64{1, 0, 0, 0}), mat.NewDense(4, 1, nil)
	op.MulTo(out, v, false)
	n, _ := op.Dims()
	fmt.Printf("%d nodes, k(0, 2) = %.4f or %.4f, terms: %v\n", n, out.At(2, 0), k.Eval(0, 2), op.Terms() < 32)
	// Output: 4 nodes, k(0, 2) = 0.0275 or 0.0275, terms: true
}

func ExampleSpectrum() {
	s, err := fourInARow().Spectrum(context.Background(), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, share := s.Density(2)
	fmt.Printf("mean of r %.4f, shares %.2f\n", s.Mean(graph.WalkSteps{Alpha: 2}), share)
	// Output: mean of r 1.0000, shares [0.50 0.50]
}

func ExampleLow() {
	low, err := fourInARow().Lowest(context.Background(), 2, 1e-9, 0, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n", low.Values)
	// Output: [0.0000 0.5000]
}

func ExampleParseTransform() {
	t, given, err := graph.ParseTransform("diffusion(sigma=2)")
	fmt.Println(graph.FormatTransform(t), given, err)
	_, _, err = graph.ParseTransform("heat")
	fmt.Println(err)
	// Output:
	// diffusion(sigma=2) true <nil>
	// unknown transform "heat"; there are regularised, diffusion, walksteps, inversecosine, cutoff
}

func ExampleFormatTransform() {
	fmt.Println(graph.FormatTransform(graph.WalkSteps{Steps: 3, Alpha: 2}))
	// Output: walksteps(steps=3, alpha=2)
}

func ExampleTransforms() {
	for _, t := range graph.Transforms() {
		fmt.Println(graph.FormatTransform(t))
	}
	// Output:
	// regularised(epsilon=1)
	// diffusion(sigma=1)
	// walksteps(steps=1)
	// inversecosine()
	// cutoff(cut=0)
}

func ExampleLaplacian_MulTo() {
	l := fourInARow()
	v, out := mat.NewDense(4, 1, []float64{1, 0, 0, 0}), mat.NewDense(4, 1, nil)
	l.MulTo(1, out, v)
	fmt.Printf("%.4f %.4f, diagonal %v\n", out.At(0, 0), out.At(1, 0), l.Diagonal())
	// Output: 1.0000 -0.7071, diagonal [1 1 1 1]
}

func ExampleLaplacian_Lowest() {
	l := fourInARow()
	low, err := l.Lowest(context.Background(), 1, 1e-9, 0, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := l.Spectrum(context.Background(), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f, mean of r %.4f\n", low.Values, s.Mean(graph.WalkSteps{Alpha: 2}))
	// Output: [0.0000], mean of r 1.0000
}

func ExampleNodes_Operator() {
	op, err := graph.Nodes{Laplacian: fourInARow(), Transform: graph.WalkSteps{Steps: 2, Alpha: 2}}.Operator(1e-12, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(op.Terms())
	// Output: 3
}
