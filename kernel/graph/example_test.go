package graph_test

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/learn/svm"
	"gonum.org/v1/gonum/mat"
)

// ethanol and methanol without their hydrogens: carbon is 6, oxygen is 8.
var (
	ethanol  = graph.Graph{Nodes: 3, Edges: [][2]int32{{0, 1}, {1, 2}}, NodeLabels: []int{6, 6, 8}}
	methanol = graph.Graph{Nodes: 2, Edges: [][2]int32{{0, 1}}, NodeLabels: []int{6, 8}}
	triangle = graph.Graph{Nodes: 3, Edges: [][2]int32{{0, 1}, {1, 2}, {2, 0}}}
	path     = graph.Graph{Nodes: 4, Edges: [][2]int32{{0, 1}, {1, 2}, {2, 3}}}
)

func ExampleKernel() {
	var k graph.Kernel = graph.WL{Iterations: 1}
	x := data.Slice[graph.Graph]{ethanol, methanol}
	fmt.Println(k.Name(), k.Params()[0].Name, k.Validate(), k.CheckPoints(x), k.Properties().PSD)
	dst := mat.NewDense(2, 2, nil)
	k.PreparePoints(context.Background(), x, x)(dst, 0, 0) // every graph is read once
	fmt.Println(dst.RawMatrix().Data)
	fmt.Println(k.With([]float64{0}).Eval(ethanol, methanol)) // labels alone
	fmt.Printf("%.3f\n", kernel.Normalize(kernel.Kernel[graph.Graph](k)).Eval(ethanol, methanol))
	bad := graph.Graph{Nodes: 2, Edges: [][2]int32{{0, 7}}}
	fmt.Println(k.CheckPoints(data.Slice[graph.Graph]{ethanol, bad}))
	// Output:
	// wl wl.h <nil> <nil> yes
	// [8 4 4 4]
	// 3
	// 0.707
	// kernel: wl: graph 1: edge 0 joins node 0 to node 7, but there are 2 nodes, numbered from 0
}

func ExampleWL() {
	// Labels: C C O against C O, 2·1 + 1·1. One round later the oxygens, each next to a carbon,
	// still agree.
	fmt.Println(graph.WL{}.Eval(ethanol, methanol), graph.WL{Iterations: 1}.Eval(ethanol, methanol))
	// Output: 3 4
}

func ExampleWLAssignment() {
	fmt.Println(graph.WLAssignment{Iterations: 1}.Eval(ethanol, methanol)) // C on C, and O on O twice over
	// Output: 3
}

func ExampleWLEdge() {
	fmt.Println(graph.WLEdge{}.Eval(ethanol, methanol)) // the bond C–O
	// Output: 1
}

func ExampleWLPath() {
	fmt.Println(graph.WLPath{}.Eval(ethanol, methanol)) // the same, from both ends
	// Output: 2
}

func ExampleWLAlignment() {
	// One C–O bond of two possible in ethanol, of one in methanol: √1·√2, for 1·1 pairs.
	fmt.Printf("%.4f\n", graph.WLAlignment{}.Eval(ethanol, methanol))
	// Output: 1.4142
}

func ExampleShortestPath() {
	k := graph.ShortestPath{}
	fmt.Println(k.Eval(triangle, path), k.HasFeatures()) // 6 ordered pairs of length 1, against 6
	// Output: 36 true
}

func ExampleGraphlet() {
	// Of the four triples of a path of four nodes two make a path of three, as does none of the
	// triangle.
	fmt.Println(graph.Graphlet{}.Eval(path, path), graph.Graphlet{}.Eval(path, triangle))
	// Output: 0.5 0
}

func ExampleGraphletSamples() {
	fmt.Println(graph.GraphletSamples(4, 0.05, 0.05))
	// Output: 8497
}

func ExampleNeighbourhoodHash() {
	k := graph.NeighbourhoodHash{Iterations: 1, CountSensitive: true}
	fmt.Printf("%.4f\n", k.Eval(ethanol, methanol)) // 2 of 3 labels are shared, then 1 of 4
	// Output: 0.4583
}

func ExampleGeometricWalk() {
	k := graph.GeometricWalk{Lambda: 0.1}
	fmt.Printf("%.4f\n", k.Eval(triangle, triangle)) // 9/(1 − 0.1·4): the product graph is regular of degree 4
	fmt.Println(graph.GeometricWalk{Lambda: 0.3}.CheckPoints(data.Slice[graph.Graph]{triangle}))
	// Output:
	// 15.0000
	// kernel: geometricwalk: lambda = 0.3, but the walks of graph 0, whose adjacency has the largest eigenvalue 2, need λ < 0.25; or take a StepWalk
}

func ExampleStepWalk() {
	fmt.Println(graph.StepWalk{Steps: 2}.Eval(triangle, triangle)) // 9 + 36 + 144
	// Output: 189
}

func ExampleExponentialWalk() {
	fmt.Printf("%.4f %.4f\n", graph.ExponentialWalk{Lambda: 0.5}.Eval(triangle, triangle), 9*math.Exp(2))
	// Output: 66.5015 66.5015
}

func ExampleMarginalised() {
	// Two nodes with an edge: walks of the same length always agree, (γ²)/(1 − (1−γ)²).
	edge := graph.Graph{Nodes: 2, Edges: [][2]int32{{0, 1}}}
	fmt.Printf("%.4f\n", graph.Marginalised{Stop: 0.5}.Eval(edge, edge))
	// Output: 0.3333
}

func ExampleFiltration() {
	// One edge, there from the first stage on or only at the second: nodes at the end of an edge
	// come 4 and 2 times, half a stage apart.
	edge := func(w float64) graph.Graph {
		return graph.Graph{Nodes: 2, Edges: [][2]int32{{0, 1}}, Weights: []float64{w}}
	}
	k := graph.Filtration{Iterations: 1, Cuts: []float64{2, 1}}
	fmt.Printf("%.4f %.4f\n", k.Eval(edge(2), edge(1)), 4*4+4*2*math.Exp(-0.5))
	// Output: 20.8522 20.8522
}

func ExampleMultiscale() {
	k := graph.Multiscale{Levels: 1}
	fmt.Printf("%.4f %.4f\n", k.Eval(path, path), k.Eval(triangle, path))
	// Output: 1.0000 0.8376
}

func ExampleTraceAlignment() {
	fmt.Printf("%.4f\n", graph.TraceAlignment{}.Eval(triangle, triangle)) // traces of one entry
	// Output: 1.0000
}

func ExampleTraceReproducing() {
	fmt.Printf("%.4f\n", graph.TraceReproducing{Layers: 4}.Eval(triangle, triangle))
	// Output: 2.0000
}

// Rings against chains: the same learner as on vectors, with graphs for points.
func ExampleWL_classifier() {
	ring := func(n int) graph.Graph {
		g := graph.Graph{Nodes: n}
		for i := range n {
			g.Edges = append(g.Edges, [2]int32{int32(i), int32((i + 1) % n)})
		}
		return g
	}
	chain := func(n int) graph.Graph {
		g := ring(n)
		g.Edges = g.Edges[:n-1]
		return g
	}
	var x data.Slice[graph.Graph]
	var y []string
	for n := 4; n < 9; n++ {
		x = append(x, ring(n), chain(n))
		y = append(y, "ring", "chain")
	}
	k := kernel.Normalize(kernel.Kernel[graph.Graph](graph.WL{Iterations: 2}))
	m, err := svm.Classification[graph.Graph, string]{Kernel: k, C: 10}.Fit(context.Background(), x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	labels, err := m.Predict(context.Background(), data.Slice[graph.Graph]{ring(10), chain(10), ring(3)})
	fmt.Println(labels, err)
	// Output: [ring chain ring] <nil>
}
