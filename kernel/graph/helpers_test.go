package graph

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// randomGraphs are graphs of most/2 to most nodes, one of none and one of 1, with labels, edge
// labels, weights 0.5, 1 or 1.5 and two attributes.
func randomGraphs(seed uint64, n, most int) data.Slice[Graph] {
	rng := rand.New(rand.NewPCG(seed, 7))
	out := make(data.Slice[Graph], n)
	for i := range out {
		out[i] = randomGraph(rng, most-rng.IntN(most/2+1), 0.2+0.5*rng.Float64())
	}
	out[n/2] = Graph{}
	out[n/3] = Graph{Nodes: 1, NodeLabels: []int{2}, NodeAttrs: [][]float64{{0.5, 1}}}
	return out
}

func randomGraph(rng *rand.Rand, nodes int, density float64) Graph {
	g := Graph{Nodes: nodes}
	for a := range nodes {
		g.NodeLabels = append(g.NodeLabels, rng.IntN(3)-1)
		g.NodeAttrs = append(g.NodeAttrs, []float64{rng.NormFloat64(), rng.NormFloat64()})
		for b := range a {
			if rng.Float64() < density {
				e := [2]int32{int32(a), int32(b)}
				label, weight := rng.IntN(2), 0.5+0.5*float64(rng.IntN(3))
				for range 1 + rng.IntN(2) { // once or in both directions
					g.Edges = append(g.Edges, e)
					g.EdgeLabels = append(g.EdgeLabels, label)
					g.Weights = append(g.Weights, weight)
					e[0], e[1] = e[1], e[0]
				}
			}
		}
	}
	if len(g.Edges) == 0 {
		g.Weights, g.EdgeLabels = nil, nil
	}
	return g
}

// plain is the graphs without what the flags do not name.
func plain(x data.Slice[Graph], labels, weights bool) data.Slice[Graph] {
	out := slices.Clone(x)
	for i := range out {
		out[i].NodeAttrs = nil
		if !labels {
			out[i].NodeLabels, out[i].EdgeLabels = nil, nil
		}
		if !weights {
			out[i].Weights = nil
		}
	}
	return out
}

// renumbered is the same graph with its nodes in another order.
func renumbered(rng *rand.Rand, g Graph) Graph {
	order := rng.Perm(g.Nodes)
	out := g
	out.Edges = nil
	for _, e := range g.Edges {
		out.Edges = append(out.Edges, [2]int32{int32(order[e[0]]), int32(order[e[1]])})
	}
	out.NodeLabels, out.NodeAttrs = slices.Clone(g.NodeLabels), slices.Clone(g.NodeAttrs)
	for i, to := range order {
		if g.NodeLabels != nil {
			out.NodeLabels[to] = g.NodeLabels[i]
		}
		if g.NodeAttrs != nil {
			out.NodeAttrs[to] = g.NodeAttrs[i]
		}
	}
	return out
}

// adjacency is the matrix of weights, and the labels of edges (-1: no edge).
func adjacency(g Graph) (w [][]float64, bond [][]int) {
	for range g.Nodes {
		w, bond = append(w, make([]float64, g.Nodes)), append(bond, slices.Repeat([]int{-1}, g.Nodes))
	}
	for i, e := range g.Edges {
		weight, label := 1.0, 0
		if g.Weights != nil {
			weight = g.Weights[i]
		}
		if g.EdgeLabels != nil {
			label = g.EdgeLabels[i]
		}
		for end := range 2 {
			w[e[end]][e[1-end]], bond[e[end]][e[1-end]] = weight, label
		}
	}
	return w, bond
}

func labelOf(g Graph, i int) int {
	if g.NodeLabels == nil {
		return 0
	}
	return g.NodeLabels[i]
}

// tree writes out the tree of neighbours of a node to a depth.
func tree(g Graph, bond [][]int, v, depth int, edges bool) string {
	if depth == 0 {
		return fmt.Sprint(labelOf(g, v))
	}
	var around []string
	for u, b := range bond[v] {
		if b >= 0 {
			if !edges {
				b = 0
			}
			around = append(around, fmt.Sprint(b, tree(g, bond, u, depth-1, edges)))
		}
	}
	slices.Sort(around)
	return tree(g, bond, v, depth-1, edges) + "(" + strings.Join(around, ",") + ")"
}

// floyd are the lengths of shortest paths (R. Floyd 1962).
func floyd(g Graph) [][]float64 {
	w, bond := adjacency(g)
	for i := range w {
		for j := range w {
			if bond[i][j] < 0 {
				w[i][j] = math.Inf(1)
			}
		}
	}
	for k := range w {
		for i := range w {
			for j := range w {
				w[i][j] = min(w[i][j], w[i][k]+w[k][j])
			}
		}
	}
	return w
}

// agrees compares a kernel with an oracle on all pairs, one by one and prepared, also between
// different sets.
func agrees(t *testing.T, k Kernel, x data.Slice[Graph], tol float64, oracle func(x, y Graph) float64) {
	t.Helper()
	if err := kernel.Check(kernel.Kernel[Graph](k), data.Points[Graph](x)); err != nil {
		t.Fatal(err)
	}
	want := mat.NewDense(len(x), len(x), nil)
	for i := range x {
		for j := range x {
			want.Set(i, j, oracle(x[i], x[j]))
			if got := k.Eval(x[i], x[j]); !(math.Abs(got-want.At(i, j)) <= tol*(1+math.Abs(want.At(i, j)))) {
				t.Fatalf("%s %+v: k(%d, %d) = %v, want %v\n%+v\n%+v", k.Name(), k, i, j, got, want.At(i, j), x[i], x[j])
			}
		}
	}
	for _, y := range []data.Slice[Graph]{x, slices.Clone(x[1:])} {
		fill := k.PreparePoints(context.Background(), x, y)
		dst := mat.NewDense(len(x)-1, len(y), nil)
		fill(dst, 1, 0)
		for i := range len(x) - 1 {
			for j := range y {
				w := want.At(i+1, j+len(x)-len(y))
				if got := dst.At(i, j); !(math.Abs(got-w) <= tol*(1+math.Abs(w))) {
					t.Fatalf("%s %+v: prepared k(%d, %d) = %v, want %v", k.Name(), k, i+1, j, got, w)
				}
			}
		}
	}
	// the order of the nodes says nothing
	rng := rand.New(rand.NewPCG(11, 0))
	for i := range x {
		j := rng.IntN(len(x))
		a, b := k.Eval(x[i], x[j]), k.Eval(renumbered(rng, x[i]), x[j])
		if !(math.Abs(a-b) <= 1e-9*(1+math.Abs(a))) {
			t.Errorf("%s: %v becomes %v when the nodes of graph %d are renumbered", k.Name(), a, b, i)
		}
	}
}

// conforms runs the suite that all kernels pass, and asks for errors on graphs that make no sense.
func conforms(t *testing.T, k Kernel, x data.Slice[Graph]) {
	t.Helper()
	kerneltest.Run(t, kernel.Kernel[Graph](k), kerneltest.Options[Graph]{Points: x})
	for what, g := range map[string]Graph{
		"graph 1: edge 0 joins node 0 to node 5":  {Nodes: 2, Edges: [][2]int32{{0, 5}}},
		"graph 1: edge 0 joins node 1 to itself":  {Nodes: 2, Edges: [][2]int32{{1, 1}}},
		"graph 1: edge 0 (nodes 0 and 1) has the": {Nodes: 2, Edges: [][2]int32{{0, 1}}, Weights: []float64{-1}},
		"graph 1: 1 node labels for 2 nodes":      {Nodes: 2, NodeLabels: []int{1}},
	} {
		err := k.CheckPoints(data.Slice[Graph]{{Nodes: 2}, g})
		if err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), k.Name()) {
			t.Errorf("error %v, want %q", err, what)
		}
	}
	err := k.CheckPoints(data.Slice[Graph]{{}, {Nodes: 1, NodeLabels: []int{1}}, {Nodes: 2}})
	if err == nil || !strings.Contains(err.Error(), "graph 1 has node labels and graph 2 has none") {
		t.Errorf("labels on one graph alone: %v", err)
	}
}
