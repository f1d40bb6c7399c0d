package graph_test

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/learn/ridge"
	"gonum.org/v1/gonum/mat"
)

// Two linear segments have two eigenvalues 0, one for each component.
func ExampleNewLaplacian() {
	l, err := graph.NewLaplacian(graph.Graph{Nodes: 5, Edges: [][2]int32{{0, 1}, {1, 2}, {3, 4}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	values, _, err := l.Eigen()
	fmt.Printf("%.3f %v\n", values, err)
	component, count := l.Components()
	fmt.Println(l.Nodes(), component, count)
	fmt.Printf("%.3f\n", l.NullSpace().RawRowView(0)) // the first node, in the component of three
	fmt.Println(l.Smoothness([]float64{1, 1, 2, 0, 0}), l.Largest(), l.Dense().At(1, 1))
	// Output:
	// [0.000 0.000 1.000 2.000 3.000] <nil>
	// 5 [0 0 0 1 1] 2
	// [0.577 0.000]
	// 1 3 2
}

func ExampleNewNormalisedLaplacian() {
	l, err := graph.NewNormalisedLaplacian(graph.Graph{Nodes: 3, Edges: [][2]int32{{0, 1}}}) // node 2 is alone
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(l.Dense().RawMatrix().Data)
	_, count := l.Components()
	fmt.Println(count)
	// Output:
	// [1 -1 0 -1 1 0 0 0 0]
	// 2
}

func ExampleTransform() {
	for _, r := range []graph.Transform{graph.Regularised{Epsilon: 0.5}, graph.Diffusion{Sigma: 2},
		graph.WalkSteps{Alpha: 2, Steps: 3}, graph.InverseCosine{}, graph.Cutoff{Cut: 0.3}} {
		fmt.Printf("%s %.3f %.3f %v %d\n", r.Name(), r.At(0, 2), r.At(1, 2), r.Validate(2),
			len(r.With([]float64{1}).Params()))
	}
	// Output:
	// regularised 2.000 0.667 <nil> 1
	// diffusion 1.000 0.135 <nil> 1
	// walksteps 8.000 1.000 <nil> 1
	// inversecosine 1.000 0.707 <nil> 0
	// cutoff 1.000 0.000 <nil> 1
}

func ExampleRegularised() {
	fmt.Println(graph.Regularised{Epsilon: 1}.At(1, 2))
	// Output: 0.5
}

func ExampleDiffusion() {
	fmt.Printf("%.4f\n", graph.Diffusion{Sigma: 1}.At(2, 2))
	// Output: 0.3679
}

func ExampleWalkSteps() {
	fmt.Println(graph.WalkSteps{Alpha: 3, Steps: 2}.At(1, 2))
	fmt.Println(graph.WalkSteps{Alpha: 1}.Validate(2))
	// Output:
	// 4
	// kernel: walksteps: alpha = 1, want at least 2, a bound on the eigenvalues of the Laplacian
}

func ExampleInverseCosine() {
	fmt.Printf("%.4f\n", graph.InverseCosine{}.At(1, 2))
	// Output: 0.7071
}

func ExampleCutoff() {
	fmt.Println(graph.Cutoff{Cut: 0.5}.At(0.4, 2), graph.Cutoff{Cut: 0.5}.At(0.6, 2))
	// Output: 1 0
}

func ExampleNodes() {
	l, err := graph.NewNormalisedLaplacian(graph.Graph{Nodes: 4, Edges: [][2]int32{{0, 1}, {1, 2}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	k := graph.Nodes{Laplacian: l, Transform: graph.Diffusion{Sigma: 1}}
	x := data.Indices(4)
	fmt.Println(k.Name(), k.Validate(), k.CheckPoints(x), k.Properties().Strict, k.Params()[0].Name)
	dst := mat.NewDense(1, 4, nil)
	k.PreparePoints(context.Background(), x, x)(dst, 0, 0) // of node 0
	fmt.Printf("%.3f %.3f\n", dst.RawRowView(0), k.With([]float64{2}).Eval(0, 1))
	// Output:
	// nodes <nil> <nil> yes diffusion.sigma
	// [0.645 0.223 0.039 0.000] 0.347
}

// Two moons of points, one label in each: a function that is smooth on the graph of nearest
// neighbours carries the labels along the moons.
func ExampleNearest() {
	ctx := context.Background()
	const each = 60
	x := mat.NewDense(2*each, 2, nil)
	for i := range each {
		a := math.Pi * float64(i) / (each - 1)
		x.SetRow(i, []float64{math.Cos(a), math.Sin(a)})
		x.SetRow(each+i, []float64{1 - math.Cos(a), 0.5 - math.Sin(a)})
	}
	g, err := graph.Nearest(ctx, kernel.Kernel[kernel.Vec](kernel.Gaussian{Lengthscale: 0.2}), data.Rows(x), 5)
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := graph.NewNormalisedLaplacian(g)
	if err != nil {
		fmt.Println(err)
		return
	}
	k := graph.Nodes{Laplacian: l, Transform: graph.Regularised{Epsilon: 0.01}}
	labelled := data.Slice[int]{30, each + 30} // one point of each moon
	m, err := ridge.Regression[int]{Kernel: k, Lambda: 0.01}.Fit(ctx, labelled, []float64{1, -1})
	if err != nil {
		fmt.Println(err)
		return
	}
	values, err := m.Predict(ctx, data.Indices(2*each))
	if err != nil {
		fmt.Println(err)
		return
	}
	right := 0
	for i, v := range values {
		if (v > 0) == (i < each) {
			right++
		}
	}
	fmt.Println(right, "of", 2*each)
	// Output: 120 of 120
}
